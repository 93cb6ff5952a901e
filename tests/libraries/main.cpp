// SPDX-License-Identifier: MIT
// Shared libraries that hide their symbols share the derivative rules, whether the program links them or loads them:
// libraries_loaded local|global <path>...
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <vector>

namespace
{
int failures = 0;

void
demand(bool ok, const char * what, const char * found = "")
{
  if (!ok)
    std::printf("broken: %s %s\n", what, found);
  failures += !ok;
}

/// The function of this name in a library, or null.
template <class F>
F *
find(void * library, const char * name)
{
  return reinterpret_cast<F *>(dlsym(library, name));
}
} // namespace

int
main(int argc, char ** argv)
{
  std::vector<void *> libraries;
  if (argc == 1)
    libraries.push_back(RTLD_DEFAULT);
  for (int i = 2; i < argc; i++)
  {
    const bool global = std::strcmp(argv[1], "global") == 0;
    libraries.push_back(dlopen(argv[i], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)));
    if (!libraries.back())
      return std::printf("%s\n", dlerror());
  }
  const void *place = nullptr, *rule = nullptr;
  int operations = 0;
  for (void * library : libraries)
  {
    if (const auto place_here = find<const void *()>(library, "place_of_rule"))
    {
      const void * const rule_here = find<const void *()>(library, "rule")();
      demand(!place || place == place_here(), "a library keeps rules of its own");
      demand(rule_here && (!rule || rule == rule_here), "a library has another rule");
      place = place_here();
      rule = rule_here;
    }
    if (const auto dev = find<const char *()>(library, "node_of_dev"))
    {
      operations++;
      const char * sinh = find<const char *()>(library, "node_of_sinh")();
      demand(std::strcmp(dev(), "devBackward") == 0, "dev is differentiated by", dev());
      demand(std::strcmp(sinh, "sinhBackward") == 0, "sinh is differentiated by", sinh);
      demand(find<double()>(library, "gradient_of_norm_sq")() == 36, "a gradient is wrong");
    }
  }
  demand(rule && operations, "there is nothing to test");
  return failures;
}
