// SPDX-License-Identifier: MIT
// In-place operations of solvers and models of NEML2 2.0 while autograd records a graph.
#include "neml2/misc/math.h"
#include "neml2/tensors/LabeledMatrix.h"
#include "neml2/tensors/LabeledVector.h"

#include "support/catch.h"

using namespace neml2;

namespace
{
LabeledAxis
state_axis()
{
  LabeledAxis axis;
  axis.add<SR2>({"state", "s"}).add<Scalar>({"state", "ep"}).add<Scalar>({"forces", "t"});
  axis.setup_layout();
  return axis;
}
/// Entries on the graph of a leaf.
Tensor
on_graph(TensorShapeRef base)
{
  Tensor p = Tensor::ones({3}, base);
  p.requires_grad_();
  return p * 2.0;
}
} // namespace

TEST_CASE("The values of a leaf are written beside the graph", "[in_place]")
{
  Tensor x = Tensor::zeros({3}, {7});
  x.requires_grad_();
  const Tensor y = x * 3.0;
  x.variable_data() += on_graph({7});
  x.variable_data() -= 0.5;
  x.variable_data().copy_(x.detach() + on_graph({7}));
  REQUIRE(at::allclose(x.detach(), at::full({3, 7}, 3.5, kFloat64)));
  REQUIRE((x.is_leaf() && x.requires_grad()));
  torch::Tensor(y).sum().backward();
  REQUIRE(x.grad().eq(3).all().item<bool>());

  Tensor last = x.clone(); // not a leaf: the last update is on the graph
  last += on_graph({7});
  REQUIRE((last.requires_grad() && !last.is_leaf()));
}

TEST_CASE("Results that share storage are written one after the other", "[in_place]")
{
  // Both views exist before the first write, as the variables of a model do. The first write puts the storage on the graph.
  using indexing::Slice;
  const auto writes_both = [](const auto & write)
  {
    LabeledAxis axis;
    axis.add<SR2>("s").add<Scalar>("ep").setup_layout();
    const Scalar p(5.0, default_tensor_options().requires_grad(true));
    auto out = LabeledVector::zeros({3}, {&axis});
    SR2 s = out.reinterpret<SR2>({"s"});
    Scalar ep = out.reinterpret<Scalar>({"ep"});
    write(s, SR2((p * SR2::ones({3})).contiguous()));
    write(ep, Scalar((p * Scalar::full({3}, 2.0)).contiguous()));
    REQUIRE((s.requires_grad() && ep.requires_grad() && out.requires_grad()));
    out.tensor().sum().backward();
    REQUIRE(p.grad().item<double>() == 3 * (6 + 2));
  };
  writes_both([](auto & x, const auto & value) { x.index_put_({Slice()}, value); });
  writes_both([](auto & x, const auto & value) { x.copy_(value); });
  writes_both([](auto & x, const auto & value) { x.copy_(at::Tensor(value)); });
  writes_both([](auto & x, const auto & value) { x.batch_index_put_({Slice()}, value); });
  writes_both([](auto & x, const auto & value) { x += value; });
  {
    c10::NoGradGuard none; // views made without a graph
    Scalar x = Scalar::zeros({3});
    x.index_put_({Slice()}, 2.0);
    REQUIRE(x.eq(2).all().item<bool>());
  }
}

TEST_CASE("A variable that requires grad leaves the storage that it views writable", "[in_place]")
{
  const LabeledAxis axis = state_axis();
  for (int pass = 0; pass < 2; pass++) // each pass makes a new view
  {
    auto in = LabeledVector::zeros({3}, {&axis});
    SR2 s = in.reinterpret<SR2>({{"state", "s"}});
    Scalar ep = in.reinterpret<Scalar>({{"state", "ep"}});
    Tensor raw = in.base_index({{"state", "s"}}), all = in.base_index({{}}),
           same = raw.base_reshape({6}), flat = Tensor(s.base_reshape({6})),
           wide = raw.batch_expand({3}), sliced = raw.base_index({indexing::Slice()}),
           none = raw.batch_index({});
    for (Tensor * t : {&raw, &all, &same, &flat, &wide, &sliced, &none})
    {
      REQUIRE(t->is_leaf());
      t->requires_grad_();
      REQUIRE(!in.requires_grad());
      REQUIRE(!s.requires_grad());
    }
    s.requires_grad_();
    ep.requires_grad_();
    in.slice("state").fill(LabeledVector(Tensor::ones({3}, {7}), {&axis.subaxis("state")}));
    in.copy_(Tensor::full({3}, {8}, 2.0));
    in.tensor().variable_data() += 1.0;
    in.zero_();
    REQUIRE((s.is_leaf() && !in.requires_grad() && s.eq(0).all().item<bool>()));
  }
}

TEST_CASE("Storage takes values of a graph, is detached and taken again", "[in_place]")
{
  const LabeledAxis axis = state_axis();
  auto out = LabeledVector::zeros({3}, {&axis});
  for (int pass = 0; pass < 2; pass++)
  {
    if (out.requires_grad())
      out.detach_();
    out.zero_();
    out.base_index_put_({{"state", "s"}}, on_graph({6}));
    out.base_index_put_({{"state", "ep"}}, Scalar(on_graph({})));
    REQUIRE(out.requires_grad());
    REQUIRE(out.base_index({"state"}).eq(2).all().item<bool>());
    const LabeledVector kept = out.clone();
    REQUIRE(kept.requires_grad());
  }
  auto in = LabeledVector::zeros({3}, {&axis});
  in.copy_(out.tensor().batch_expand({3}).clone());
  REQUIRE((in.requires_grad() && !in.tensor().is_leaf()));
  in.slice("state").fill(out.slice("state"));

  auto J = LabeledMatrix::zeros({3}, {&axis, &axis});
  Tensor block = J.base_index({{"state", "s"}, {"state", "s"}});
  block.index_put_({indexing::Slice()}, on_graph({6, 6}));
  REQUIRE((J.requires_grad() && J.base_index({"state", "state"}).sum().item<double>() == 216));
}

TEST_CASE("Steps that are halved where they did not help are written by a mask", "[in_place]")
{
  const Tensor x = on_graph({7});
  auto alpha = Scalar::ones(x.batch_sizes(), x.options());
  REQUIRE(!alpha.requires_grad());
  const at::Tensor stop = torch::tensor({true, false, true});
  alpha.batch_index_put_({torch::logical_not(stop)},
                         alpha.batch_index({torch::logical_not(stop)}) / 2.0);
  REQUIRE(at::equal(alpha, torch::tensor({1.0, 0.5, 1.0}, kFloat64)));
  auto row = Tensor::ones_like(x);
  REQUIRE(!row.requires_grad());
  row.base_index({0}) *= 2.0;
  REQUIRE(row.sum().item<double>() == 24);
}
