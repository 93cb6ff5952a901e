// SPDX-License-Identifier: MIT
#include "neml2/device/KernelCache.h"

#include "support/environment.h"
#include "support/warnings.h"

#include <array>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"

namespace KernelCache_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using device::KernelCache;

const std::string own = "/neml2-kernels"; // the folder of images

TEST_CASE("Images are kept under their keys", "[engine][device]")
{
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path() + "/a/b");
  REQUIRE(cache.find("key").empty());
  const std::string image("a\0b\n", 4);
  cache.keep("key", image);
  REQUIRE(cache.find("key") == image);
  REQUIRE(KernelCache(cache.folder()).find("key") == image);
  REQUIRE(cache.find("other").empty());
  cache.keep("key", "another");
  REQUIRE(cache.find("key") == "another");
}

TEST_CASE("Incomplete files count as missing", "[engine][device]")
{
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  cache.keep("key", "the image of a kernel");
  folder.each(
      [&](const std::string & file)
      {
        const std::string all = test::read(file);
        for (size_t n = 0; n < all.size(); n++)
        {
          test::write(file, all.substr(0, n));
          REQUIRE(cache.find("key").empty());
        }
        std::string other = all;
        other[3]++;
        test::write(file, other);
        REQUIRE(cache.find("key").empty());
        test::write(file, all);
        REQUIRE(cache.find("key") == "the image of a kernel");
      });
}

TEST_CASE("Of many images those go that were not used for longest", "[engine][device]")
{
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  cache.keep("first", "image");
  const auto now = fs::file_time_type::clock::now();
  folder.each([&](const std::string & file)
              { fs::last_write_time(file, now - std::chrono::hours(30)); });
  for (size_t i = 1; i < KernelCache::most; i++)
    fs::copy_file(folder.path() + own + "/kernel-first.kernel",
                  folder.path() + own + "/kernel-" + std::to_string(i) + ".kernel");
  fs::last_write_time(folder.path() + own + "/kernel-5.kernel", now - std::chrono::hours(20));
  test::write(folder.path() + own + "/unfinished-1", "of a process that was killed");
  test::write(folder.path() + own + "/unfinished-2", "of one that is writing");
  test::write(folder.path() + own + "/mine", "of somebody else");
  fs::last_write_time(folder.path() + own + "/unfinished-1", now - std::chrono::hours(30));
  fs::last_write_time(folder.path() + own + "/mine", now - std::chrono::hours(30));
  REQUIRE(cache.find("first") == "image"); // used now
  cache.keep("last", "image");
  REQUIRE(cache.find("5").empty());
  REQUIRE(cache.find("first") == "image");
  REQUIRE(cache.find("last") == "image");
  REQUIRE(folder.files() == KernelCache::most + 2);
  REQUIRE(test::read(folder.path() + own + "/unfinished-1").empty());
  REQUIRE(test::read(folder.path() + own + "/mine") == "of somebody else");
}

TEST_CASE("Whatever else is in the folder of the cache is never touched", "[engine][device]")
{
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  cache.keep("first", "image");
  std::vector<std::string> of_the_user;
  for (const std::string & place : {folder.path(), folder.path() + own})
    for (const char * const name :
         {"/new-1", "/new-data", "/unfinished-thesis", "/mine.kernel", "/linux.kernel", "/a.so"})
    {
      of_the_user.push_back(place + name);
      test::write(of_the_user.back(), "of the user");
      fs::last_write_time(of_the_user.back(),
                          fs::file_time_type::clock::now() - std::chrono::hours(1000));
    }
  for (size_t i = 0; i < KernelCache::most; i++)
    fs::copy_file(folder.path() + own + "/kernel-first.kernel",
                  folder.path() + own + "/kernel-" + std::to_string(i) + ".kernel");
  cache.keep("last", "image");
  for (const std::string & file : of_the_user)
    REQUIRE(test::read(file) == "of the user");
}

