// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__) || defined(__clang__)
#include <cxxabi.h>
#endif

/// Functions on text.
namespace neml2::utils
{
/// Writes all parts to a stream, without separators.
template <class... Parts>
void
stream_all(std::ostringstream & os, const Parts &... parts)
{
  ((os << parts), ...);
}

/// The text that << prints; for a bool it is true or false.
template <class T>
std::string
stringify(const T & t)
{
  std::ostringstream os;
  os << std::boolalpha << t;
  return os.str();
}

/// The strings joined by delim.
inline std::string
join(const std::vector<std::string> & strings, const std::string & delim)
{
  std::string r;
  for (size_t i = 0; i < strings.size(); i++)
    r += (i == 0 ? "" : delim) + strings[i];
  return r;
}

/// The text split at any character of delims, without empty pieces: "/b/c" split at "/" is {b, c}.
inline std::vector<std::string>
split(const std::string & str, const std::string & delims)
{
  std::vector<std::string> r;
  for (size_t begin = str.find_first_not_of(delims); begin != std::string::npos;)
  {
    const size_t end = std::min(str.find_first_of(delims, begin), str.size());
    r.push_back(str.substr(begin, end - begin));
    begin = str.find_first_not_of(delims, end);
  }
  return r;
}

/// The text without these characters at both ends.
inline std::string
trim(const std::string & str, const std::string & chars = " \t\n\v\f\r")
{
  const size_t begin = str.find_first_not_of(chars);
  return begin == std::string::npos ? std::string()
                                    : str.substr(begin, str.find_last_not_of(chars) + 1 - begin);
}

inline bool
start_with(std::string_view str, std::string_view prefix)
{
  return str.substr(0, prefix.size()) == prefix;
}

inline bool
end_with(std::string_view str, std::string_view suffix)
{
  return str.size() >= suffix.size() && str.substr(str.size() - suffix.size()) == suffix;
}

/// The demangled form of a name from typeid(T).name(); the name itself if it cannot be demangled.
inline std::string
demangle(const char * name)
{
#if defined(__GNUC__) || defined(__clang__)
  int status = 0;
  char * const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  const std::string r = status == 0 && text ? text : name;
  std::free(text);
  return r;
#else
  return name;
#endif
}

/// A text of `indent` spaces per level.
inline std::string
indentation(int level, int indent = 2)
{
  return std::string(size_t(level > 0 && indent > 0 ? level * indent : 0), ' ');
}
} // namespace neml2::utils
