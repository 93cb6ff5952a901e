// SPDX-License-Identifier: MIT
#include "neml2/core/TensorBase.h"

#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Vec.h"
#include "support/errors.h"

#include <torch/types.h>

#include "support/catch.h"

namespace TensorBase_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using test::described;
using test::error_of;
using test::printed;

namespace
{
/// SR2 (2, 5; 6) of 0, 1, 2, ...
SR2
counting()
{
  return SR2(torch::arange(60, kFloat64).reshape({2, 5, 6}));
}
} // namespace

TEST_CASE("a tensor tells its batch and base shape", "[core][TensorBase]")
{
  const auto C = SSR4::zeros({2, 5});
  REQUIRE(C.batched());
  REQUIRE(C.batch_dim() == 2);
  REQUIRE(C.base_dim() == 2);
  REQUIRE(C.batch_sizes() == TensorShape{2, 5});
  REQUIRE(C.base_sizes() == TensorShape{6, 6});
  REQUIRE(C.base_storage() == 36);
  REQUIRE(C.batch_size(0) == 2);
  REQUIRE(C.batch_size(-1) == 5);
  REQUIRE(C.base_size(-2) == 6);
  REQUIRE(Tensor::zeros({2}, {3, 4}).base_size(1) == 4);
  REQUIRE(!SSR4::zeros().batched());
  REQUIRE(SSR4::zeros().batch_sizes().empty());
  REQUIRE(Scalar::zeros({3}).base_sizes().empty());
  REQUIRE(Scalar::zeros({3}).base_storage() == 1);
}

TEST_CASE("a size outside its group is refused", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE(
      error_of([&] { s.batch_size(2); }) ==
      "batch_size: The dimension 2 is out of range for SR2 (2, 5; 6): expected one in [-2, 2).");
  REQUIRE_THAT(error_of([&] { s.batch_size(-3); }),
               ContainsSubstring("The dimension -3 is out of range"));
  REQUIRE_THAT(error_of([&] { s.base_size(1); }), ContainsSubstring("base_size: The dimension 1"));
  REQUIRE_THAT(error_of([&] { SR2::zeros().batch_size(0); }), ContainsSubstring("[0, 0)"));
}

TEST_CASE("copies have their own storage, views do not", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE(described(s.clone()) == "SR2 (2, 5; 6)");
  REQUIRE(s.clone().data_ptr() != s.data_ptr());
  REQUIRE(torch::equal(s.clone(), s));
  REQUIRE(s.batch_transpose(0, 1).clone().is_contiguous());
  REQUIRE(!s.batch_transpose(0, 1).clone(at::MemoryFormat::Preserve).is_contiguous());
  REQUIRE(s.contiguous().data_ptr() == s.data_ptr());
  REQUIRE(described(s.batch_transpose(0, 1).contiguous()) == "SR2 (5, 2; 6)");
  REQUIRE(s.batch_transpose(0, 1).contiguous().is_contiguous());
}

TEST_CASE("detach and variable_data share storage and leave the graph", "[core][TensorBase]")
{
  const auto s = SR2::ones({2}, default_tensor_options().requires_grad(true));
  const SR2 y = s * 2;
  REQUIRE(y.requires_grad());
  REQUIRE(!y.detach().requires_grad());
  REQUIRE(y.detach().data_ptr() == y.data_ptr());
  REQUIRE(described(y.detach()) == "SR2 (2; 6)");
  REQUIRE(!y.variable_data().requires_grad());
  REQUIRE(y.variable_data().data_ptr() == y.data_ptr());
  REQUIRE(std::is_same_v<decltype(y.variable_data()), SR2>);
}

TEST_CASE("to converts dtype and keeps the marking and the graph", "[core][TensorBase]")
{
  const auto s = counting();
  const SR2 f = s.to(kFloat32);
  REQUIRE(described(f) == "SR2 (2, 5; 6)");
  REQUIRE(f.scalar_type() == kFloat32);
  REQUIRE(s.to(kFloat64).data_ptr() == s.data_ptr());
  REQUIRE(s.to(TensorOptions().dtype(kInt64)).scalar_type() == kInt64);
  const auto x = SR2::ones({2}, default_tensor_options().requires_grad(true));
  REQUIRE(x.to(kFloat32).requires_grad());
  REQUIRE(s.to(Device("meta")).is_meta());
}

