// SPDX-License-Identifier: MIT
#include "neml2/tensors/R2.h"
#include "neml2/tensors/SR2.h"
#include "neml2/tensors/SSR4.h"
#include "neml2/tensors/Scalar.h"
#include "neml2/tensors/Vec.h"

/// Ten operations, each in a separate function so that none is optimised away.
using namespace neml2;

SR2
product(const SSR4 & C, const SR2 & e)
{
  return C * e;
}
SR2
deviator(const SR2 & s)
{
  return dev(s);
}
Scalar
length(const SR2 & s)
{
  return norm(s);
}
SR2
turned(const SR2 & s, const R2 & R)
{
  return rotate(s, R);
}
Scalar
contraction(const SR2 & s, const SR2 & t)
{
  return inner(s, t);
}
R2
inverse(const R2 & A)
{
  return inv(A);
}
Vec
image(const R2 & A, const Vec & v)
{
  return A * v;
}
SSR4
stiffness(const Scalar & E, const Scalar & nu)
{
  return SSR4::isotropic_E_nu(E, nu);
}
Scalar
trace(const SR2 & s)
{
  return tr(s);
}
R2
chained(const R2 & A, const R2 & B)
{
  return A * B;
}

int
main()
{
  const SR2 s = SR2::fill(1, 2, 3), e = product(stiffness(Scalar::full(1), Scalar::full(0.3)), s);
  const R2 A = chained(inverse(R2(s)), R2(e));
  const SR2 t = turned(deviator(e), A);
  return (trace(t) + length(t) * contraction(s, t) + image(A, A.row(0))(0)).item<double>() > 0;
}
