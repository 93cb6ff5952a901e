// SPDX-License-Identifier: MIT
#include "neml2/packs/Pack.h"
#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/cholesky.h"
#include "neml2/kernels/drotate.h"
#include "neml2/kernels/exponential_map.h"
#include "neml2/kernels/invariants.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/kronecker.h"
#include "neml2/kernels/rotation_distance.h"
#include "neml2/kernels/stiffness.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"

/// Promises of every formula: lanes do not depend on one another, derivatives of NaN are NaN, and
/// ordinary rows raise no floating-point exception.

using namespace neml2::kernels;

namespace
{
constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
constexpr int width = 4;
using Pack = neml2::packs::Pack<width>;
using Dual3 = Dual<Pack, 3>;
using Row = std::vector<double>;

/// Writes the numbers of a result to `out`.
double *
numbers(Pack & x, double * out)
{
  for (int w = 0; w < width; w++)
    *out++ = x.lane(w);
  return out;
}
template <int N>
double *
numbers(Dual<Pack, N> & x, double * out)
{
  out = numbers(x.x, out);
  for (int k = 0; k < N; k++)
    out = numbers(x.d[k], out);
  return out;
}
template <class R>
double *
numbers(R & row, double * out)
{
  for (int i = 0; i < R::n; i++)
    out = numbers(row[i], out);
  return out;
}
template <class A, class B>
double *
numbers(std::pair<A, B> & r, double * out)
{
  return numbers(r.second, numbers(r.first, out));
}

/// All numbers of the results, in the order [number][lane].
template <class R>
std::vector<double>
flat(R r)
{
  std::vector<double> v(sizeof(R) / sizeof(double));
  v.resize(size_t(numbers(r, v.data()) - v.data()));
  return v;
}

template <template <class> class R>
R<Pack>
plain(const std::vector<Row> & lanes)
{
  R<Pack> r{Unset()};
  for (int i = 0; i < R<Pack>::n; i++)
    for (int w = 0; w < width; w++)
      r[i].lane(w, lanes[size_t(w)][size_t(i)]);
  return r;
}

/// The lanes as duals: all components depend on the same three variables.
template <template <class> class R>
R<Dual3>
dual(const std::vector<Row> & lanes)
{
  const R<Pack> x = plain<R>(lanes);
  R<Dual3> r{Unset()};
  for (int i = 0; i < R<Pack>::n; i++)
  {
    r[i] = Dual3(x[i]);
    for (int k = 0; k < 3; k++)
      r[i].d[k] = Pack(0.25 * (i + 1) - k);
  }
  return r;
}

/// Conditions on the numbers for which a formula is defined.
enum Needs
{
  Any,
  Positive
};
/// A formula of rows of n numbers with type erasure, so that the checks are compiled only once.
struct Formula
{
  std::string name;
  Needs needs;
  bool of_duals;
  int n;
  std::function<std::vector<double>(const std::vector<Row> & lanes)> evaluate;
};
using Formulas = std::vector<Formula>;

/// Adds a formula of rows R of packs.
template <template <class> class R, class F>
void
of_packs(Formulas & all, Needs needs, const std::string & name, const F & f)
{
  const auto evaluate = [f](const std::vector<Row> & lanes) { return flat(f(plain<R>(lanes))); };
  all.push_back({name, needs, false, R<Pack>::n, evaluate});
}
/// Adds a formula of rows R of packs, and the formula of duals of packs.
template <template <class> class R, class F>
void
of_both(Formulas & all, Needs needs, const std::string & name, const F & f)
{
  of_packs<R>(all, needs, name, f);
  const auto evaluate = [f](const std::vector<Row> & lanes) { return flat(f(dual<R>(lanes))); };
  all.push_back({name + " of duals", needs, true, R<Pack>::n, evaluate});
}

void
formulas_of_SR2(Formulas & all)
{
  const auto half = [](const auto & s)
  {
    using T = typename plain_number<std::decay_t<decltype(s[0])>>::type;
    return T(0.5);
  };
  of_both<SR2>(all, Any, "tr", [](const auto & s) { return tr(s); });
  of_both<SR2>(all, Any, "dev", [](const auto & s) { return dev(s); });
  of_both<SR2>(all, Any, "norm", [](const auto & s) { return norm(s); });
  of_both<SR2>(all, Any, "J2", [](const auto & s) { return J2(s); });
  of_both<SR2>(all, Any, "J3", [](const auto & s) { return J3(s); });
  of_both<SR2>(all, Any, "von_mises", [](const auto & s) { return von_mises(s); });
  of_both<SR2>(all, Any, "eigh", [](const auto & s) { return eigh(s); });
  of_both<SR2>(all, Any, "expm", [](const auto & s) { return expm(s); });
  of_both<SR2>(all, Positive, "lode_angle", [](const auto & s) { return lode_angle(s); });
  of_both<SR2>(all, Positive, "inv", [](const auto & s) { return inv(s); });
  of_both<SR2>(all, Positive, "logm", [](const auto & s) { return logm(s); });
  of_both<SR2>(all, Positive, "sqrtm", [](const auto & s) { return sqrtm(s); });
  of_both<SR2>(all, Positive, "powm", [=](const auto & s) { return powm(s, half(s)); });
  of_packs<SR2>(all, Any, "dexpm", [](const auto & s) { return dexpm(s); });
  of_packs<SR2>(all, Positive, "dlogm", [](const auto & s) { return dlogm(s); });
  of_packs<SR2>(all, Positive, "dsqrtm", [](const auto & s) { return dsqrtm(s); });
  of_packs<SR2>(all, Positive, "dpowm", [](const auto & s) { return dpowm(s, Pack(-0.3)); });
}
void
formulas_of_R2(Formulas & all)
{
  of_both<R2>(all, Any, "det", [](const auto & A) { return det(A); });
  of_both<R2>(all, Any, "cofactors", [](const auto & A) { return cofactors(A); });
  of_both<R2>(all, Any, "expm of R2", [](const auto & A) { return expm(A); });
  of_both<R2>(all, Positive, "inv of R2", [](const auto & A) { return inv(A); });
  of_both<R2>(all, Positive, "solve", [](const auto & A) { return solve(A, A * A); });
  of_both<R2>(all, Positive, "cholesky", [](const auto & A) { return cholesky(A); });
  of_both<R2>(
      all, Positive, "solve of SSR4", [](const auto & A) { return solve(sym_kron(A, A), sym(A)); });
  of_both<R2>(all, Positive, "det of SSR4", [](const auto & A) { return det(mandel_rotation(A)); });
  of_both<R2>(all, Positive, "logm of R2", [](const auto & A) { return logm(A); });
  of_both<R2>(all, Positive, "sqrtm of R2", [](const auto & A) { return sqrtm(A); });
  of_both<R2>(all, Positive, "hencky_strain", [](const auto & A) { return hencky_strain(A); });
  of_both<R2>(all, Positive, "polar_rotation", [](const auto & A) { return polar_rotation(A); });
  of_both<R2>(
      all, Positive, "fill_matrix", [](const auto & A) { return fill_matrix(polar_rotation(A)); });
  of_packs<R2>(all, Any, "dexpm of R2", [](const auto & A) { return dexpm(A); });
  of_packs<R2>(all, Positive, "dlogm of R2", [](const auto & A) { return dlogm(A); });
  of_packs<R2>(all, Positive, "dsqrtm of R2", [](const auto & A) { return dsqrtm(A); });
}
void
formulas_of_Rot(Formulas & all)
{
  of_both<Rot>(all, Any, "euler_rodrigues", [](const auto & r) { return euler_rodrigues(r); });
  of_both<Rot>(all, Any, "log_map", [](const auto & r) { return log_map(r); });
  of_both<Rot>(all, Any, "product", [](const auto & r) { return r * inv(r); });
  of_both<Rot>(all, Any, "dist", [](const auto & r) { return dist(r, inv(r)); });
  of_both<Rot>(all, Any, "gdist", [](const auto & r) { return gdist(r, inv(r)); });
  of_both<Rot>(all, Any, "to_quaternion", [](const auto & r) { return to_quaternion(r); });
  of_both<Rot>(all, Any, "to_rot", [](const auto & r) { return to_rot(to_quaternion(r)); });
  of_both<Rot>(all,
               Any,
               "log_map of a quaternion",
               [](const auto & r) { return log_map(to_quaternion(r)); });
  of_both<Rot>(all,
               Any,
               "dist of quaternions",
               [](const auto & r) { return dist(to_quaternion(r), to_quaternion(inv(r))); });
}
void
formulas_of_WR2(Formulas & all)
{
  of_both<WR2>(all, Any, "exp_map", [](const auto & w) { return exp_map(w); });
  of_both<WR2>(all, Any, "dexp_map", [](const auto & w) { return dexp_map(w); });
}

const Formulas &
every_formula()
{
  static const Formulas all = []
  {
    Formulas formulas;
    formulas_of_SR2(formulas);
    formulas_of_R2(formulas);
    formulas_of_Rot(formulas);
    formulas_of_WR2(formulas);
    return formulas;
  }();
  return all;
}

std::mt19937 generator(7);

/// A random row of n numbers; if they are the components of a tensor, it is positive definite.
Row
good(int n)
{
  std::uniform_real_distribution<double> u(-0.5, 0.5);
  Row r;
  for (int i = 0; i < n; i++)
    r.push_back(u(generator) + ((n == 6 && i < 3) || (n == 9 && i % 4 == 0) ? 2.0 : 0.0));
  return r;
}

/// The tensor c δ_ij, with `shear` in all other components.
Row
isotropic(int n, double c, double shear = 0)
{
  Row r(size_t(n), shear);
  for (int i = 0; i < n; i += n == 9 ? 4 : 1)
    if (n == 9 || i < 3)
      r[size_t(i)] = c;
  return r;
}

std::vector<Row>
bad(int n)
{
  std::vector<Row> rows;
  for (const double x : {nan, inf, -inf, 0.0, -1.0, 1.0, 1e300, 1e-300})
    rows.push_back(Row(size_t(n), x)); // matrices of equal numbers are singular
  for (const double c : {-1.0, 1.0, 2.0, 1 + 1e-12})
    rows.push_back(isotropic(n, c));
  return rows;
}

bool
same(double a, double b)
{
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

void
lanes_are_alone(const Formula & f)
{
  for (const Row & row : bad(f.n))
    for (int place = 0; place < width; place++)
    {
      std::vector<Row> lanes;
      for (int w = 0; w < width; w++)
        lanes.push_back(w == place ? row : good(f.n));
      const auto together = f.evaluate(lanes);
      for (int w = 0; w < width; w++)
      {
        const auto alone = f.evaluate(std::vector<Row>(width, lanes[size_t(w)]));
        for (size_t i = 0; i < alone.size(); i += width)
        {
          INFO(f.name << ": number " << i / width << " of lane " << w << " beside " << row[0] << " "
                      << row[1] << " ... in lane " << place);
          if (!same(together[i + size_t(w)], alone[i + size_t(w)]))
            REQUIRE(together[i + size_t(w)] == alone[i + size_t(w)]);
        }
      }
    }
}

void
nan_has_nan_derivatives(const Formula & f)
{
  for (const Row & row : bad(f.n))
  {
    if (!(std::fabs(row[0]) < 1e100)) // larger values may overflow where their derivatives do not
      continue;
    const auto r = f.evaluate(std::vector<Row>(width, row));
    for (size_t i = 0; i < r.size(); i += 4 * width) // a value is followed by three derivatives
      if (r[i] != r[i])
        for (size_t k = 1; k < 4; k++)
        {
          INFO(f.name << ": derivative " << k << " of number " << i / (4 * width) << " of "
                      << row[0] << " " << row[1] << " ...");
          REQUIRE(std::isnan(r[i + k * width]));
        }
  }
}

void
raises_no_exception(const Formula & f)
{
  std::vector<Row> rows;
  for (int i = 0; i < 50; i++)
    rows.push_back(good(f.n));
  if (f.n == 6 || f.n == 9)
  {
    for (const double c : {1.0, 2.0, 1e-3, 1 + 1e-12})
      rows.push_back(isotropic(f.n, c));
    rows.push_back(isotropic(f.n, 1, 1e-14));
    Row diagonal = isotropic(f.n, 1);
    diagonal[0] = 3;
    rows.push_back(diagonal);
    if (f.name.rfind("lode_angle", 0) == 0) // its direction is undefined at equal eigenvalues
      rows.assign(50, diagonal);
  }
  if (f.needs != Positive)
  {
    rows.push_back(Row(size_t(f.n), 0.0));
    rows.push_back(Row(size_t(f.n), 1e-160));
    Row one(size_t(f.n), 0.0);
    one[size_t(f.n) - 1] = 1;
    rows.push_back(one);
  }
  for (const Row & row : rows)
  {
    const std::vector<Row> lanes(width, row);
    std::feclearexcept(FE_ALL_EXCEPT);
    f.evaluate(lanes);
    const int raised = std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    INFO(f.name << " of " << row[0] << " " << row[1] << " " << row[2] << " ... raises"
                << (raised & FE_INVALID ? " invalid" : "")
                << (raised & FE_DIVBYZERO ? " division by zero" : "")
                << (raised & FE_OVERFLOW ? " overflow" : ""));
    REQUIRE(raised == 0);
  }
}
} // namespace

TEST_CASE("A lane does not depend on its neighbours, whatever they are", "[kernels]")
{
  for (const Formula & f : every_formula())
    lanes_are_alone(f);
  REQUIRE(every_formula().size() == 81);
}

TEST_CASE("Where the value of numbers is NaN its derivatives are", "[kernels]")
{
  int formulas = 0;
  for (const Formula & f : every_formula())
    if (f.of_duals)
    {
      nan_has_nan_derivatives(f);
      formulas++;
    }
  REQUIRE(formulas == 37);
}

TEST_CASE("Ordinary rows raise no floating-point exception", "[kernels]")
{
  for (const Formula & f : every_formula())
    raises_no_exception(f);
  REQUIRE(every_formula().size() == 81);
}