TEST_CASE("batch_expand makes sizes of 1 larger and adds dimensions on the left, as a view",
          "[core][TensorBase]")
{
  const auto s = counting().batch_index({indexing::Slice(), indexing::Slice(0, 1)}); // (2, 1; 6)
  REQUIRE(described(s.batch_expand({2, 4})) == "SR2 (2, 4; 6)");
  REQUIRE(described(s.batch_expand({3, 2, 4})) == "SR2 (3, 2, 4; 6)");
  REQUIRE(s.batch_expand({3, 2, 4}).data_ptr() == s.data_ptr());
  REQUIRE(torch::equal(s.batch_expand({3, 2, 4}), s.expand({3, 2, 4, 6})));
  REQUIRE(described(s.batch_expand(7, 1)) == "SR2 (2, 7; 6)");
  REQUIRE(described(s.batch_expand(7, -1)) == "SR2 (2, 7; 6)");
  REQUIRE(described(SR2::zeros().batch_expand({4})) == "SR2 (4; 6)");
  REQUIRE(described(s.batch_expand(TensorShape{2, 0})) == "SR2 (2, 0; 6)");
}

TEST_CASE("batch_expand refuses what does not fit", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE_THAT(error_of([&] { s.batch_expand({2, 4}); }), ContainsSubstring("batch_expand: "));
  REQUIRE_THAT(error_of([&] { s.batch_expand({5}); }), ContainsSubstring("batch_expand: "));
  REQUIRE_THAT(error_of([&] { SR2::zeros({6}).batch_expand({}); }),
               ContainsSubstring("batch_expand: "));
  REQUIRE_THAT(
      error_of([&] { s.batch_expand(3, 2); }),
      ContainsSubstring("batch_expand: The dimension 2 is out of range for SR2 (2, 5; 6)"));
}

TEST_CASE("base_expand inserts missing dimensions behind the batch", "[core][TensorBase]")
{
  const Tensor t(torch::arange(6, kFloat64).reshape({2, 3}), 1); // (2; 3)
  const auto e = t.base_expand({4, 3});
  REQUIRE(described(e) == "Tensor (2; 4, 3)");
  REQUIRE(torch::equal(e, t.unsqueeze(1).expand({2, 4, 3})));
  REQUIRE(e.data_ptr() == t.data_ptr());
  REQUIRE(described(Scalar::zeros({2}).base_expand({3, 3})) == "Tensor (2; 3, 3)");
  REQUIRE(described(Tensor::zeros({2}, {3, 1}).base_expand(5, -1)) == "Tensor (2; 3, 5)");
  REQUIRE(described(Tensor::zeros({2}, {1, 3}).base_expand(5, 0)) == "Tensor (2; 5, 3)");
  REQUIRE_THAT(error_of([&] { t.base_expand({4}); }), ContainsSubstring("base_expand: "));
  REQUIRE_THAT(error_of([&] { t.base_expand(2, 1); }),
               ContainsSubstring("base_expand: The dimension 1"));
  REQUIRE_THAT(error_of(
                   [&] {
                     Tensor::zeros({2}, {1, 3}).base_expand({3});
                   }),
               ContainsSubstring("base_expand: "));
}

TEST_CASE("expand_as uses one group of the other tensor only", "[core][TensorBase]")
{
  const auto s = SR2::ones({1});
  REQUIRE(described(s.batch_expand_as(SSR4::zeros({5, 3}))) == "SR2 (5, 3; 6)");
  REQUIRE(described(Scalar::ones({2}).base_expand_as(SSR4::zeros({5}))) == "Tensor (2; 6, 6)");
  REQUIRE(std::is_same_v<decltype(s.batch_expand_as(Scalar())), SR2>);
}

