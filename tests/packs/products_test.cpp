// SPDX-License-Identifier: MIT
#include "neml2/packs/gradient_tile.h"

#include <cmath>
#include <vector>

#include "support/catch.h"

namespace products_test
{
using namespace neml2::packs;

namespace
{
struct Numbers
{
  template <class T>
  using Row = T;
  static constexpr int64_t const_base_numel = 1;
};
using One = Types<Numbers>;
using Two = Types<Numbers, Numbers>;

constexpr auto difference = [](const auto & a, const auto & b) { return sqrt(a * a - b * b); };
constexpr auto sum = [](const auto & a, const auto & b) { return a * b + a / b - b * 3.0; };

/// The results of a tile for a and b; all other operands are 1.
template <class Tile>
std::vector<double>
run(const void * f, std::vector<double> a, std::vector<double> b, bool weighted)
{
  std::vector<double> w(a.size(), 1.0), r(a.size());
  std::vector<double *> data{a.data(), b.data()};
  if (weighted)
    data.push_back(w.data());
  data.push_back(r.data());
  const std::vector<int64_t> stride(data.size(), 1);
  if (const auto loop = tile_loop<Tile>(); loop.run)
    loop.run(f, data.data(), stride.data(), int64_t(a.size()));
  return r;
}
} // namespace

TEST_CASE("in a formula of the caller's products round before they are added", "[packs]")
{
  std::vector<double> a, b;
  for (int i = 0; i < 1000; i++)
  {
    a.push_back(1.0 + i / 7.0);
    b.push_back(2.0 + i / 11.0);
  }
  for (const double x : run<FormulaTile<decltype(difference), One, Two>>(&difference, a, a, false))
    REQUIRE(x == 0);
  const auto r = run<FormulaTile<decltype(sum), One, Two>>(&sum, a, b, false);
  const auto d = run<VectorJacobianTile<decltype(sum), 0, One, Two>>(&sum, a, b, true);
  if (!has_loop())
    return;
  for (size_t i = 0; i < a.size(); i++)
  {
    const volatile double product = a[i] * b[i], quotient = a[i] / b[i], three = b[i] * 3.0,
                          first = product + quotient, over = 1.0 / b[i];
    REQUIRE(r[i] == first - three);
    REQUIRE(d[i] == b[i] + over);
  }
}
} // namespace products_test
