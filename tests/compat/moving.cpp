// SPDX-License-Identifier: MIT
// The table of docs/moving.md for NEML2 2.x, row by row: the spelling of 2.x and that of this
// library.
#include "neml2/misc/math.h"
#include "neml2/neml2.h"
#include "neml2/tensors/crystallography.h"
#include "neml2/tensors/functions/dynamic.h"
#include "neml2/tensors/functions/imap.h"

namespace
{
void
same(const at::Tensor & theirs, const at::Tensor & ours)
{
  neml2::neml_assert(theirs.sizes() == ours.sizes() && at::allclose(theirs, ours), theirs, ours);
}
void
same(neml2::TensorShapeRef theirs, neml2::TensorShapeRef ours)
{
  neml2::neml_assert(theirs == ours, theirs, ours);
}
} // namespace

int
main()
{
  using namespace neml2;
  const auto options = default_tensor_options();
  const SR2 s(at::rand({5, 2, 6}, options));
  const WR2 w(at::rand({5, 2, 3}, options));
  const Rot r(at::rand({5, 2, 3}, options));
  const Quaternion q(r);
  const Scalar a(at::rand({5, 2}, options));
  const Tensor T(R2(at::rand({5, 3, 3}, options) + at::eye(3, options)));

  same(math::pow(a, 2.0), pow(a, 2.0));
  same(math::where(a > 0.5, a, -a), where(a > 0.5, a, -a));
  same(math::linalg::inv(T), inv(T));
  same(s.dynamic_sizes(), s.batch_sizes());
  same(s.static_sizes(), s.base_sizes());
  same(s.dynamic_index({0}), s.batch_index({0}));
  same(s.dynamic_unsqueeze(0), s.batch_unsqueeze(0));
  same(dynamic_sum(s, 0), batch_sum(s, 0));
  same(dynamic_mean(s, 0), batch_mean(s, 0));
  same(w.exp(), w.exp_map());
  same(q.to_R2(), q.rotation_matrix());
  same(imap_v<SR2>(options), SR2::identity_map(options));
  same(crystallography::symmetry_operations_from_orbifold("432"), crystallography::symmetry("432"));
}