TEST_CASE("expand_copy has storage of its own", "[core][TensorBase]")
{
  const auto s = SR2::ones({1});
  auto c = s.batch_expand_copy({3});
  REQUIRE(described(c) == "SR2 (3; 6)");
  c.batch_index_put_({0}, 5);
  REQUIRE(c.sum().item<double>() == 42);
  REQUIRE(s.sum().item<double>() == 6);
  auto same = s.batch_expand_copy({1}); // nothing to expand: still a copy
  same.batch_index_put_({0}, 5);
  REQUIRE(s.sum().item<double>() == 6);
  const auto b = Scalar::ones({2}).base_expand_copy({3});
  REQUIRE((b.is_contiguous() && described(b) == "Tensor (2; 3)"));
}

TEST_CASE("reshape changes one group and keeps the other", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_reshape({10})) == "SR2 (10; 6)");
  REQUIRE(described(s.batch_reshape({5, 1, 2})) == "SR2 (5, 1, 2; 6)");
  REQUIRE(described(s.batch_reshape({-1})) == "SR2 (10; 6)");
  REQUIRE(described(SR2::zeros({1}).batch_reshape({})) == "SR2 (; 6)");
  REQUIRE(described(s.base_reshape({2, 3})) == "Tensor (2, 5; 2, 3)");
  REQUIRE(described(Scalar::zeros({2}).base_reshape({1, 1})) == "Tensor (2; 1, 1)");
  REQUIRE(s.batch_reshape({10}).data_ptr() == s.data_ptr());
  REQUIRE(torch::equal(s.base_reshape({2, 3}), s.reshape({2, 5, 2, 3})));
  const auto t = s.batch_transpose(0, 1).batch_reshape({10}); // copies where needed
  REQUIRE(torch::equal(t.batch_index({1}), s.batch_index({1, 0})));
  REQUIRE_THAT(error_of([&] { s.batch_reshape({11}); }), ContainsSubstring("batch_reshape: "));
  REQUIRE_THAT(error_of([&] { s.base_reshape({4}); }), ContainsSubstring("base_reshape: "));
}

TEST_CASE("unsqueeze inserts within its group, -1 at the group's end", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_unsqueeze(-1)) == "SR2 (2, 5, 1; 6)");
  REQUIRE(described(s.batch_unsqueeze(0)) == "SR2 (1, 2, 5; 6)");
  REQUIRE(described(s.batch_unsqueeze(2)) == "SR2 (2, 5, 1; 6)");
  REQUIRE(described(s.batch_unsqueeze(-3)) == "SR2 (1, 2, 5; 6)");
  const auto r = R2::zeros({2, 5});
  REQUIRE(described(r.batch_unsqueeze(-2)) == "R2 (2, 1, 5; 3, 3)");
  REQUIRE(described(r.base_unsqueeze(-2)) == "Tensor (2, 5; 3, 1, 3)");
  REQUIRE(described(r.base_unsqueeze(0)) == "Tensor (2, 5; 1, 3, 3)");
  REQUIRE(described(r.base_unsqueeze(-1)) == "Tensor (2, 5; 3, 3, 1)");
  REQUIRE(described(Scalar::zeros().batch_unsqueeze(0)) == "Scalar (1;)");
  REQUIRE(described(Scalar::zeros({2}).base_unsqueeze(0)) == "Tensor (2; 1)");
  REQUIRE(s.batch_unsqueeze(0).data_ptr() == s.data_ptr());
  REQUIRE(error_of([&] { s.batch_unsqueeze(3); }) ==
          "batch_unsqueeze: The dimension 3 is out of range for SR2 (2, 5; 6): expected one in "
          "[-3, 3).");
  REQUIRE_THAT(error_of([&] { s.base_unsqueeze(-3); }),
               ContainsSubstring("base_unsqueeze: The dimension -3"));
}

