// SPDX-License-Identifier: MIT
#pragma once

#include "neml2/engine/libtorch_devices.h"

#include <string>

/// Images of kernels on disk.
namespace neml2::engine
{
/**
 * Files in a folder of this user, which many processes share. A file that cannot be read counts as missing, and one that cannot be written
 * is left out.
 *
 * Images are programs that are loaded. So a folder or file that belongs to another user, or that others can write, is not used; a
 * warning says so once. Only this user can read and write new files.
 *
 * A file ends with the digest of its contents: a file that a full disk or a crash cut short is not used. It is written under
 * another name and renamed, so that no process sees half of it. Beyond `most` files, those unused for longest are removed. All are
 * in a folder of their own, `neml2-kernels`: everything else in the folder of the cache is the user's, and is never touched.
 */
class KernelCache
{
public:
  static constexpr size_t most = 1000;

  /// In this folder; if it is empty, nothing is kept.
  explicit KernelCache(std::string folder) : _folder(std::move(folder)) {}
  /// In the folder that NEML2_CACHE of the environment names; otherwise in the folder neml2 of the user's
  /// folder of caches.
  KernelCache() : KernelCache(default_folder()) {}
  static std::string default_folder();

  const std::string & folder() const { return _folder; }
  /// The image of this key, a digest; empty if there is none.
  std::string find(const std::string & key) const;
  void keep(const std::string & key, const std::string & image) const;

private:
  std::string _folder;

  bool is_private() const;
  std::string place() const; ///< the folder of images in that of the cache
  std::string file(const std::string & key) const;
  void tidy() const;
};
} // namespace neml2::engine

#ifndef NEML2_COMPILED // else the library has the bodies
#include "neml2/engine/KernelCache-inl.h"
#endif
