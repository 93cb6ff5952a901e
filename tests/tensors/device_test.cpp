// SPDX-License-Identifier: MIT
#include "support/device.h"

#include "neml2/neml2.h"
#include "support/errors.h"
#include "support/labels.h"

#include "support/catch.h"

/// Factories, conversions, indexing and labels on a device.
namespace device_test
{
using namespace neml2;
using Catch::Matchers::ContainsSubstring;
using indexing::None;
using indexing::Slice;
using test::Arguments;
using test::device;
using test::error_of;
using test::same_on_device;
using Names = std::set<std::string>;

namespace
{
at::Tensor
random(at::IntArrayRef shape)
{
  return at::rand(shape, kFloat64).add(0.5);
}

/// f gives the same results on the device of its options as on the CPU.
template <class F>
test::Verdict
made_on_device(const F & f, const Names & waits = {})
{
  return same_on_device([&](const Arguments & a) { return Arguments(f(a[0].options())); },
                        {at::zeros({}, kFloat64)},
                        waits);
}

/// Sets the default device until the end of the scope.
struct DefaultDevice
{
  explicit DefaultDevice(Device d) : before(std::exchange(default_device(), d)) {}
  ~DefaultDevice() { default_device() = before; }
  Device before;
};
} // namespace

TEMPLATE_LIST_TEST_CASE("Factories and conversions of each type are the same on a device",
                        "[tensors][cuda]",
                        tensors::FixedTypes)
{
  using T = TestType;
  const auto made = [](const TensorOptions & o)
  {
    const T ones = T::ones({2, 1}, o);
    const auto empty = T::empty({3}, o);
    empty.zero_();
    return Arguments{ones,
                     empty,
                     T::zeros({0}, o),
                     T::full({3}, 2.5, o),
                     T::full_like(ones, 3),
                     T::zeros_like(ones),
                     ones.batch_expand({2, 4}).clone(),
                     ones.to(o.dtype(kFloat32)),
                     Tensor(ones),
                     T(Tensor(ones))};
  };
  REQUIRE(made_on_device(made));
  const TensorOptions there = TensorOptions(kFloat64).device(device());
  REQUIRE(T::rand({2}, {}, there).device() == device());
  REQUIRE(T::zeros({2}).to(there).device() == device());
  REQUIRE(T::zeros({2}, there).to(device()).device() == device());
  REQUIRE(at::equal(T::ones({2}, there).to(kCPU), T::ones({2})));
  const DefaultDevice everything(device());
  REQUIRE(T::zeros({2}).device() == device());
}

TEST_CASE("Constants are the same on a device", "[tensors][cuda]")
{
  REQUIRE(made_on_device(
      [](const TensorOptions & o)
      {
        return Arguments{R2::identity(o),
                         R2::identity_map(o),
                         SR2::identity(o),
                         SR2::identity_map(o),
                         SSR4::identity(o),
                         SSR4::identity_sym(o),
                         SSR4::identity_vol(o),
                         SSR4::identity_dev(o),
                         SSR4::identity_C1(o),
                         SSR4::identity_C2(o),
                         SSR4::identity_C3(o),
                         R3::levi_civita(o),
                         Rot::identity(o),
                         Rot::identity_map(o),
                         Vec::identity_map(o),
                         WR2::identity_map(o),
                         WWR4::identity(o),
                         Scalar::identity_map(o)};
      }));
}

TEST_CASE("Tensors of given numbers are the same on a device", "[tensors][cuda]")
{
  REQUIRE(made_on_device(
      [](const TensorOptions & o)
      {
        return Arguments{Scalar::create({1, 2, 3}, o),
                         Vec::fill(1, 2, 3, o),
                         SR2::fill(1, 2, 3, 4, 5, 6, o),
                         R2::fill(1, 2, 3, o),
                         Rot::fill(0.1, 0.2, 0.3, o),
                         WR2::fill(1, 2, 3, o),
                         Quaternion::fill(1, 0, 0, 0, o),
                         SSR4::isotropic_E_nu(1, 0.3, o),
                         SSR4::isotropic_K_G(1, 0.3, o),
                         SSR4::cubic(3, 1, 1, o),
                         crystallography::symmetry("432", o)};
      }));
  REQUIRE(Rot::rand({5}, {}, TensorOptions(kFloat64).device(device())).device() == device());
}

TEST_CASE("Views and indices are the same on a device", "[tensors][cuda]")
{
  const auto f = [](const Arguments & a)
  {
    const SR2 s(a[0]);
    SR2 written = s.clone();
    written.batch_index_put_({Slice(0, 2), 1}, SR2(a[0]).batch_index({2, 0}));
    written.batch_index_put_({3}, 1.5);
    written.base_index_put_({Slice(3, 6)}, 0.0);
    return Arguments{s.batch_index({Slice(1, 4, 2), None, 2}),
                     s.batch_reshape({-1}),
                     s.batch_transpose(0, 1).contiguous(),
                     s.batch_flatten(),
                     s.batch_unsqueeze(1).batch_expand(3, 1),
                     s.base_index({0}),
                     s(0, 1),
                     R2(s),
                     written};
  };
  REQUIRE(same_on_device(f, {random({4, 3, 6})}));
}

TEST_CASE("An index with a mask waits for the device, others do not", "[tensors][cuda]")
{
  const Arguments a{random({4, 3, 6}), at::tensor({2, 0, 1}, at::kLong)};
  REQUIRE(same_on_device(
      [](const Arguments & x) { return Arguments{SR2(x[0]).batch_index({x[1]})}; }, a));
  REQUIRE(same_on_device([](const Arguments & x)
                         { return Arguments{SR2(x[0]).batch_index({x[0].select(-1, 0) > 1.0})}; },
                         a,
                         {"aten::index", "aten::nonzero"}));
}

TEST_CASE("A table in tensors waits for the device, one of numbers does not", "[tensors][cuda]")
{
  const Arguments a{random({4}), at::tensor({0.0, 1.0, 3.0}, kFloat64), random({3})};
  REQUIRE(same_on_device(
      [](const Arguments & x)
      { return Arguments{interpolate(Scalar(x[0]), Tensor(x[1], 0), Tensor(x[2], 0))}; },
      a,
      {"aten::_local_scalar_dense"}));
  REQUIRE(same_on_device(
      [](const Arguments & x)
      {
        return Arguments{
            interpolate(Scalar(x[0]), std::array{0.0, 1.0, 3.0}, std::array{2.0, 5.0, 4.0})};
      },
      a));
}

TEST_CASE("Equivalent directions and rotations of a seed are the same on a device",
          "[tensors][crystallography][cuda]")
{
  REQUIRE(same_on_device(
      [](const Arguments & a)
      {
        return Arguments{crystallography::unique_bidirectional(
            crystallography::symmetry("432", a[0].options()), Vec(a[0]))};
      },
      {at::tensor({1.0, 1.0, 0.0}, kFloat64)},
      {"copy to the device", "copy to the host"}));
  REQUIRE(made_on_device([](const TensorOptions & o)
                         { return Arguments{Rot::fill_random(5, 3, o)}; },
                         {"copy to the device"}));
}

TEST_CASE("Operations on labeled tensors are the same on a device", "[tensors][labels][cuda]")
{
  const auto rows = test::labels::rows(), columns = test::labels::columns();
  const auto f = [&](const Arguments & a)
  {
    const TensorOptions o = a[0].options();
    const LabeledVector v(a[0], {&rows}), state(a[1], {&columns});
    const LabeledMatrix M(a[2], {&rows, &columns});
    auto written = v.clone(), filled = LabeledVector::zeros({3}, {&rows}, o);
    written.base_index_put_({"b"}, SR2(a[3]));
    written.base_index_put_({{"sub", "x"}}, 2.0);
    written.batch_index_put_({0}, 1.0);
    filled.fill(v);
    auto part = LabeledVector::zeros({3}, {&columns}, o);
    part.fill(v);
    auto matrix = LabeledMatrix::zeros({3}, {&rows, &columns}, o);
    matrix.fill(M);
    const auto identity = LabeledMatrix::identity({3}, columns, o);
    const auto assembled =
        LabeledVector::assemble(rows, {{"b", SR2(a[3])}, {{"sub", "C"}, SSR4::identity_sym(o)}});
    const auto block = LabeledMatrix::assemble(
        rows, columns, {{"b", "e", SSR4::identity_dev(o)}, {"a", "a", Scalar::ones({3}, o)}});
    Arguments all{written,
                  filled,
                  part,
                  matrix,
                  assembled,
                  block,
                  identity,
                  -v,
                  M.chain(identity),
                  v.slice({"sub"}),
                  v.base_index({"a"}),
                  v.reinterpret<SSR4>({{"sub", "C"}}),
                  M.base_index({"b", "e"}),
                  v.batch_index({Slice(1, 3)})};
    for (const auto & [name, value] : state.disassemble())
      all.push_back(value);
    return all;
  };
  REQUIRE(same_on_device(f, {random({3, 44}), random({3, 7}), random({3, 44, 7}), random({3, 6})}));
}

TEST_CASE("Labeled tensors of two devices are refused with the library's message",
          "[tensors][labels][errors][cuda]")
{
  const auto axis = test::labels::columns();
  const LabeledVector v(random({3, 7}), {&axis}), there = v.to(v.options().device(device()));
  REQUIRE_THAT(error_of([&] { utils::allclose(v, there); }),
               ContainsSubstring("different devices") && ContainsSubstring(device().str()));
  const auto assembled = [&]
  {
    return LabeledVector::assemble(axis,
                                   {{"a", v.base_index({"a"})}, {"e", there.base_index({"e"})}});
  };
  REQUIRE_THAT(error_of(assembled),
               ContainsSubstring("different devices") && ContainsSubstring(device().str()));
}

TEST_CASE("A tensor on a device prints its values", "[tensors][cuda]")
{
  const SR2 s = SR2::full({2}, 1.5);
  REQUIRE_THAT(test::printed(SR2(s.to(device()))),
               ContainsSubstring("1.5000") && ContainsSubstring(device().str()));
}
} // namespace device_test
