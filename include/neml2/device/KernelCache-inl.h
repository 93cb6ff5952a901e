// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/KernelCache.h"

#include "neml2/device/private_files.h"
#include "neml2/engine/warned.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace neml2::device
{
namespace cache
{
namespace fs = std::filesystem;

constexpr size_t digest_length = 40;
/// The folder of images, which is inside the folder of the cache, and parts of its files' names. Files with other names are never removed.
constexpr auto subfolder = "neml2-kernels", prefix = "kernel-", extension = ".kernel",
               unfinished = "unfinished-";

/// The contents of a file; empty if it cannot be read.
inline std::string
contents(const fs::path & file)
{
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

inline std::string
variable(const char * name)
{
  const char * const value = std::getenv(name);
  return value ? value : "";
}
} // namespace cache

NEML2_BODY std::string
KernelCache::default_folder()
{
  using namespace cache;
  if (const std::string own = variable("NEML2_CACHE"); !own.empty())
    return own.rfind("~/", 0) == 0 ? variable("HOME") + own.substr(1) : own;
#ifdef _WIN32
  const std::string caches = variable("LOCALAPPDATA"), home;
#else
  const std::string caches = variable("XDG_CACHE_HOME"), home = variable("HOME");
#endif
  if (!caches.empty())
    return (fs::path(caches) / "neml2").string();
  return home.empty() ? std::string() : (fs::path(home) / ".cache" / "neml2").string();
}

NEML2_BODY std::string
KernelCache::file(const std::string & key) const
{
  return (cache::fs::path(place()) / (cache::prefix + key + cache::extension)).string();
}

NEML2_BODY std::string
KernelCache::place() const
{
  return (cache::fs::path(_folder) / cache::subfolder).string();
}

NEML2_BODY bool
KernelCache::is_private() const
{
  const bool is_inside = why_not_private(_folder).empty();
  const std::string where = is_inside ? place() : _folder, why = why_not_private(where);
  if (why.empty())
    return true;
  if (is_first_warning(where + ' ' + why))
    TORCH_WARN("neml2: kernels are not kept in ",
               where,
               ", which ",
               why,
               ": kernels loaded from there could be another user's. Each process compiles for "
               "itself. Set NEML2_CACHE in the environment to a folder of your own. This warning "
               "is given once.");
  return false;
}

NEML2_BODY std::string
KernelCache::find(const std::string & key) const
{
  using namespace cache;
  if (_folder.empty() || !is_private() || !why_not_private(file(key)).empty())
    return {};
  std::string all = contents(file(key));
  if (all.size() <= digest_length)
    return {};
  const std::string image = all.substr(0, all.size() - digest_length);
  if (all.compare(image.size(), digest_length, digest(image)) != 0)
    return {};
  std::error_code ignored;
  fs::last_write_time(file(key), fs::file_time_type::clock::now(), ignored); // the last use
  return image;
}

NEML2_BODY void
KernelCache::keep(const std::string & key, const std::string & image) const
{
  using namespace cache;
  if (_folder.empty())
    return;
  std::error_code error;
  for (const std::string & folder : {_folder, place()})
    if (fs::create_directories(folder, error))
      fs::permissions(folder, fs::perms::owner_all, error);
  if (!is_private())
    return;
  std::random_device random;
  const fs::path made =
      fs::path(place()) / (unfinished + std::to_string(random()) + std::to_string(random()));
  bool whole = false;
  {
    std::ofstream out(made, std::ios::binary);
    fs::permissions(made, fs::perms::owner_read | fs::perms::owner_write, error);
    out << image << digest(image);
    out.close();
    whole = bool(out);
  }
  if (whole)
    fs::rename(made, file(key), error);
  if (!whole || error)
    fs::remove(made, error);
  else
    tidy();
}

NEML2_BODY void
KernelCache::tidy() const
{
  using namespace cache;
  using Age = fs::file_time_type;
  std::vector<std::pair<Age, fs::path>> kernels;
  std::error_code error;
  const Age now = Age::clock::now();
  fs::directory_iterator files(place(), error), end;
  for (; !error && files != end; files.increment(error))
  {
    std::error_code gone; // set if another process has removed the file
    const fs::path path = files->path();
    const Age age = fs::last_write_time(path, gone);
    if (gone || !fs::is_regular_file(fs::symlink_status(path, gone)))
      continue;
    const std::string name = path.filename().string();
    if (name.rfind(prefix, 0) == 0 && path.extension() == extension)
      kernels.emplace_back(age, path);
    else if (name.rfind(unfinished, 0) == 0 &&
             name.find_first_not_of("0123456789", std::string(unfinished).size()) == name.npos &&
             now - age > std::chrono::hours(24))
      fs::remove(path, gone); // a file left by a process that was killed
  }
  if (kernels.size() <= most)
    return;
  std::sort(kernels.begin(), kernels.end());
  for (size_t i = 0; i < kernels.size() - most; i++)
    fs::remove(kernels[i].second, error);
}
} // namespace neml2::device
