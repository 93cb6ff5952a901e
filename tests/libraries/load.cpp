// SPDX-License-Identifier: MIT
// Loads shared libraries in addition to those linked: [local|global <path>...]
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

int
main(int argc, char ** argv)
{
  for (int i = 2; i < argc; i++)
  {
    const bool global = std::strcmp(argv[1], "global") == 0;
    if (!dlopen(argv[i], RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)))
      return std::printf("%s\n", dlerror());
  }
  std::puts("all is loaded");
}
