// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

/// Files and folders that no other user can write to.
namespace neml2::device
{
/// The reason why another user could write to a file or folder; empty if no other user can, or if the file does not exist. On Windows
/// nothing is checked, because a user's folders are private.
inline std::string
why_not_private([[maybe_unused]] const std::string & path)
{
#ifndef _WIN32
  struct stat found;
  if (::stat(path.c_str(), &found) != 0)
    return {};
  if (found.st_uid != ::geteuid())
    return "belongs to another user";
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return "can be written by others (chmod go-w)";
#endif
  return {};
}
} // namespace neml2::device