TEST_CASE("unsqueeze inserts as many dimensions as asked for", "[core][TensorBase]")
{
  const auto r = R2::zeros({2, 5});
  REQUIRE(described(r.batch_unsqueeze(0, 2)) == "R2 (1, 1, 2, 5; 3, 3)");
  REQUIRE(described(r.batch_unsqueeze(-1, 3)) == "R2 (2, 5, 1, 1, 1; 3, 3)");
  REQUIRE(described(r.batch_unsqueeze(1, 0)) == "R2 (2, 5; 3, 3)");
  REQUIRE(described(r.base_unsqueeze(1, 2)) == "Tensor (2, 5; 3, 1, 1, 3)");
  REQUIRE(described(Scalar::zeros({0}).base_unsqueeze(-1, 2)) == "Tensor (0; 1, 1)");
  REQUIRE(error_of([&] { r.batch_unsqueeze(0, -1); }) ==
          "batch_unsqueeze: cannot insert -1 dimensions into R2 (2, 5; 3, 3). Expected between 0 "
          "and 64.");
  REQUIRE_THAT(error_of([&] { r.base_unsqueeze(0, Size(1) << 31); }),
               ContainsSubstring("cannot insert 2147483648 dimensions"));
}

TEST_CASE("squeeze removes one dimension, of size 1 only", "[core][TensorBase]")
{
  const auto s = SR2::ones({1, 5, 1});
  REQUIRE(described(s.batch_squeeze(0)) == "SR2 (5, 1; 6)");
  REQUIRE(described(s.batch_squeeze(-1)) == "SR2 (1, 5; 6)");
  REQUIRE(s.batch_squeeze(0).data_ptr() == s.data_ptr());
  const auto t = Tensor::ones({1}, {1, 3});
  REQUIRE(described(t.base_squeeze(0)) == "Tensor (1; 3)");
  REQUIRE(error_of([&] { s.batch_squeeze(1); }) ==
          "batch_squeeze: dimension 1 of SR2 (1, 5, 1; 6) has the size 5; only a dimension of size "
          "1 can be removed. Choose an entry by index, or sum over it.");
  REQUIRE_THAT(error_of([&] { t.base_squeeze(-1); }), ContainsSubstring("has the size 3"));
  REQUIRE_THAT(error_of([&] { SR2::ones({0}).batch_squeeze(0); }),
               ContainsSubstring("has the size 0"));
  REQUIRE_THAT(error_of([&] { s.batch_squeeze(3); }),
               ContainsSubstring("batch_squeeze: The dimension 3 is out of range"));
  REQUIRE_THAT(error_of([&] { t.base_squeeze(2); }),
               ContainsSubstring("base_squeeze: The dimension 2 is out of range"));
}

TEST_CASE("movedim moves one dimension within its group", "[core][TensorBase]")
{
  const SR2 s(torch::rand({2, 5, 3, 6}));
  REQUIRE(described(s.batch_movedim(0, -1)) == "SR2 (5, 3, 2; 6)");
  REQUIRE(torch::equal(s.batch_movedim(0, -1), s.movedim(0, 2)));
  const Tensor t(torch::rand({4, 2, 3, 5}), 1);
  REQUIRE(described(t.base_movedim(-1, 0)) == "Tensor (4; 5, 2, 3)");
  REQUIRE(torch::equal(t.base_movedim(-1, 0), t.movedim(3, 1)));
  REQUIRE_THAT(error_of([&] { s.batch_movedim(0, 3); }),
               ContainsSubstring("batch_movedim: The dimension 3 is out of range"));
  REQUIRE_THAT(error_of([&] { t.base_movedim(-4, 0); }),
               ContainsSubstring("base_movedim: The dimension -4 is out of range"));
}

TEST_CASE("transpose swaps two dimensions of its group", "[core][TensorBase]")
{
  const auto s = counting();
  REQUIRE(described(s.batch_transpose(0, 1)) == "SR2 (5, 2; 6)");
  REQUIRE(torch::equal(s.batch_transpose(0, -1), s.movedim(0, 1)));
  const auto t = Tensor(torch::rand({4, 2, 3}), 1);
  REQUIRE(described(t.base_transpose(0, 1)) == "Tensor (4; 3, 2)");
  REQUIRE(torch::equal(t.base_transpose(-1, -2), t.transpose(1, 2)));
  REQUIRE_THAT(
      error_of([&] { s.batch_transpose(0, 2); }),
      ContainsSubstring("batch_transpose: The dimension 2 is out of range for SR2 (2, 5; 6)"));
  REQUIRE_THAT(error_of([&] { s.base_transpose(0, 1); }),
               ContainsSubstring("base_transpose: The dimension 1"));
}

