// SPDX-License-Identifier: MIT
// Labels and axes on arbitrary bytes: nothing crashes, and no illegal label is accepted. With clang
// libFuzzer drives it (make fuzz); otherwise it replays the files it is given.
#include "neml2/tensors/LabeledAxis.h"
#include "neml2/tensors/LabeledAxisPicture.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace neml2;

namespace
{
/// The rule for illegal names, written a second time.
bool
is_legal(const std::string & name)
{
  if (name.empty())
    return false;
  for (const unsigned char c : name)
    if (c == ' ' || (c >= '\t' && c <= '\r') || c == '\'' || c == '"' || c == '/' || c == '.' ||
        c == ',' || c == ';' || c == 0)
      return false;
  return true;
}

void
demand(bool ok, const char * what)
{
  if (!ok)
  {
    std::cerr << "broken: " << what << '\n';
    std::abort();
  }
}

/// Reads the input piece by piece.
class Input
{
public:
  Input(const std::uint8_t * data, size_t size) : _data(data), _left(size) {}
  bool empty() const { return _left == 0; }
  int byte()
  {
    if (empty())
      return 0;
    _left--;
    return *_data++;
  }
  std::string text()
  {
    std::string s;
    for (int n = byte() % 8; n > 0 && !empty(); n--)
      s += char(byte());
    return s;
  }

private:
  const std::uint8_t * _data;
  size_t _left;
};

/// A path of up to three names. Accepted if and only if all are legal.
LabeledAxisAccessor
path(Input & in)
{
  std::vector<std::string> names;
  bool legal = true;
  for (int n = in.byte() % 4; n > 0; n--)
  {
    // Mostly from a few names, so that paths meet
    const int kind = in.byte();
    names.push_back(kind < 200 ? std::string(1, char('a' + kind % 4)) : in.text());
    legal = legal && is_legal(names.back());
  }
  try
  {
    const LabeledAxisAccessor a(names);
    demand(legal, "an illegal label was accepted");
    return a;
  }
  catch (const NEMLException &)
  {
    demand(!legal, "a legal label was refused");
    return {};
  }
}

void
operate(LabeledAxis & axis, Input & in)
{
  switch (in.byte() % 12)
  {
  case 0:
  case 1:
  case 2:
    axis.add(path(in), in.byte() - 3);
    break;
  case 3:
    axis.add_subaxis(path(in)).add(path(in), in.byte());
    break;
  case 4:
    axis.setup_layout();
    break;
  case 5:
    axis.clear();
    break;
  case 6:
    axis.subaxis(path(in)).clear();
    break;
  case 7:
    axis = LabeledAxis(axis);
    break;
  case 8:
    axis.range(path(in));
    axis.variable_id(path(in));
    break;
  case 9:
    axis.subaxis(path(in)) = axis;
    break;
  case 10:
    path(in).with_suffix(in.text());
    break;
  default:
    axis.common_ranges(axis);
    demand(axis == LabeledAxis(axis), "an axis differs from its copy");
  }
}

/// Properties that any axis must have.
void
check(const LabeledAxis & axis)
{
  Size size = 0;
  for (const auto & name : axis.variable_names())
  {
    for (const auto & part : name)
      demand(is_legal(part), "an illegal label is on an axis");
    demand(axis.has_variable(name), "a variable is not found");
    if (axis.is_setup())
      demand(axis.range(name) == std::pair(size, size + axis.variable_size(name)),
             "variables are not one after the other");
    size += axis.variable_size(name);
  }
  demand(size == axis.size(), "the size is not the sum of the variables'");
  if (size < 30)
    picture(axis);
}
} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, size_t size)
{
  Input in(data, size);
  LabeledAxis axis;
  while (!in.empty())
  {
    try
    {
      operate(axis, in);
    }
    catch (const NEMLException &)
    {
    }
    check(axis);
  }
  return 0;
}

#ifndef NEML2_LIBFUZZER
int
main(int argc, char ** argv)
{
  for (int i = 1; i < argc; i++)
  {
    std::ifstream file(argv[i], std::ios::binary);
    demand(bool(file), "a file of the corpus cannot be read");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
  }
  std::cout << argc - 1 << " inputs\n";
}
#endif
