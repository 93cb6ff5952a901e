// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/device/libtorch_devices.h"

#include <string>

/// Images (compiled kernels) on disk.
namespace neml2::device
{
/**
 * Keeps images as files in a folder of this user, which many processes may share. A file that cannot be read counts as missing, and an
 * image whose file cannot be written is not kept.
 *
 * Programs run the code in the images. Therefore a folder or file that belongs to another user, or that others can write to, is not
 * used. For a folder, one warning says so. Only this user can read and write new files.
 *
 * A file ends with the digest of its contents, so that a file cut short by a full disk or a crash is not used. It is written under
 * another name and renamed, so that no process sees half of it. If there are more than `most` files, the least recently used
 * files are removed. All files are in a separate folder, `neml2-kernels`. This class touches nothing else in the folder of the cache.
 */
class KernelCache
{
public:
  static constexpr size_t most = 1000;

  /// Keeps images in this folder. If its name is empty, no image is kept.
  explicit KernelCache(std::string folder) : _folder(std::move(folder)) {}
  /// Keeps images in the folder that the environment variable NEML2_CACHE names. If it is not set, the folder is `neml2` in the user's
  /// folder of caches.
  KernelCache() : KernelCache(default_folder()) {}
  static std::string default_folder();

  const std::string & folder() const { return _folder; }
  /// The image with this key, which is a digest; empty if there is none.
  std::string find(const std::string & key) const;
  void keep(const std::string & key, const std::string & image) const;

private:
  std::string _folder;

  bool is_private() const;
  std::string place() const; ///< the folder of images, inside the folder of the cache
  std::string file(const std::string & key) const;
  void tidy() const;
};
} // namespace neml2::device

#ifndef NEML2_COMPILED // otherwise the compiled library defines these functions
#include "neml2/device/KernelCache-inl.h"
#endif
