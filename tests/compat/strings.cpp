// SPDX-License-Identifier: MIT
#include "neml2/misc/string_utils.h"

#include "neml2/tensors/SR2.h"

#include <typeinfo>

#include "support/catch.h"

using namespace neml2;
using namespace neml2::utils;

using Strings = std::vector<std::string>;

TEST_CASE("stringify gives what << prints, and words for bool", "[compat][strings]")
{
  REQUIRE(stringify(3) == "3");
  REQUIRE(stringify(2.5) == "2.5");
  REQUIRE(stringify("text") == "text");
  REQUIRE(stringify(true) == "true");
  REQUIRE(stringify(false) == "false");
  REQUIRE(stringify(SR2::zeros({4}).batch_sizes()) == "[4]");
  REQUIRE(stringify(kFloat64) == "Double");
}

TEST_CASE("stream_all streams its parts back to back", "[compat][strings]")
{
  std::ostringstream os;
  stream_all(os, "a", 1, ' ', 2.5);
  stream_all(os);
  REQUIRE(os.str() == "a1 2.5");
}

TEST_CASE("join and split are each other's inverse for pieces that are not empty",
          "[compat][strings]")
{
  REQUIRE(join({"a", "b", "c"}, ", ") == "a, b, c");
  REQUIRE(join({"a"}, ", ") == "a");
  REQUIRE(join({}, ", ").empty());
  REQUIRE(join({"", ""}, "/") == "/");
  REQUIRE(split("a/b/c", "/") == Strings{"a", "b", "c"});
  REQUIRE(split(join({"x", "yz"}, " "), " ") == Strings{"x", "yz"});
}

TEST_CASE("split takes any of the delimiters and drops empty pieces", "[compat][strings]")
{
  REQUIRE(split("/b/c", "/") == Strings{"b", "c"});
  REQUIRE(split("/", "/").empty());
  REQUIRE(split("", "/").empty());
  REQUIRE(split("a, b;;c ", ",; ") == Strings{"a", "b", "c"});
  REQUIRE(split("abc", "/") == Strings{"abc"});
}

TEST_CASE("trim removes characters from both ends only", "[compat][strings]")
{
  REQUIRE(trim("  a b\t\n") == "a b");
  REQUIRE(trim("a") == "a");
  REQUIRE(trim(" \t\n ").empty());
  REQUIRE(trim("").empty());
  REQUIRE(trim("--a-b-", "-") == "a-b");
}

TEST_CASE("start_with and end_with compare the ends", "[compat][strings]")
{
  REQUIRE(start_with("state/x", "state"));
  REQUIRE(start_with("a", ""));
  REQUIRE(!start_with("a", "ab"));
  REQUIRE(!start_with("ba", "a"));
  REQUIRE(end_with("state/x", "/x"));
  REQUIRE(end_with("a", ""));
  REQUIRE(!end_with("a", "ba"));
  REQUIRE(!end_with("ab", "a"));
}

TEST_CASE("demangle gives a type's name as it is written", "[compat][strings]")
{
  REQUIRE(demangle(typeid(int).name()) == "int");
  REQUIRE(demangle(typeid(SR2).name()) == "neml2::SR2");
  REQUIRE(demangle("no mangled name") == "no mangled name");
}

TEST_CASE("indentation is two blanks a level unless told otherwise", "[compat][strings]")
{
  REQUIRE(indentation(0).empty());
  REQUIRE(indentation(2) == "    ");
  REQUIRE(indentation(3, 1) == "   ");
  REQUIRE(indentation(-1).empty());
}
