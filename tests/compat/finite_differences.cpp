// SPDX-License-Identifier: MIT
// Derivatives against finite differences, as tests of the 2.x releases write them: functions of one
// type, given as lambdas, are called with a Tensor; helpers are templates over VecBase and TensorBase.
#include "neml2/tensors/Quaternion.h"
#include "neml2/tensors/R3.h"
#include "neml2/tensors/SFFR4.h"
#include "neml2/tensors/SFR3.h"
#include "neml2/tensors/SSFR5.h"
#include "neml2/tensors/SSSSR8.h"
#include "neml2/tensors/functions/abs.h"
#include "neml2/tensors/functions/linalg/dsptrf.h"
#include "neml2/tensors/functions/linalg/eigh.h"
#include "neml2/tensors/functions/linalg/ieigh.h"
#include "neml2/tensors/functions/exp.h"
#include "neml2/tensors/functions/stack.h"

using namespace neml2;

template <typename F>
Tensor
differences(F && f, const Tensor & x, Real eps = 1e-6, Real aeps = 1e-6)
{
  const auto storage = utils::storage_size(x.base_sizes());
  const auto xf = Tensor(x.reshape(utils::add_shapes(x.batch_sizes(), storage)), x.batch_dim());
  const auto y0 = Tensor(f(x)).clone();
  std::vector<Tensor> columns(size_t(xf.base_size(0)));
  for (Size i = 0; i < xf.base_size(0); i++)
  {
    auto dx = eps * Scalar(neml2::abs(xf.base_index({i})));
    dx.index_put_({dx < aeps}, aeps);
    auto x1 = xf.clone();
    x1.base_index_put_({i}, x1.base_index({i}) + dx);
    columns[size_t(i)] = (Tensor(f(Tensor(x1.reshape(x.sizes()), x.batch_dim()))) - y0) / dx;
  }
  return base_stack(columns, -1).base_reshape(utils::add_shapes(y0.base_sizes(), x.base_sizes()));
}

/// Checks df(x)/dx, unbatched and batched.
template <class D, class X, class F>
void
check(const char * what, const TensorBase<D> & derivative, const X & x, F && f)
{
  const TensorShape B = {5, 3, 1, 2};
  const auto expected = differences(f, x);
  const Tensor d = static_cast<const D &>(derivative);
  neml_assert(at::allclose(d, expected, 1e-4, 1e-4), what);
  const auto batched = differences(f, x.batch_expand(B));
  neml_assert(batched.batch_sizes() == B, what);
  neml_assert(at::allclose(d.batch_expand(B), batched, 1e-4, 1e-4), what, " batched");
}

template <class D>
void
vector_rotations(const VecBase<D> & v, const Rot & r)
{
  check("drotate", v.drotate(r), r, [v](const Rot & x) { return v.rotate(x); });
  const R2 R = r.euler_rodrigues();
  check("drotate", v.drotate(R), R, [v](const R2 & x) { return v.rotate(x); });
}

int
main()
{
  const auto r = Rot::fill(0.1, -0.2, 0.3), q = Rot::fill(0.25, 0.05, -0.1);
  const auto w = WR2::fill(0.3, -0.4, 0.5);
  const R2 R = r.euler_rodrigues(), A = R2::fill(1, 2, 3, 4, 5, 6, 7, 8, 10) / 10;
  const auto S = SR2::fill(0.1, 0.2, 0.3, 0.04, 0.05, 0.06);
  const auto C = SSR4::isotropic_E_nu(1.0, 0.3);
  vector_rotations(Vec::fill(1, 2, 3), r);
  vector_rotations(w, r);
  check("deuler_rodrigues",
        r.deuler_rodrigues(),
        r,
        [](const Rot & x) { return x.euler_rodrigues(); });
  check("Rot::drotate", r.drotate(q), q, [r](const Rot & x) { return r.rotate(x); });
  check("Rot::drotate_self", r.drotate_self(q), r, [q](const Rot & x) { return x.rotate(q); });
  check("dshadow", r.dshadow(), r, [](const Rot & x) { return x.shadow(); });
  for (const WR2 & x : {w, WR2::zeros(), WR2::fill(1e-12, 0, 0)})
    check("dexp", x.dexp(), x, [](const WR2 & y) { return y.exp(); });
  check("R2::drotate", A.drotate(r), r, [A](const Rot & x) { return A.rotate(x); });
  check("R2::drotate", A.drotate(R), R, [A](const R2 & x) { return A.rotate(x); });
  check("SR2::drotate", S.drotate(r), r, [S](const Rot & x) { return S.rotate(x); });
  check("SR2::drotate", S.drotate(R), R, [S](const R2 & x) { return S.rotate(x); });
  check("SSR4::drotate", C.drotate(r), r, [C](const Rot & x) { return C.rotate(x); });
  check("drotate_self", C.drotate_self(r), C, [r](const SSR4 & x) { return x.rotate(r); });
  check("dinverse", C.dinverse(), C, [](const SSR4 & x) { return x.inverse(); });
  const auto [values, vectors] = linalg::eigh(S);
  const SSR4 dexp = linalg::dsptrf(values, vectors, exp(values), exp(values));
  check("dsptrf",
        dexp,
        S,
        [](const SR2 & x)
        {
          const auto [l, v] = linalg::eigh(x);
          return linalg::ieigh(exp(l), v);
        });
}