TEST_CASE("base_flatten gives one base dimension", "[core][TensorBase]")
{
  REQUIRE(described(SSR4::zeros({4}).base_flatten()) == "Tensor (4; 36)");
  REQUIRE(described(SR2::zeros({4}).base_flatten()) == "Tensor (4; 6)");
  REQUIRE(described(Scalar::zeros({4}).base_flatten()) == "Tensor (4; 1)");
  REQUIRE(described(SSR4::zeros({0}).base_flatten()) == "Tensor (0; 36)");
  const auto C = SSR4(torch::rand({2, 6, 6}));
  REQUIRE(torch::equal(C.base_flatten(), C.reshape({2, 36})));
}

TEST_CASE("flatten joins neighbouring dimensions of a group", "[core][TensorBase]")
{
  const Tensor t(torch::rand({4, 2, 3, 5}), 1);
  REQUIRE(described(t.base_flatten(0, 1)) == "Tensor (4; 6, 5)");
  REQUIRE(described(t.base_flatten(1)) == "Tensor (4; 2, 15)");
  REQUIRE(described(t.base_flatten(-1, -1)) == "Tensor (4; 2, 3, 5)");
  REQUIRE(torch::equal(t.base_flatten(1, 2), t.reshape({4, 2, 15})));
  REQUIRE(described(counting().batch_flatten()) == "SR2 (10; 6)");
  REQUIRE(torch::equal(counting().batch_flatten(), counting().reshape({10, 6})));
  REQUIRE(described(SR2::zeros().batch_flatten()) == "SR2 (1; 6)");
  REQUIRE(described(SR2::zeros({0, 3}).batch_flatten()) == "SR2 (0; 6)");
  REQUIRE_THAT(error_of([&] { t.base_flatten(2, 1); }),
               ContainsSubstring("base_flatten: the dimensions 2 to 1 of Tensor (4; 2, 3, 5)"));
  REQUIRE_THAT(error_of([&] { t.base_flatten(0, 3); }),
               ContainsSubstring("base_flatten: The dimension 3 is out of range"));
  REQUIRE_THAT(error_of([&] { Scalar::zeros({4}).base_flatten(0, 0); }),
               ContainsSubstring("base_flatten: The dimension 0 is out of range"));
}

TEST_CASE("writing through a view changes the original", "[core][TensorBase]")
{
  const auto s = SR2::zeros({2, 5});
  s.batch_transpose(0, 1).batch_unsqueeze(0).fill_(1);
  REQUIRE(s.sum().item<double>() == 60);
  s.base_reshape({2, 3}).base_transpose(0, 1).zero_();
  REQUIRE(s.sum().item<double>() == 0);
}