TEST_CASE("A folder that cannot be written does no harm", "[engine][device]")
{
  const test::TemporaryFolder folder;
  test::write(folder.path() + "/file", "");
  for (const std::string & where : {folder.path() + "/file/below", std::string()})
  {
    const KernelCache cache(where);
    cache.keep("key", "image");
    REQUIRE(cache.find("key").empty());
  }
}

TEST_CASE("A folder or file that others can write is not used", "[engine][device]")
{
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  const test::Warnings warnings;
  cache.keep("key", "image");
  for (const auto who : {fs::perms::group_write, fs::perms::others_write})
  {
    fs::permissions(folder.path(), fs::perms::owner_all | who);
    REQUIRE(cache.find("key").empty());
    cache.keep("another", "image");
    REQUIRE(folder.files() == 1);
  }
  REQUIRE(warnings.messages.size() == 1);
  REQUIRE_THAT(warnings.messages[0],
               ContainsSubstring(folder.path() + ", which can be written by others") &&
                   ContainsSubstring("NEML2_CACHE"));
  fs::permissions(folder.path(), fs::perms::owner_all);
  REQUIRE(cache.find("key") == "image");
  fs::permissions(folder.path() + own + "/kernel-key.kernel", fs::perms::all);
  REQUIRE(cache.find("key").empty());
  cache.keep("key", "image");
  REQUIRE(cache.find("key") == "image");
}

TEST_CASE("A folder of another user is not used", "[engine][device]")
{
  const test::TemporaryFolder folder;
  KernelCache(folder.path()).keep("key", "image");
  const bool is_root = geteuid() == 0;
  const std::string of_another = is_root ? folder.path() : "/usr";
  if (is_root)
    REQUIRE(chown(folder.path().c_str(), 12345, gid_t(-1)) == 0);
  const test::Warnings warnings;
  const KernelCache cache(of_another);
  REQUIRE(cache.find("key").empty());
  cache.keep("another", "image");
  REQUIRE(folder.files() == 1);
  REQUIRE(warnings.messages.size() == 1);
  REQUIRE_THAT(warnings.messages[0],
               ContainsSubstring(of_another + ", which belongs to another user"));
}

TEST_CASE("New files are for this user alone", "[engine][device]")
{
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path() + "/kernels");
  const mode_t before = umask(0);
  cache.keep("key", "image");
  umask(before);
  REQUIRE(fs::status(cache.folder()).permissions() == fs::perms::owner_all);
  REQUIRE(fs::status(cache.folder() + own).permissions() == fs::perms::owner_all);
  REQUIRE(fs::status(cache.folder() + own + "/kernel-key.kernel").permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("Threads may write the same image at once", "[engine][device]")
{
  const test::TemporaryFolder folder;
  const KernelCache cache(folder.path());
  const std::string image(100000, 'x');
  std::vector<std::thread> threads;
  std::array<int, 4> found{};
  for (int & n : found)
    threads.emplace_back(
        [&]
        {
          for (int k = 0; k < 20; k++)
          {
            cache.keep("key", image);
            n += cache.find("key") == image;
          }
        });
  for (auto & t : threads)
    t.join();
  REQUIRE(found == std::array<int, 4>{20, 20, 20, 20});
  REQUIRE(cache.find("key") == image);
  REQUIRE(folder.files() == 1);
}

TEST_CASE("The folder of the cache is that of compiled formulas", "[engine][device]")
{
  {
    const test::Variable chosen("NEML2_CACHE", "/own");
    REQUIRE(KernelCache::default_folder() == "/own");
  }
  const test::Variable none("NEML2_CACHE", ""), home("HOME", "/home/me");
  {
    const test::Variable caches("XDG_CACHE_HOME", "/caches");
    REQUIRE(KernelCache::default_folder() == "/caches/neml2");
  }
  const test::Variable caches("XDG_CACHE_HOME", "");
  REQUIRE(KernelCache::default_folder() == "/home/me/.cache/neml2");
}
} // namespace KernelCache_test
