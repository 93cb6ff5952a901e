// SPDX-License-Identifier: MIT
#include "neml2/packs/Pack.h"
#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/drotate.h"
#include "neml2/kernels/exponential_map.h"
#include "neml2/kernels/invariants.h"
#include "neml2/kernels/kinematics.h"
#include "neml2/kernels/rotation_distance.h"
#include "neml2/kernels/stiffness.h"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.h"

/// What every formula promises: lanes do not depend on one another, NaN of numbers has NaN
/// derivatives, ordinary rows
/// raise no floating-point exception.

using namespace neml2::kernels;

namespace
{
constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
constexpr int width = 4;
using Pack = neml2::packs::Pack<width>;
using Dual3 = Dual<Pack, 3>;
using Row = std::vector<double>;

/// The numbers of what a formula returns.
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

/// All numbers of the results, lane by lane: [number][lane].
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

/// Three variables, on which each component depends.
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

/// Calls check(name, f) for each formula of one tensor R; the first argument says what it needs.
struct Any
{
};
struct Positive
{
};
template <class Check>
void
formulas_of_SR2(const Check & check)
{
  const auto half = [](const auto & s)
  {
    using T = typename plain_number<std::decay_t<decltype(s[0])>>::type;
    return T(0.5);
  };
  check(Any(), "tr", [](const auto & s) { return tr(s); });
  check(Any(), "dev", [](const auto & s) { return dev(s); });
  check(Any(), "norm", [](const auto & s) { return norm(s); });
  check(Any(), "J2", [](const auto & s) { return J2(s); });
  check(Any(), "J3", [](const auto & s) { return J3(s); });
  check(Any(), "von_mises", [](const auto & s) { return von_mises(s); });
  check(Any(), "eigh", [](const auto & s) { return eigh(s); });
  check(Any(), "expm", [](const auto & s) { return expm(s); });
  check(Positive(), "lode_angle", [](const auto & s) { return lode_angle(s); });
  check(Positive(), "inv", [](const auto & s) { return inv(s); });
  check(Positive(), "logm", [](const auto & s) { return logm(s); });
  check(Positive(), "sqrtm", [](const auto & s) { return sqrtm(s); });
  check(Positive(), "powm", [=](const auto & s) { return powm(s, half(s)); });
}
template <class Check>
void
formulas_of_plain_SR2(const Check & check)
{
  check(Any(), "dexpm", [](const auto & s) { return dexpm(s); });
  check(Positive(), "dlogm", [](const auto & s) { return dlogm(s); });
  check(Positive(), "dsqrtm", [](const auto & s) { return dsqrtm(s); });
  check(Positive(), "dpowm", [](const auto & s) { return dpowm(s, Pack(-0.3)); });
}
template <class Check>
void
formulas_of_R2(const Check & check)
{
  check(Any(), "det", [](const auto & A) { return det(A); });
  check(Any(), "cofactors", [](const auto & A) { return cofactors(A); });
  check(Any(), "expm of R2", [](const auto & A) { return expm(A); });
  check(Positive(), "inv of R2", [](const auto & A) { return inv(A); });
  check(Positive(), "logm of R2", [](const auto & A) { return logm(A); });
  check(Positive(), "sqrtm of R2", [](const auto & A) { return sqrtm(A); });
  check(Positive(), "hencky_strain", [](const auto & A) { return hencky_strain(A); });
  check(Positive(), "polar_rotation", [](const auto & A) { return polar_rotation(A); });
  check(Positive(), "fill_matrix", [](const auto & A) { return fill_matrix(polar_rotation(A)); });
}
template <class Check>
void
formulas_of_plain_R2(const Check & check)
{
  check(Any(), "dexpm of R2", [](const auto & A) { return dexpm(A); });
  check(Positive(), "dlogm of R2", [](const auto & A) { return dlogm(A); });
  check(Positive(), "dsqrtm of R2", [](const auto & A) { return dsqrtm(A); });
}
template <class Check>
void
formulas_of_Rot(const Check & check)
{
  check(Any(), "euler_rodrigues", [](const auto & r) { return euler_rodrigues(r); });
  check(Any(), "log_map", [](const auto & r) { return log_map(r); });
  check(Any(), "product", [](const auto & r) { return r * inv(r); });
  check(Any(), "dist", [](const auto & r) { return dist(r, inv(r)); });
  check(Any(), "gdist", [](const auto & r) { return gdist(r, inv(r)); });
  check(Any(), "to_quaternion", [](const auto & r) { return to_quaternion(r); });
  check(Any(), "to_rot", [](const auto & r) { return to_rot(to_quaternion(r)); });
  check(Any(), "log_map of a quaternion", [](const auto & r) { return log_map(to_quaternion(r)); });
  check(Any(),
        "dist of quaternions",
        [](const auto & r) { return dist(to_quaternion(r), to_quaternion(inv(r))); });
}
template <class Check>
void
formulas_of_WR2(const Check & check)
{
  check(Any(), "exp_map", [](const auto & w) { return exp_map(w); });
  check(Any(), "dexp_map", [](const auto & w) { return dexp_map(w); });
}

/// Every formula for rows R, of packs and of duals of packs.
template <class Check>
void
every_formula(const Check & check)
{
  formulas_of_SR2(
      [&](auto needs, const std::string & name, const auto & f)
      {
        check.template operator()<SR2>(needs, name, f, plain<SR2>);
        check.template operator()<SR2>(needs, name + " of duals", f, dual<SR2>);
      });
  formulas_of_plain_SR2([&](auto needs, const std::string & name, const auto & f)
                        { check.template operator()<SR2>(needs, name, f, plain<SR2>); });
  formulas_of_R2(
      [&](auto needs, const std::string & name, const auto & f)
      {
        check.template operator()<R2>(needs, name, f, plain<R2>);
        check.template operator()<R2>(needs, name + " of duals", f, dual<R2>);
      });
  formulas_of_plain_R2([&](auto needs, const std::string & name, const auto & f)
                       { check.template operator()<R2>(needs, name, f, plain<R2>); });
  formulas_of_Rot(
      [&](auto needs, const std::string & name, const auto & f)
      {
        check.template operator()<Rot>(needs, name, f, plain<Rot>);
        check.template operator()<Rot>(needs, name + " of duals", f, dual<Rot>);
      });
  formulas_of_WR2(
      [&](auto needs, const std::string & name, const auto & f)
      {
        check.template operator()<WR2>(needs, name, f, plain<WR2>);
        check.template operator()<WR2>(needs, name + " of duals", f, dual<WR2>);
      });
}

std::mt19937 generator(7);

/// A random row of n numbers; one of a tensor is positive definite.
Row
good(int n)
{
  std::uniform_real_distribution<double> u(-0.5, 0.5);
  Row r;
  for (int i = 0; i < n; i++)
    r.push_back(u(generator) + ((n == 6 && i < 3) || (n == 9 && i % 4 == 0) ? 2.0 : 0.0));
  return r;
}

/// The tensor c δ_ij, and others with equal eigenvalues.
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

struct LanesAreAlone
{
  template <template <class> class R, class Needs, class F, class Make>
  void operator()(Needs, const std::string & name, const F & f, const Make & make) const
  {
    const int n = R<Pack>::n;
    for (const Row & row : bad(n))
      for (int place = 0; place < width; place++)
      {
        std::vector<Row> lanes;
        for (int w = 0; w < width; w++)
          lanes.push_back(w == place ? row : good(n));
        const auto together = flat(f(make(lanes)));
        for (int w = 0; w < width; w++)
        {
          const auto alone = flat(f(make(std::vector<Row>(width, lanes[size_t(w)]))));
          for (size_t i = 0; i < alone.size(); i += width)
          {
            INFO(name << ": number " << i / width << " of lane " << w << " beside " << row[0] << " "
                      << row[1] << " ... in lane " << place);
            if (!same(together[i + size_t(w)], alone[i + size_t(w)]))
              REQUIRE(together[i + size_t(w)] == alone[i + size_t(w)]);
          }
        }
      }
    formulas++;
  }
  int & formulas;
};

struct NanHasNanDerivatives
{
  template <template <class> class R, class Needs, class F, class Make>
  void operator()(Needs, const std::string & name, const F & f, const Make & make) const
  {
    if constexpr (std::is_same_v<decltype(make({})), R<Dual3>>)
    {
      for (const Row & row : bad(R<Pack>::n))
      {
        if (!(std::fabs(row[0]) < 1e100)) // then a value may overflow, and its derivative not
          continue;
        const auto r = flat(f(make(std::vector<Row>(width, row))));
        for (size_t i = 0; i < r.size(); i += 4 * width) // a value, then three derivatives
          if (r[i] != r[i])
            for (size_t k = 1; k < 4; k++)
            {
              INFO(name << ": derivative " << k << " of number " << i / (4 * width) << " of "
                        << row[0] << " " << row[1] << " ...");
              REQUIRE(std::isnan(r[i + k * width]));
            }
      }
      formulas++;
    }
  }
  int & formulas;
};

struct RaisesNoException
{
  template <template <class> class R, class Needs, class F, class Make>
  void operator()(Needs, const std::string & name, const F & f, const Make & make) const
  {
    const int n = R<Pack>::n;
    constexpr bool positive = std::is_same_v<Needs, Positive>;
    std::vector<Row> rows;
    for (int i = 0; i < 50; i++)
      rows.push_back(good(n));
    if (n == 6 || n == 9)
    {
      for (const double c : {1.0, 2.0, 1e-3, 1 + 1e-12})
        rows.push_back(isotropic(n, c));
      rows.push_back(isotropic(n, 1, 1e-14));
      Row diagonal = isotropic(n, 1);
      diagonal[0] = 3;
      rows.push_back(diagonal);
      if (name.rfind("lode_angle", 0) == 0) // which has no direction where all are equal
        rows.assign(50, diagonal);
    }
    if (!positive)
    {
      rows.push_back(Row(size_t(n), 0.0));
      rows.push_back(Row(size_t(n), 1e-160));
      Row one(size_t(n), 0.0);
      one[size_t(n) - 1] = 1;
      rows.push_back(one);
    }
    for (const Row & row : rows)
    {
      const auto x = make(std::vector<Row>(width, row));
      std::feclearexcept(FE_ALL_EXCEPT);
      const volatile double y = flat(f(x))[0];
      const int raised = std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
      (void)y;
      INFO(name << " of " << row[0] << " " << row[1] << " " << row[2] << " ... raises"
                << (raised & FE_INVALID ? " invalid" : "")
                << (raised & FE_DIVBYZERO ? " division by zero" : "")
                << (raised & FE_OVERFLOW ? " overflow" : ""));
      REQUIRE(raised == 0);
    }
    formulas++;
  }
  int & formulas;
};
} // namespace

TEST_CASE("A lane does not depend on its neighbours, whatever they are", "[kernels]")
{
  int formulas = 0;
  every_formula(LanesAreAlone{formulas});
  REQUIRE(formulas == 73);
}

TEST_CASE("Where the value of numbers is NaN its derivatives are", "[kernels]")
{
  int formulas = 0;
  every_formula(NanHasNanDerivatives{formulas});
  REQUIRE(formulas == 33);
}

TEST_CASE("Ordinary rows raise no floating-point exception", "[kernels]")
{
  int formulas = 0;
  every_formula(RaisesNoException{formulas});
  REQUIRE(formulas == 73);
}