TEST_CASE("an undefined tensor is refused by name of the operation", "[core][TensorBase]")
{
  const SR2 u;
  const auto says = [](const std::string & operation, const std::string & message)
  {
    return message ==
           operation + ": undefined tensor: an operand of type SR2 has no value. Assign it first.";
  };
  REQUIRE(says("batch_expand", error_of([&] { u.batch_expand({2}); })));
  REQUIRE(says("base_expand", error_of([&] { u.base_expand({2}); })));
  REQUIRE(says("batch_reshape", error_of([&] { u.batch_reshape({2}); })));
  REQUIRE(says("base_reshape", error_of([&] { u.base_reshape({2}); })));
  REQUIRE(says("batch_unsqueeze", error_of([&] { u.batch_unsqueeze(0); })));
  REQUIRE(says("base_unsqueeze", error_of([&] { u.base_unsqueeze(0); })));
  REQUIRE(says("batch_transpose", error_of([&] { u.batch_transpose(0, 1); })));
  REQUIRE(says("base_transpose", error_of([&] { u.base_transpose(0, 1); })));
  REQUIRE(says("base_flatten", error_of([&] { u.base_flatten(); })));
  REQUIRE(says("batch_squeeze", error_of([&] { u.batch_squeeze(0); })));
  REQUIRE(says("base_squeeze", error_of([&] { u.base_squeeze(0); })));
  REQUIRE(says("batch_movedim", error_of([&] { u.batch_movedim(0, 1); })));
  REQUIRE(says("base_movedim", error_of([&] { u.base_movedim(0, 1); })));
  REQUIRE(says("batch_flatten", error_of([&] { u.batch_flatten(); })));
  REQUIRE(says("batch_slice", error_of([&] { u.batch_slice(0, indexing::Slice()); })));
  REQUIRE(says("base_slice", error_of([&] { u.base_slice(0, indexing::Slice()); })));
  REQUIRE(says("batch_index", error_of([&] { u.batch_index({}); })));
  REQUIRE(says("base_index", error_of([&] { u.base_index({}); })));
  REQUIRE(says("batch_size", error_of([&] { u.batch_size(0); })));
  REQUIRE(says("base_size", error_of([&] { u.base_size(0); })));
  REQUIRE(says("-", error_of([&] { -u; })));
  REQUIRE(says("clone", error_of([&] { u.clone(); })));
  REQUIRE(says("to", error_of([&] { u.to(kFloat32); })));
  REQUIRE(says("contiguous", error_of([&] { u.contiguous(); })));
  REQUIRE(says("detach", error_of([&] { u.detach(); })));
}

TEST_CASE("the shape of an undefined tensor is empty, not an error", "[core][TensorBase]")
{
  const SR2 u;
  REQUIRE(u.batch_sizes().empty());
  REQUIRE(u.base_sizes().empty());
}

TEST_CASE("a tensor prints its type, shape, dtype and device, then its values",
          "[core][TensorBase]")
{
  const auto first_line = [](const std::string & s) { return s.substr(0, s.find('\n')); };
  REQUIRE(first_line(printed(SR2::zeros({1000, 2}))) == "SR2 (1000, 2; 6) float64 cpu");
  REQUIRE(first_line(printed(SR2::zeros(kFloat32))) == "SR2 (; 6) float32 cpu");
  REQUIRE(first_line(printed(Scalar::zeros({3}, kInt64))) == "Scalar (3;) int64 cpu");
  REQUIRE(first_line(printed(Scalar::zeros(c10::kBool))) == "Scalar (;) bool cpu");
  REQUIRE(first_line(printed(Tensor::zeros({2}, {3, 4}))) == "Tensor (2; 3, 4) float64 cpu");
  REQUIRE(printed(SR2()) == "SR2 undefined");
  const auto v = Vec::fill(1, 2, 3);
  REQUIRE(printed(v) == "Vec (; 3) float64 cpu\n" + printed(static_cast<const at::Tensor &>(v)));
  const std::string z = printed(Scalar::full({2}, c10::complex<double>(1, 2), c10::kComplexDouble));
  REQUIRE(first_line(z) == "Scalar (2;) complex128 cpu");
  REQUIRE(z.find("1  2") != z.npos);
}

TEST_CASE("linspace has its steps along a new batch dimension", "[core][TensorBase]")
{
  const auto k = Scalar::linspace(Scalar::full(0.0), Scalar::full(1.0), 101);
  REQUIRE(described(k) == "Scalar (101;)");
  for (Size i : {0, 1, 50, 100})
    REQUIRE(std::abs(k.batch_index({i}).item<double>() - double(i) / 100) < 1e-15);
  const auto start = Tensor::zeros({3, 2}, {5, 5}), end = Tensor::ones({3, 1}, {5, 5});
  REQUIRE(described(Tensor::linspace(start, end, 100, 1)) == "Tensor (3, 100, 2; 5, 5)");
  REQUIRE(described(Tensor::linspace(start, end, 100, 0)) == "Tensor (100, 3, 2; 5, 5)");
  REQUIRE(described(Tensor::linspace(start, end, 100, -1)) == "Tensor (3, 2, 100; 5, 5)");
  REQUIRE(
      torch::equal(SR2::linspace(SR2::full(3), SR2::full(9), 1), torch::full({1, 6}, 3, kFloat64)));
}

