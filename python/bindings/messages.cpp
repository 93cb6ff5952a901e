// SPDX-License-Identifier: MIT
#include "bindings/messages.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace neml2::python
{
namespace
{
using Text = std::string_view;

/// Words of C++, and the words that replace them in Python's messages. The functions below replace further words according to rules.
constexpr std::pair<Text, Text> spellings[] = {
    {"neml2::", ""},
    {"linalg::", "math."},
    {"discretization::", "math."},
    {"crystal_symmetry_operators::", "crystallography."},
    {"options of ", ""},
    {"a NoGradGuard", "torch.no_grad()"},
    {"scalar_type", "dtype"},
    {"base_unsqueeze_to", ".base.unsqueeze"},
    {"set_default_dtype", "torch.set_default_dtype"},
    {"ComplexHalf", "complex32"},
    {"ComplexFloat", "complex64"},
    {"ComplexDouble", "complex128"},
    {"UInt16", "uint16"},
    {"UInt32", "uint32"},
    {"UInt64", "uint64"},
    {"got unsigned char", "got uint8"}, // "got ..." names a dtype in options
    {"got signed char", "got int8"},
    {"got short int", "got int16"},
    {"got short", "got int16"},
    {"got int", "got int32"},
    {"got long int", "got int64"},
    {"got long long", "got int64"},
    {"got long", "got int64"},
    {"got c10::Half", "got float16"},
    {"got c10::BFloat16", "got bfloat16"},
    {"got float", "got float32"},
    {"got double", "got float64"},
    {"got c10::complex<float>", "got complex64"},
    {"got c10::complex<double>", "got complex128"},
};

/// The members of .batch and .base, whose names in C++ begin with batch_ or base_. Any other name that begins so is left unchanged: it is a
/// function of neml2.math, or an argument such as batch_dim.
constexpr Text members[] = {"size",
                            "expand",
                            "expand_as",
                            "expand_copy",
                            "reshape",
                            "unsqueeze",
                            "squeeze",
                            "transpose",
                            "movedim",
                            "flatten",
                            "slice"};

constexpr Text dtypes[] = {"bool",
                           "uint8",
                           "int8",
                           "int16",
                           "int32",
                           "int64",
                           "float16",
                           "bfloat16",
                           "float32",
                           "float64"};

template <size_t n>
bool
is_among(const Text (&words)[n], Text word)
{
  return std::find(words, words + n, word) != words + n;
}

bool
is_letter(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool
begins(Text text, Text with)
{
  return text.substr(0, with.size()) == with;
}

std::string
of_view(Text view, Text name)
{
  const std::string part = "." + std::string(view);
  if (name == "index")
    return part + "[...]";
  if (name == "index_put_")
    return part + "[...] = value";
  return is_among(members, name) ? part + "." + std::string(name) : std::string();
}

/// The Python spelling of one word (letters, digits and underscores).
std::string
word_in_python(Text word)
{
  for (const Text view : {"batch", "base"})
    if (begins(word, view) && word.size() > view.size() && word[view.size()] == '_')
      if (std::string r = of_view(view, word.substr(view.size() + 1)); !r.empty())
        return r;
  if (begins(word, "k"))
  {
    std::string dtype(word.substr(1));
    std::transform(
        dtype.begin(), dtype.end(), dtype.begin(), [](unsigned char c) { return std::tolower(c); });
    if (dtype != word.substr(1) && is_among(dtypes, dtype))
      return "torch." + dtype;
  }
  return std::string(word);
}

/// The entry of `spellings` for the words at the beginning of a text; null if there is none.
const std::pair<Text, Text> *
spelling_of(Text text)
{
  for (const auto & s : spellings)
  {
    const size_t n = s.first.size();
    if (begins(text, s.first) &&
        (!is_letter(s.first.back()) || n == text.size() || !is_letter(text[n])))
      return &s;
  }
  return nullptr;
}

/// Whether a text is empty or ends with the name of a type. A type begins with a capital letter, a namespace with a lower-case letter (as
/// in aten::add).
bool
follows_type(Text text)
{
  size_t begin = text.size();
  while (begin > 0 && is_letter(text[begin - 1]))
    begin--;
  return text.empty() ||
         (begin < text.size() && std::isupper(static_cast<unsigned char>(text[begin])) != 0);
}

/// The length of a quotation at the beginning of a text; 0 if there is none. `before` is the character before the text: after a letter, a
/// quotation mark is an apostrophe.
size_t
quoted(Text text, char before)
{
  if ((text[0] != '\'' && text[0] != '"') || is_letter(before))
    return 0;
  const size_t end = text.find(text[0], 1);
  return end == text.npos ? 0 : end + 1;
}
} // namespace

std::string
with_article(const std::string & name)
{
  // A name such as R2 or SR2 is read letter by letter. It takes "an" if the spoken name of its first letter begins with a vowel.
  const bool spelled = name.size() > 1 && std::islower(static_cast<unsigned char>(name[1])) == 0;
  const Text vowels = spelled ? "AEFHILMNORSXaeio" : "AEIOaeio";
  const bool is_an = !name.empty() && vowels.find(name[0]) != Text::npos;
  return (is_an ? "an " : "a ") + name;
}

std::string
in_python(const std::string & message)
{
  std::string r;
  for (size_t i = 0; i < message.size();)
  {
    const Text rest = Text(message).substr(i);
    const char before = i > 0 ? message[i - 1] : ' ';
    if (const size_t quote = quoted(rest, before))
    {
      r += rest.substr(0, quote);
      i += quote;
    }
    else if (begins(rest, "::") && follows_type(r))
    {
      r += '.';
      i += 2;
    }
    else if (!is_letter(before) && is_letter(rest[0]))
    {
      if (const auto * s = spelling_of(rest))
      {
        r += s->second;
        i += s->first.size();
        continue;
      }
      const size_t n = size_t(std::find_if_not(rest.begin(), rest.end(), is_letter) - rest.begin());
      r += word_in_python(rest.substr(0, n));
      i += n;
    }
    else
      r += message[i++];
  }
  return r;
}
} // namespace neml2::python
