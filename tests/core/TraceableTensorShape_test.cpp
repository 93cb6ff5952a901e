// SPDX-License-Identifier: MIT
#include "neml2/core/TraceableTensorShape.h"

#include "neml2/tensors/SR2.h"
#include "neml2/tensors/Scalar.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace TraceableTensorShape_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::error_of;
using test::printed;

TEST_CASE("a TraceableSize is a number", "[core][TraceableTensorShape]")
{
  const TraceableSize s = 3;
  const Size n = s;
  REQUIRE(n == 3);
  REQUIRE(s.concrete() == 3);
  REQUIRE(s.traceable() == nullptr);
  REQUIRE(s.as_tensor().item<int64_t>() == 3);
  REQUIRE(torch::equal(s.as_scalar(), torch::tensor(3)));
  REQUIRE(std::is_same_v<decltype(s.as_scalar()), Scalar>);
  REQUIRE(s * s == 9);
  const CScalar number = s;
  REQUIRE(number.equal(3));
  REQUIRE(torch::arange(s).size(0) == 3);
  const auto x = Scalar::ones({3});
  REQUIRE(torch::equal(x / x.batch_size(0), x / 3));
  REQUIRE(torch::equal(s * x, Scalar::full({3}, s)));
  REQUIRE(Scalar(s, x.options()).item<double>() == 3);
  REQUIRE(TraceableSize() == 0);
  REQUIRE(printed(s) == "3");
}

TEST_CASE("a TraceableSize compares with sizes and integers of any width",
          "[core][TraceableTensorShape]")
{
  const TraceableSize s = 3;
  REQUIRE(s == TraceableSize(3));
  REQUIRE(s != TraceableSize(4));
  REQUIRE(s == 3);
  REQUIRE(3 == s);
  REQUIRE(s != 4);
  REQUIRE(4 != s);
  REQUIRE(s == Size(3));
  REQUIRE(s == 3u);
  REQUIRE(s + 1 == 4);
  REQUIRE(s < 4);
}

TEST_CASE("a batch shape is made from whatever describes one", "[core][TraceableTensorShape]")
{
  const TensorShape expected{2, 3};
  const std::vector<Size> v{2, 3};
  REQUIRE(TraceableTensorShape(expected) == expected);
  REQUIRE(TraceableTensorShape(TensorShapeRef(v)) == expected);
  REQUIRE(TraceableTensorShape({2, 3}) == expected);
  REQUIRE(TraceableTensorShape(v) == expected);
  const std::array<Size, 2> a{2, 3};
  REQUIRE(TraceableTensorShape(a) == expected);
  const TraceableTensorShape shape = v;
  REQUIRE((shape == v && v == shape && shape == a && a == shape));
  REQUIRE_FALSE((shape != v || v != shape || shape != a || a != shape));
  REQUIRE(TraceableTensorShape(7) == TensorShape{7});
  REQUIRE(TraceableTensorShape(TraceableSize(7)) == TensorShape{7});
  REQUIRE(TraceableTensorShape().empty());
  REQUIRE(TraceableTensorShape(torch::tensor({2, 3}, torch::kInt64)) == expected);
  REQUIRE_THAT(error_of([] { TraceableTensorShape(torch::ones({2})); }),
               ContainsSubstring("1-d int64"));
}

TEST_CASE("a batch shape is a vector of sizes", "[core][TraceableTensorShape]")
{
  TraceableTensorShape s{2, 3};
  REQUIRE(s.size() == 2);
  REQUIRE(s[1] == 3);
  s.push_back(4);
  s.insert(s.begin(), TraceableSize(1));
  REQUIRE(s == TensorShape{1, 2, 3, 4});
  s.erase(s.begin() + 1);
  REQUIRE(s == TensorShape{1, 3, 4});
  Size sum = 0;
  for (const auto & n : s)
    sum += n;
  REQUIRE(sum == 8);
  REQUIRE(s.concrete() == TensorShape{1, 3, 4});
  REQUIRE(torch::equal(s.as_tensor(), torch::tensor({1, 3, 4}, torch::kInt64)));
  REQUIRE(TraceableTensorShape().as_tensor().numel() == 0);
}

TEST_CASE("batch shapes compare with shapes of every kind", "[core][TraceableTensorShape]")
{
  const TraceableTensorShape s{2, 3}, other{3, 2};
  const TensorShape same{2, 3}, different{2};
  REQUIRE(s == TraceableTensorShape(same));
  REQUIRE(s != other);
  REQUIRE(s == same);
  REQUIRE(same == s);
  REQUIRE(s != different);
  REQUIRE(different != s);
  REQUIRE(s == TensorShapeRef(same));
  REQUIRE(TensorShapeRef(same) == s);
  REQUIRE(s != TensorShapeRef(different));
  REQUIRE(TensorShapeRef(different) != s);
}