TEST_CASE(
    "linspace is start + (end - start) k / (nstep - 1) for operands of different batch dimensions",
    "[core][TensorBase]")
{
  const Scalar a(torch::rand({4, 1, 2}, kFloat64)), b(torch::rand({3, 1}, kFloat64));
  for (const Size dim : {0, 1, 2, 3, -1, -4})
  {
    const auto r = Scalar::linspace(a, b, 5, dim);
    const auto s = a.expand({4, 3, 2}), e = b.expand({4, 3, 2});
    REQUIRE(r.batch_dim() == 4);
    const auto slices = r.unbind(dim < 0 ? dim + 4 : dim);
    REQUIRE(slices.size() == 5);
    for (int k = 0; k < 5; k++)
      REQUIRE(torch::allclose(slices[size_t(k)], s + (e - s) * (k / 4.0), 1e-14, 1e-14));
  }
}

TEST_CASE("logspace is the base to the power of linspace", "[core][TensorBase]")
{
  const auto q = Scalar::logspace(Scalar::full(0.0), Scalar::full(3.0), 4);
  REQUIRE(torch::allclose(q, torch::tensor({1., 10., 100., 1000.}, kFloat64)));
  const auto p = Scalar::logspace(Scalar::zeros({2}), Scalar::full({2}, 3), 4, 1, 2);
  REQUIRE(described(p) == "Scalar (2, 4;)");
  REQUIRE(torch::allclose(p, torch::tensor({1., 2., 4., 8.}, kFloat64).expand({2, 4})));
}

TEST_CASE("linspace can be differentiated by both ends", "[core][TensorBase][autograd]")
{
  const auto o = default_tensor_options().requires_grad(true);
  const auto a = Scalar::full(1.0, o), b = Scalar::full(2.0, o);
  Scalar::linspace(a, b, 5).sum().backward();
  REQUIRE(std::abs(a.grad().item<double>() - 2.5) < 1e-14);
  REQUIRE(std::abs(b.grad().item<double>() - 2.5) < 1e-14);
}

TEST_CASE("linspace refuses what has no meaning", "[core][TensorBase]")
{
  const auto a = Scalar::zeros(), b = Scalar::ones();
  REQUIRE(error_of([&] { (void)Scalar::linspace(a, b, 0); }) ==
          "linspace: expected at least one step, got 0.");
  REQUIRE_THAT(error_of([&] { (void)Scalar::linspace(Scalar::zeros({2}), Scalar::zeros({3}), 4); }),
               ContainsSubstring("linspace: batch shapes [2] and [3] do not broadcast"));
  REQUIRE_THAT(
      error_of([&] { (void)Scalar::linspace(a, b, 4, 1); }),
      ContainsSubstring("linspace: The dimension 1 is out of range for the batch shape []: "
                        "expected a position to insert at in [-1, 0]"));
  REQUIRE_THAT(error_of([&] { (void)Scalar::linspace(a.to(kInt64), b.to(kInt64), 4); }),
               ContainsSubstring("linspace: not defined for dtype int64"));
  REQUIRE_THAT(error_of([&] { (void)Scalar::linspace(a, b.to(kFloat32), 4); }),
               ContainsSubstring("linspace: operands of different dtypes"));
  REQUIRE_THAT(error_of([&] { (void)Scalar::linspace(a, Scalar(), 4); }),
               ContainsSubstring("linspace: undefined tensor"));
}

TEST_CASE("unary minus keeps type and batch", "[core][TensorBase]")
{
  const auto s = counting();
  const auto m = -s;
  REQUIRE(std::is_same_v<decltype(-s), SR2>);
  REQUIRE(described(m) == "SR2 (2, 5; 6)");
  REQUIRE(torch::equal(m, torch::arange(60, kFloat64).reshape({2, 5, 6}) * -1));
}
} // namespace TensorBase_test
