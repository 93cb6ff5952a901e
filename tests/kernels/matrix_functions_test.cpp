// SPDX-License-Identifier: MIT
#include "neml2/kernels/matrix_functions.h"

#include "neml2/kernels/kinematics.h"
#include "neml2/packs/Pack.h"
#include "support/matrix_references.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/catch.h"

namespace matrix_functions_test
{
using namespace neml2;
using namespace neml2::kernels;
using test::MatrixReference;

namespace
{
constexpr double
direction(int i)
{
  return test::direction_of_references[i];
}

template <class T>
R2<T>
matrix(const double (&x)[9])
{
  R2<T> A{Unset()};
  for (int i = 0; i < 9; i++)
    A[i] = T(x[i]);
  return A;
}
bool
is_symmetric(const MatrixReference & x)
{
  return x.A[1] == x.A[3] && x.A[2] == x.A[6] && x.A[5] == x.A[7];
}

/// The function of this name, for numbers or packs.
template <class T>
R2<T>
of_matrix(const std::string & name, const R2<T> & A)
{
  R2<T> E{Unset()}, r;
  for (int i = 0; i < 9; i++)
    E[i] = T(direction(i));
  if (name == "det")
    r[0] = det(A);
  else if (name == "inv")
    r = inv(A);
  else if (name == "polar_rotation")
    r = polar_rotation(A);
  else if (name == "right_stretch")
    r = full(right_stretch(A));
  else if (name == "hencky_strain")
    r = full(hencky_strain(A));
  else if (name == "sqrtm")
    r = sqrtm(A);
  else if (name == "logm")
    r = logm(A);
  else if (name == "expm")
    r = expm(A);
  else if (name == "dsqrtm")
    r = dsqrtm(A, E);
  else
  {
    REQUIRE(name == "dlogm");
    r = dlogm(A, E);
  }
  return r;
}
/// The same function of the symmetric part; false if the function has no symmetric version.
template <class T>
bool
of_symmetric(const std::string & name, const R2<T> & A, R2<T> & r)
{
  const SR2<T> s = sym(A);
  if (name == "det")
    r[0] = det(s);
  else if (name == "inv")
    r = full(inv(s));
  else if (name == "sqrtm")
    r = full(sqrtm(s));
  else if (name == "logm")
    r = full(logm(s));
  else if (name == "expm")
    r = full(expm(s));
  else
    return false;
  return true;
}

/// The largest component of a - b, divided by that of b; NaN where a has one.
template <class A, class B>
double
difference(const A & a, const B & b)
{
  double size = 0, error = 0;
  for (int i = 0; i < 9; i++)
    size = std::max(size, std::abs(double(b[i])));
  for (int i = 0; i < 9; i++)
    if (const double e = std::abs(double(a[i]) / size - double(b[i]) / size); !(e <= error))
      error = e;
  return error;
}

void
check(const MatrixReference & x, double error, double rounding)
{
  const double bound = 50 * rounding * std::max(1.0, x.condition);
  INFO(x.function << " of " << x.A[0] << ", " << x.A[1] << ", " << x.A[2] << ", " << x.A[3] << ", "
                  << x.A[4] << " ...: error " << error << ", condition " << x.condition);
  REQUIRE((error <= bound || (std::isnan(error) && bound > 1)));
}
} // namespace

TEST_CASE("Functions of a matrix are right to rounding times their condition",
          "[kernels][matrix_functions]")
{
  for (const MatrixReference & x : test::matrix_references)
    check(x, difference(of_matrix(x.function, matrix<double>(x.A)), x.f), 2.3e-16);
}

TEST_CASE("So are those of symmetric tensors", "[kernels][matrix_functions]")
{
  for (const MatrixReference & x : test::matrix_references)
    if (R2<double> r; is_symmetric(x) && of_symmetric(x.function, matrix<double>(x.A), r))
      check(x, difference(r, x.f), 2.3e-16);
}

TEST_CASE("So are those of float32, where the results are numbers of it",
          "[kernels][matrix_functions]")
{
  int count = 0;
  for (const MatrixReference & x : test::matrix_references)
  {
    const std::string name = x.function;
    if (name != "det" && name != "inv" && name != "polar_rotation" && name != "right_stretch")
      continue;
    const R2<float> A = matrix<float>(x.A);
    double wide[9], largest = 0, result = 0;
    for (int i = 0; i < 9; i++)
    {
      wide[i] = double(A[i]);
      largest = std::max(largest, std::abs(wide[i]));
    }
    const R2<double> f = of_matrix(name, matrix<double>(wide));
    for (int i = 0; i < 9; i++)
      result = std::max(result, std::abs(f[i]));
    const bool in_range = largest > 1e-30 && largest < 1e30 && result > 1e-30 && result < 1e30;
    const R2<double> W = matrix<double>(wide);
    if (!in_range ||
        norm(W / largest) * norm(inv(W) * largest) > 1e6) // rounded to float32, W may be singular
      continue;
    check(x, difference(of_matrix(name, A), f), 1.2e-7);
    count++;
  }
  REQUIRE(count > 40);
}

TEST_CASE("A row of a pack is the same whatever rows lie beside it", "[kernels][matrix_functions]")
{
  using P = packs::Pack<4>;
  constexpr size_t n = std::size(test::matrix_references);
  for (size_t k = 0; k < n; k++)
  {
    const MatrixReference & x = test::matrix_references[k];
    R2<P> alone{Unset()}, together{Unset()};
    for (int i = 0; i < 9; i++)
    {
      alone[i] = P(x.A[i]);
      together[i] = P(x.A[i]);
      for (int w = 1; w < P::width; w++)
        together[i].lane(w, test::matrix_references[(k + 37 * size_t(w)) % n].A[i]);
    }
    const R2<P> a = of_matrix(x.function, alone), b = of_matrix(x.function, together);
    for (int i = 0; i < 9; i++)
    {
      const double p = a[i].lane(0), q = b[i].lane(0);
      INFO(x.function << " " << k);
      REQUIRE((std::memcmp(&p, &q, sizeof p) == 0 || (std::isnan(p) && std::isnan(q))));
    }
  }
}
} // namespace matrix_functions_test
