// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

/// The environment of a program: variables, and files.
namespace neml2::test
{
/// Sets a variable of the environment for the lifetime of this object.
class Variable
{
public:
  Variable(const char * name, const std::string & value) : _name(name)
  {
    if (const char * const before = std::getenv(name))
      _before = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable &) = delete;
  Variable & operator=(const Variable &) = delete;
  ~Variable()
  {
    if (_before.empty())
      unsetenv(_name);
    else
      setenv(_name, _before.c_str(), 1);
  }

private:
  const char * _name;
  std::string _before;
};

inline std::string
read(const std::string & file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void
write(const std::string & file, const std::string & text)
{
  std::ofstream(file, std::ios::binary) << text;
}

/// A folder that exists for the lifetime of this object.
class TemporaryFolder
{
public:
  TemporaryFolder()
    : _path(std::filesystem::temp_directory_path() /
            ("neml2-" + std::to_string(std::random_device()())))
  {
    std::filesystem::create_directories(_path);
    std::filesystem::permissions(_path, std::filesystem::perms::owner_all); // whatever the umask
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder & operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(_path, ignored);
  }

  std::string path() const { return _path.string(); }
  /// The names of its files, including those in its subfolders.
  template <class F>
  void each(const F & f) const
  {
    for (const auto & entry : std::filesystem::recursive_directory_iterator(_path))
      if (!entry.is_directory())
        f(entry.path().string());
  }
  size_t files() const
  {
    size_t n = 0;
    each([&n](const std::string &) { n++; });
    return n;
  }

private:
  std::filesystem::path _path;
};
} // namespace neml2::test