TEST_CASE("slicing a batch shape counts negative positions from its end",
          "[core][TraceableTensorShape]")
{
  const TraceableTensorShape s{2, 3, 4, 5};
  REQUIRE(s.slice(1) == TensorShape{3, 4, 5});
  REQUIRE(s.slice(4).empty());
  REQUIRE(s.slice(-1) == TensorShape{5});
  REQUIRE(s.slice(1, 3) == TensorShape{3, 4});
  REQUIRE(s.slice(-3, -1) == TensorShape{3, 4});
  REQUIRE(s.slice(2, 2).empty());
  REQUIRE(error_of([&] { s.slice(5); }) ==
          "TraceableTensorShape::slice: [5, 4) is not within the 4 sizes of the shape.");
  REQUIRE_THAT(error_of([&] { s.slice(3, 1); }), ContainsSubstring("[3, 1)"));
}

TEST_CASE("shapes print as lists", "[core][TraceableTensorShape]")
{
  REQUIRE(printed(TraceableTensorShape{1000, 2}) == "[1000, 2]");
  REQUIRE(printed(TraceableTensorShape()) == "[]");
  const auto s = SR2::zeros({1000, 2});
  REQUIRE(printed(s.batch_sizes()) + printed(s.base_sizes()) == "[1000, 2][6]");
}

TEST_CASE("a batch shape goes where torch expects sizes", "[core][TraceableTensorShape]")
{
  const auto s = SR2::zeros({4, 2});
  REQUIRE(torch::zeros(s.batch_sizes()).sizes() == TensorShape{4, 2});
  const auto shape = s.batch_sizes();
  REQUIRE(torch::zeros(shape).sizes() == TensorShape{4, 2});
  REQUIRE(TensorShape(s.batch_sizes()) == TensorShape{4, 2});
  REQUIRE(TensorShapeRef(s.batch_sizes()).vec() == std::vector<Size>{4, 2});
}

TEST_CASE("a reference to a returned batch shape or to its slice is valid while the tensor lives",
          "[core][TraceableTensorShape]")
{
  const auto s = SR2::zeros({7, 4, 2});
  const Size * const sizes = s.sizes().data();
  const TensorShapeRef r = s.batch_sizes(), last = s.batch_sizes().slice(1),
                       middle = s.batch_sizes().slice(0, -1).slice(1);
  REQUIRE((r.data() == sizes && r == TensorShape{7, 4, 2}));
  REQUIRE((last.data() == sizes + 1 && last == TensorShape{4, 2}));
  REQUIRE((middle.data() == sizes + 1 && middle == TensorShape{4}));
  const auto shape = s.batch_sizes();
  const TensorShapeRef of_shape = shape.slice(2);
  REQUIRE((of_shape.data() == sizes + 2 && of_shape == TensorShape{2}));
  const TraceableTensorShape copy(shape);
  REQUIRE((TensorShapeRef(copy).data() != sizes && copy.slice(1) == TensorShape{4, 2}));
}

namespace
{
TraceableTensorShape
shape_of_a_tensor_that_dies()
{
  return SR2::zeros({4, 2}).batch_sizes();
}
TraceableTensorShape
shape_of_a_vector_that_dies()
{
  const std::vector<Size> v(40, 1);
  return TensorShapeRef(v);
}
} // namespace

TEST_CASE("a batch shape outlives what it came from", "[core][TraceableTensorShape]")
{
  REQUIRE(torch::zeros(shape_of_a_tensor_that_dies()).sizes() == TensorShape{4, 2});
  REQUIRE(torch::zeros(shape_of_a_vector_that_dies()).dim() == 40);
  const auto shape = shape_of_a_tensor_that_dies();
  REQUIRE(TensorShapeRef(shape) == TensorShape{4, 2});
}

TEST_CASE("a changed batch shape is no longer the tensor's", "[core][TraceableTensorShape]")
{
  const auto s = SR2::zeros({4, 2});
  auto shape = s.batch_sizes();
  shape.push_back(5);
  REQUIRE(torch::zeros(std::move(shape)).sizes() == TensorShape{4, 2, 5});
  TraceableTensorShape copy;
  copy = s.batch_sizes();
  copy[0] = 7;
  REQUIRE(TensorShape(copy) == TensorShape{7, 2});
  auto same_length = s.batch_sizes();
  same_length[1] = 9;
  REQUIRE(torch::zeros(std::move(same_length)).sizes() == TensorShape{4, 9});
}
} // namespace TraceableTensorShape_test
