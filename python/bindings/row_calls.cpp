// SPDX-License-Identifier: MIT
#include "bindings/rows.h"

#include "neml2/kernels/Quaternion.h"
#include "neml2/kernels/Scalar.h"

#include <algorithm>
#include <unordered_map>

namespace neml2::python
{
namespace
{
using D = RecordedNumber;
using recorded::Recording;
using recorded::Symbol;

// ---- Component by component ----

using NumberFunction = D (*)(const D &);
using NumberFunction2 = D (*)(const D &, const D &);

const std::unordered_map<std::string, NumberFunction> &
functions_of_numbers()
{
  static const std::unordered_map<std::string, NumberFunction> functions = {
      {"abs", [](const D & a) { return abs(a); }},
      {"sign", [](const D & a) { return sign(a); }},
      {"heaviside", [](const D & a) { return kernels::heaviside(a); }},
      {"macaulay", [](const D & a) { return macaulay(a); }},
      {"dmacaulay", [](const D & a) { return kernels::dmacaulay(a); }},
      {"sqrt", [](const D & a) { return sqrt(a); }},
      {"cbrt", [](const D & a) { return cbrt(a); }},
      {"exp", [](const D & a) { return exp(a); }},
      {"expm1", [](const D & a) { return expm1(a); }},
      {"log", [](const D & a) { return log(a); }},
      {"log1p", [](const D & a) { return log1p(a); }},
      {"log10", [](const D & a) { return log10(a); }},
      {"deg2rad", [](const D & a) { return kernels::deg2rad(a); }},
      {"rad2deg", [](const D & a) { return kernels::rad2deg(a); }},
      {"sin", [](const D & a) { return sin(a); }},
      {"cos", [](const D & a) { return cos(a); }},
      {"tan", [](const D & a) { return tan(a); }},
      {"asin", [](const D & a) { return asin(a); }},
      {"acos", [](const D & a) { return acos(a); }},
      {"atan", [](const D & a) { return atan(a); }},
      {"sinh", [](const D & a) { return sinh(a); }},
      {"cosh", [](const D & a) { return cosh(a); }},
      {"tanh", [](const D & a) { return tanh(a); }},
      {"asinh", [](const D & a) { return asinh(a); }},
      {"acosh", [](const D & a) { return acosh(a); }},
      {"atanh", [](const D & a) { return atanh(a); }},
  };
  return functions;
}

D
power(const D & a, const D & n)
{
  // An exponent without partial derivatives contributes no derivative.
  const Recording & r = Recording::now();
  return r.is_constant(n.d[0].id, 0)   ? pow(a, n.x)
         : r.is_constant(a.d[0].id, 0) ? pow(a.x, n)
                                       : pow(a, n);
}

const std::unordered_map<std::string, NumberFunction2> &
functions_of_two_numbers()
{
  static const std::unordered_map<std::string, NumberFunction2> functions = {
      {"pow", power},
      {"atan2", [](const D & a, const D & b) { return atan2(a, b); }},
      {"hypot", [](const D & a, const D & b) { return hypot(a, b); }},
      {"fmod", [](const D & a, const D & b) { return fmod(a, b); }},
      {"maximum", [](const D & a, const D & b) { return maximum(a, b); }},
      {"minimum", [](const D & a, const D & b) { return minimum(a, b); }},
  };
  return functions;
}

/// Elementwise operators of Tensors; primitive types have special products.
const std::unordered_map<std::string, NumberFunction2> &
operators_of_tensors()
{
  static const std::unordered_map<std::string, NumberFunction2> operators = {
      {"+", [](const D & a, const D & b) { return D(a + b); }},
      {"-", [](const D & a, const D & b) { return D(a - b); }},
      {"*", [](const D & a, const D & b) { return D(a * b); }},
      {"/", [](const D & a, const D & b) { return D(a / b); }},
  };
  return operators;
}

bool
is_scalar(const Row & r)
{
  return r.type == &scalar_type();
}
bool
is_tensor(const Row & r)
{
  return r.type == &tensor_type();
}

/// The common type and base shape of operands. They are rows (tensors of a formula) of one type, or Tensors whose base shapes broadcast;
/// any of them may also be a scalar. Empty if the operands do not fit.
struct Common
{
  const TypeInfo * type = &scalar_type();
  TensorShape base;
};
template <class... R>
std::optional<Common>
common(const R &... rows)
{
  Common c;
  bool fits = true;
  const auto look = [&](const Row & r)
  {
    if (is_scalar(r) || !fits)
      return;
    fits = c.type == &scalar_type() || c.type == r.type;
    if (c.type == &tensor_type())
      c.base = utils::broadcast_sizes(TensorShapeRef(c.base), TensorShapeRef(r.base));
    else
      c.base = r.base;
    c.type = r.type;
  };
  (look(rows), ...);
  return fits ? std::optional<Common>(c) : std::nullopt;
}

/// For each component of the base shape `to`, the matching component of `from`, which broadcasts to it.
std::vector<size_t>
places(TensorShapeRef from, TensorShapeRef to)
{
  std::vector<size_t> all(size_t(c10::multiply_integers(to)));
  for (size_t i = 0; i < all.size(); i++)
  {
    size_t rest = i, step = 1;
    for (size_t d = 1; d <= from.size(); d++)
    {
      const auto size = size_t(to[to.size() - d]), own = size_t(from[from.size() - d]);
      all[i] += own == 1 ? 0 : rest % size * step;
      rest /= size;
      step *= own;
    }
  }
  return all;
}

/// f of each component of the rows; none if they do not fit.
template <class F, class... R>
std::optional<Row>
each_component(const F & f, const R &... rows)
{
  const auto c = common(rows...);
  if (!c)
    return std::nullopt;
  Row result(c->type, {}, c->base);
  const std::array<std::vector<size_t>, sizeof...(R)> at = {places(rows.base, c->base)...};
  for (size_t i = 0; i < at[0].size(); i++)
  {
    size_t k = 0;
    const std::array<const D *, sizeof...(R)> x = {&rows.components[at[k++][i]]...};
    result.components.push_back(std::apply([&](const auto *... a) { return f(*a...); }, x));
  }
  return result;
}

// ---- Tensors of any base shape ----

[[noreturn]] void
fail_shapes(const std::string & function, const Rows & x, const char * expected)
{
  std::ostringstream message;
  message << function << ": cannot take the base shape" << (x.size() > 1 ? "s" : "");
  for (size_t i = 0; i < x.size(); i++)
    message << (i == 0 ? " " : " and ") << TensorShapeRef(x[i].base);
  message << " in a formula. Expected " << expected << ".";
  fail_type(message.str());
}

/// The number of rows of a square matrix; throws for any other base shape.
size_t
rank_of(const std::string & function, const Rows & x)
{
  const TensorShape & base = x[0].base;
  if (base.size() != 2 || base[0] != base[1])
    fail_shapes(function, x, "a square matrix");
  return size_t(base[0]);
}

D
dot(const Row & a, const Row & b)
{
  D sum(0.0);
  for (size_t i = 0; i < a.components.size(); i++)
    sum =
        i == 0 ? D(a.components[i] * b.components[i]) : D(sum + a.components[i] * b.components[i]);
  return sum;
}

/// The product of two matrices, of a matrix and a vector, or of two vectors.
Row
product(const std::string & function, const Rows & x)
{
  const Row &a = x[0], &b = x[1];
  const size_t m = a.base.size(), n = b.base.size();
  if (m < 1 || m > 2 || n < 1 || n > m || a.base[m - 1] != b.base[0])
    fail_shapes(function, x, "those of two matrices, a matrix and a vector, or two vectors");
  const auto rows = size_t(m == 2 ? a.base[0] : 1), columns = size_t(n == 2 ? b.base[1] : 1),
             inner = size_t(b.base[0]);
  Numbers r;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
    {
      D sum(0.0);
      for (size_t k = 0; k < inner; k++)
      {
        const D term = a.components[i * inner + k] * b.components[k * columns + j];
        sum = k == 0 ? term : D(sum + term);
      }
      r.push_back(sum);
    }
  TensorShape base;
  if (m == 2)
    base.push_back(a.base[0]);
  if (n == 2)
    base.push_back(b.base[1]);
  return {&tensor_type(), std::move(r), base};
}

Row
scalar(const D & x)
{
  return {&scalar_type(), {x}};
}

Row
divided(const Row & a, const Row & by)
{
  return *each_component([](const D & x, const D & n) { return D(x / n); }, a, by);
}

std::optional<Row>
call_of_tensor(const std::string & name, const Row & a)
{
  if (name == "negate")
    return each_component([](const D & x) { return D(-x); }, a);
  if (name == "norm_sq")
    return scalar(dot(a, a));
  if (name == "norm" || name == "vector_norm")
    return scalar(kernels::norm_of_square(dot(a, a)));
  if (name == "unit")
    return divided(a, scalar(kernels::norm_of_square(dot(a, a))));
  if (name == "det")
    return Row(&scalar_type(), record_determinant(a.components, rank_of(name, {a})));
  if (name == "inv")
    return Row(a.type, record_inverse(a.components, rank_of(name, {a})), a.base);
  if (name == "cholesky")
    return Row(a.type, record_cholesky(a.components, rank_of(name, {a})), a.base);
  if (name == "tr")
  {
    const size_t n = rank_of(name, {a});
    D sum(0.0);
    for (size_t i = 0; i < n; i++)
      sum = i == 0 ? a.components[0] : D(sum + a.components[i * n + i]);
    return scalar(sum);
  }
  return std::nullopt;
}

std::optional<Row>
call_of_two_tensors(const std::string & name, const Rows & x)
{
  const Row &a = x[0], &b = x[1];
  if (const auto f = operators_of_tensors().find(name); f != operators_of_tensors().end())
    return each_component(f->second, a, b);
  if (name == "inner")
  {
    if (a.base != b.base)
      fail_shapes(name, x, "two that are equal");
    return scalar(dot(a, b));
  }
  if (name == "vdot" || name == "vecdot")
  {
    if (a.base.size() != 1 || a.base != b.base)
      fail_shapes(name, x, "those of two vectors");
    return scalar(dot(a, b));
  }
  if (name == "@" || name == "mm" || name == "mv")
    return product(name, x);
  if (name == "solve")
  {
    const size_t rank = rank_of(name, x);
    if (b.base.empty() || b.base.size() > 2 || size_t(b.base[0]) != rank)
      fail_shapes(name, x, "those of a square matrix and of right sides of as many rows");
    return Row(b.type, record_solve(a.components, b.components, rank), b.base);
  }
  return std::nullopt;
}

/// Calls a function for which Tensors need code of their own, because a Tensor may have any base shape. None if there is no such function
/// of this name.
std::optional<Row>
call_of_tensors(const std::string & name, const Rows & x)
{
  if (x.size() == 1 && is_tensor(x[0]))
    return call_of_tensor(name, x[0]);
  const auto fits = [](const Row & r) { return is_tensor(r) || is_scalar(r); };
  if (x.size() == 2 && fits(x[0]) && fits(x[1]) && (is_tensor(x[0]) || is_tensor(x[1])))
    return call_of_two_tensors(name, x);
  return std::nullopt;
}

/// The elementwise arithmetic of types for which there are no kernels, such as R5. None if the operands are of other types.
std::optional<Row>
arithmetic(const std::string & name, const Rows & x)
{
  const auto has_kernels = [](const Row & r)
  { return !is_scalar(r) && find_row_function("negate", {r}); };
  if (x.empty() || x.size() > 2 || std::any_of(x.begin(), x.end(), has_kernels))
    return std::nullopt;
  if (name == "negate")
    return call_of_tensor(name, x[0]);
  const auto f = operators_of_tensors().find(name);
  if (x.size() == 1 || f == operators_of_tensors().end() ||
      (name == "*" && !is_scalar(x[0]) && !is_scalar(x[1])))
    return std::nullopt;
  return each_component(f->second, x[0], x[1]);
}

/// norm(a, epsilon), or unit(a, epsilon).
Row
with_epsilon(const std::string & name, const Row & a, const D & epsilon)
{
  if (Recording::now().is_constant(epsilon.x.id, 0) || is_scalar(a)) // the function without epsilon
    return call_by_name(name, {a})[0];
  const Row norm =
      scalar(kernels::norm_of_square(D(call_by_name("norm_sq", {a})[0].components[0] + epsilon)));
  if (name == "norm")
    return norm;
  return divided(a, norm);
}

// ---- Tensors made of others ----

const TypeInfo &
type_named(const char * name)
{
  return info(nb::module_::import_("neml2_tensors.tensors").attr(name));
}

/// Calls a function that makes a tensor from numbers, such as SR2.fill. None if the function is not one of these.
std::optional<Row>
build(const std::string & name, const Rows & x)
{
  const auto zero = D(Symbol(0.0));
  const auto at = [&](size_t i) { return x[i].components[0]; };
  for (const auto & r : x)
    if (!is_scalar(r))
      return std::nullopt;
  const auto dot = name.find('.');
  if (dot == name.npos || name.substr(dot) != ".fill")
    return std::nullopt;
  const std::string type = name.substr(0, dot);
  const size_t n = x.size();
  Numbers c;
  if (type == "SR2" && (n == 1 || n == 3 || n == 6))
    for (size_t i = 0; i < 6; i++)
      c.push_back(i < 3 ? at(n == 1 ? 0 : i) : n == 6 ? at(i) * Symbol(std::sqrt(2.0)) : zero);
  else if (type == "R2" && n == 6) // from the components of a symmetric tensor
    for (const size_t i : {0, 5, 4, 5, 1, 3, 4, 3, 2})
      c.push_back(at(i));
  else if (type == "R2" && (n == 1 || n == 3 || n == 9))
    for (size_t i = 0; i < 9; i++)
      c.push_back(n == 9 ? at(i) : i % 4 == 0 ? at(n == 1 ? 0 : i / 4) : zero);
  else if ((n == 3 && (type == "Vec" || type == "Rot" || type == "WR2")) ||
           (n == 4 && type == "Quaternion"))
    for (size_t i = 0; i < n; i++)
      c.push_back(at(i));
  else
    return std::nullopt;
  return Row(&type_named(type.c_str()), std::move(c));
}

/// The conversion Type(x): x itself, the result of the type's own conversion function, or an object of type Type with the same numbers, if
/// both types have the same base shape. None if there is no such conversion.
std::optional<Rows>
convert(const std::string & type, const Row & x)
{
  static const std::unordered_map<std::string, const char *> functions = {
      {"R2(SR2)", "full"},
      {"R2(WR2)", "full"},
      {"R2(Rot)", "euler_rodrigues"},
      {"SR2(R2)", "sym"},
      {"WR2(R2)", "skew_part"},
      {"R4(SSR4)", "full"},
      {"R4(WWR4)", "full_skew_pairs"},
      {"SSR4(R4)", "sym"},
      {"SWR4(R4)", "sym_by_skew"},
      {"WSR4(R4)", "skew_by_sym"},
      {"WWR4(R4)", "skew_by_skew"},
      {"Quaternion(Rot)", "to_quaternion"}};
  if (type == x.type->name)
    return Rows{x};
  if (const auto found = functions.find(type + "(" + x.type->name + ")"); found != functions.end())
    return call_rows(found->second, {x});
  if (type.substr(type.rfind('.') + 1) == "tensor" || type == tensor_type().name)
    return Rows{Row(&tensor_type(), x.components, x.base)};
  if (!nb::hasattr(nb::module_::import_("neml2_tensors.tensors"), type.c_str()))
    return std::nullopt;
  const TypeInfo & to = type_named(type.c_str());
  const bool fits = TensorShapeRef(x.base) == to.base;
  if (!fits && !is_tensor(x))
    return std::nullopt;
  if (!fits)
  {
    std::ostringstream expected;
    expected << to.base;
    fail_shapes(type, {x}, expected.str().c_str());
  }
  return Rows{Row(&to, x.components)};
}
} // namespace

std::string
formula_name(const std::string & name)
{
  static const std::unordered_map<std::string, std::string> others = {
      {"inverse", "inv"}, {"dot", "inner"}, {"__matmul__", "@"}, {"clip", "clamp"}};
  const std::string last = name.substr(name.rfind('.') + 1);
  const auto found = others.find(last);
  return found == others.end() ? last : found->second;
}

bool
has_function(const std::string & name)
{
  const std::string n = formula_name(name);
  return n == "where" || n == "clamp" || n == "tensor" || functions_of_numbers().count(n) ||
         functions_of_two_numbers().count(n) || !row_functions(n).empty();
}

Rows
call_by_name(const std::string & qualified, const Rows & x)
{
  if (const auto built = build(qualified, x))
    return {*built};
  if (qualified == "WR2.exp") // the exponential map, but math.exp works component by component
    return call_rows("exp_map", x);
  if (qualified == "Quaternion.exp_map" && x.size() == 1 && x[0].components.size() == 3)
  { // exp_map is the map to Rot
    kernels::Vec<D> w{kernels::Unset()};
    std::copy(x[0].components.begin(), x[0].components.end(), w.v);
    const kernels::Quaternion<D> q = kernels::exp_quaternion(w);
    return {Row(&type_named("Quaternion"), Numbers(std::begin(q.v), std::end(q.v)))};
  }
  if (x.size() == 1)
    if (const auto converted = convert(qualified, x[0]))
      return *converted;
  std::string name = formula_name(qualified);
  std::optional<Row> r;
  if (const auto f = functions_of_numbers().find(name);
      x.size() == 1 && f != functions_of_numbers().end())
    r = each_component(f->second, x[0]);
  if (const auto f = functions_of_two_numbers().find(name);
      x.size() == 2 && f != functions_of_two_numbers().end())
    r = each_component(f->second, x[0], x[1]);
  if (name == "clamp" && x.size() == 3)
    r = each_component([](const D & a, const D & lower, const D & upper)
                       { return kernels::clamp(a, lower, upper); },
                       x[0],
                       x[1],
                       x[2]);
  if (name == "clamp" && x.size() != 3)
    fail_type("clamp: takes a value and two bounds, clamp(a, lower, upper).");
  if ((name == "norm" || name == "unit") && x.size() == 2 && is_scalar(x[1]))
    return {with_epsilon(name, x[0], x[1].components[0])};
  if (!r)
    r = call_of_tensors(name, x);
  if (r)
    return {*r};
  if (name == "rotate" && x.size() == 2 && x[1].type == &type_named("Quaternion") &&
      x[0].type != &type_named("Vec"))
    return call_rows(name, {x[0], call_rows("rotation_matrix", {x[1]})[0]});
  if (name == "@" &&
      std::any_of(x.begin(), x.end(), [](const Row & row) { return is_scalar(row); }))
    return call_rows(name, x); // refuses them, as on batches
  if (const auto plain = find_row_function(name, x) ? std::nullopt : arithmetic(name, x))
    return {*plain};
  return call_rows(name == "@" ? "*" : name, x);
}

std::optional<Row>
choose(const Choice & c, const Row & a, const Row & b)
{
  auto of = common(a, b);
  if (!of)
    return std::nullopt;
  if (of->type == &scalar_type() && !c.base.empty())
    of->type = &tensor_type();
  if (of->type == &tensor_type())
    of->base = utils::broadcast_sizes(TensorShapeRef(of->base), TensorShapeRef(c.base));
  else if (!c.base.empty() && c.base != of->base)
    return std::nullopt;
  Row r(of->type, {}, of->base);
  const auto i = places(c.base, of->base), j = places(a.base, of->base),
             k = places(b.base, of->base);
  for (size_t n = 0; n < i.size(); n++)
    r.components.push_back(where(c.conditions[i[n]], a.components[j[n]], b.components[k[n]]));
  return r;
}

std::optional<Choice>
compare(const Row & a,
        const Row & b,
        recorded::Condition (*compare)(const recorded::Symbol &, const recorded::Symbol &))
{
  const auto of = common(a, b);
  if (!of)
    return std::nullopt;
  Choice c({}, of->base);
  const auto i = places(a.base, of->base), j = places(b.base, of->base);
  for (size_t n = 0; n < i.size(); n++)
    c.conditions.push_back(compare(a.components[i[n]].x, b.components[j[n]].x));
  return c;
}
} // namespace neml2::python
