// SPDX-License-Identifier: MIT
#include "bindings/functions.h"
#include "bindings/math.h"

#include <neml2/neml2.h>
#include <nanobind/stl/variant.h>
#include <nanobind/typing.h>

namespace neml2::python
{
void
fail_types(const char * name, const Any & a, const Any & b, const char * expected)
{
  const std::string message = std::string(name) + ": not defined for " + a.type->name + " and " +
                              b.type->name + ". " + expected + ".";
  throw nb::type_error(message.c_str());
}

void
check_same_type(const char * name, const Any & a, const Any & b)
{
  if (a.type != b.type)
    fail_types(name, a, b, "Expected tensors of one type: convert one of them");
}

std::vector<Scalar>
scalars(std::initializer_list<const Factor *> factors)
{
  const auto tensor =
      std::find_if(factors.begin(), factors.end(), [](const Factor * f) { return !f->number; });
  if (tensor == factors.end())
    throw nb::next_overload();
  core::check_defined("Scalar", (*tensor)->value());
  const TensorOptions options = (*tensor)->tensor->options().requires_grad(false);
  const bool integers = c10::isIntegralType((*tensor)->tensor->scalar_type(), true);
  std::vector<Scalar> r;
  for (const Factor * f : factors)
    if (!f->number)
      r.emplace_back(f->value());
    // A number that is not an integer becomes float64 beside a Scalar of integers; the different dtypes then cause an error.
    else if (integers && !f->number->isIntegral(true))
      r.emplace_back(core::make_full({}, *f->number, options.dtype(kFloat64)));
    else
      r.emplace_back(core::make_full({}, *f->number, options));
  return r;
}

std::vector<Tensor>
values(const Tensors & list)
{
  return {list.begin(), list.end()};
}

namespace
{
bool
are_dynamic(const Tensors & list)
{
  return std::none_of(list.begin(), list.end(), [](const Any & a) { return a.type->fixed_base; });
}

/// The batch shape to which the batch shapes of tensors broadcast. At least one of the tensors has a type that fixes its base shape.
TensorShape
common_batch(const Tensors & list)
{
  TensorShape shape;
  for (const Any & a : list)
  {
    core::check_defined("broadcast_to_match", a.value());
    shape = utils::broadcast_sizes(TensorShapeRef(shape), TensorShapeRef(a.value().batch_sizes()));
  }
  return shape;
}

/// A tuple of x with the type of a, and y with the type of b.
nb::tuple
tuple_of(const Any & a, const Tensor & x, const Any & b, const Tensor & y)
{
  return nb::make_tuple(a.like(x).object, b.like(y).object);
}

nb::tuple
expanded(const Tensors & list, const TensorShape & batch)
{
  nb::list r;
  for (const Any & a : list)
    r.append(a.like(a.value().batch_expand(batch)).object);
  return nb::tuple(r);
}

void
bind_broadcasting(nb::module_ & m)
{
  m.def(
      "broadcast_shapes",
      [](const TensorShape & a, const TensorShape & b, const TensorShape & c, const TensorShape & d)
      { return broadcast_shapes(a, b, c, d); },
      nb::arg("a"),
      nb::arg("b"),
      nb::arg("c") = nb::make_tuple(),
      nb::arg("d") = nb::make_tuple(),
      doc("broadcast_shapes"),
      nb::sig("def broadcast_shapes(a: collections.abc.Sequence[int], b: "
              "collections.abc.Sequence[int], "
              "c: collections.abc.Sequence[int] = (), d: collections.abc.Sequence[int] = ()) -> "
              "tuple[int, ...]"));
  m.def(
      "broadcast_batch_sizes",
      [](const Tensors & tensors)
      {
        TensorShape r;
        for (const auto & t : values(tensors))
          if (t.defined())
            r = utils::broadcast_sizes(r, t.batch_sizes());
        return r;
      },
      nb::arg("tensors"),
      "The batch shape to which the batch shapes of all tensors broadcast. Undefined tensors are "
      "skipped; for an empty list it is ().\nRaises ValueError if they do not broadcast.",
      nb::sig("def broadcast_batch_sizes(tensors: "
              "collections.abc.Sequence[neml2_tensors.tensors.TensorBase]) -> tuple[int, ...]"));
  m.def(
      "with_matching_ranks",
      [](const Any & a, const Any & b)
      {
        if (are_dynamic({a, b}))
        {
          const auto [x, y] = with_matching_ranks(a.value(), b.value());
          return tuple_of(a, x, b, y);
        }
        const Size n = std::max(a.batch_dim, b.batch_dim);
        return tuple_of(a,
                        a.value().batch_unsqueeze(0, n - a.batch_dim),
                        b,
                        b.value().batch_unsqueeze(0, n - b.batch_dim));
      },
      nb::arg("a"),
      nb::arg("b"),
      doc("with_matching_ranks"),
      nb::sig("def with_matching_ranks(a: T, b: U) -> tuple[T, U]"));
  m.def(
      "broadcasted",
      [](const Any & a, const TensorShape & shape)
      { return a.like(broadcasted(a.value(), shape)); },
      nb::arg("a"),
      nb::arg("shape"),
      doc("broadcasted"),
      nb::sig("def broadcasted(a: T, shape: int | collections.abc.Sequence[int]) -> T"));
  m.def(
      "broadcasted",
      [](const Any & a, const Any & b)
      {
        if (!are_dynamic({a, b}))
          return expanded({a, b}, common_batch({a, b}));
        const auto [x, y] = broadcasted(a.value(), b.value());
        return tuple_of(a, x, b, y);
      },
      nb::arg("a"),
      nb::arg("b"),
      doc("broadcasted"),
      nb::sig("def broadcasted(a: T, b: U) -> tuple[T, U]"));
  m.def(
      "broadcasted",
      [](const Any & a, const Any & b, const Any & c)
      {
        if (!are_dynamic({a, b, c}))
          return expanded({a, b, c}, common_batch({a, b, c}));
        const auto [x, y, z] = broadcasted(a.value(), b.value(), c.value());
        return nb::make_tuple(a.like(x).object, b.like(y).object, c.like(z).object);
      },
      nb::arg("a"),
      nb::arg("b"),
      nb::arg("c"),
      doc("broadcasted"),
      nb::sig("def broadcasted(a: T, b: U, c: V) -> tuple[T, U, V]"));
  m.def(
      "can_broadcast_to_match",
      [](const Any & a, const Any & b)
      {
        if (are_dynamic({a, b}))
          return can_broadcast_to_match(a.value(), b.value());
        core::check_defined("can_broadcast_to_match", a.value());
        core::check_defined("can_broadcast_to_match", b.value());
        return utils::batch_broadcastable(a.value(), b.value());
      },
      nb::arg("a"),
      nb::arg("b"),
      "Whether broadcasted(a, b) would accept a and b.");
}

/// Throws if y has no derivatives. In C++ derivatives that do not exist are undefined tensors; in Python these would cause errors later, in
/// other code.
void
check_differentiable(const Any & y)
{
  core::check_defined("jacrev", y.value());
  if (!y.tensor->requires_grad())
    core::fail(
        "jacrev: y, ",
        core::operand(y.value()),
        ", was not computed from anything that requires grad. Call x.requires_grad_() before "
        "computing y, and compute it outside of torch.no_grad().");
}

/// The gradients. They are computed without holding the GIL, because other threads of autograd's engine may need it.
std::vector<Tensor>
jacrev_released(
    const Tensor & y, const std::vector<Tensor> & xs, bool retain, bool create, bool unused)
{
  const nb::gil_scoped_release released;
  return jacrev(y, xs, retain, create, unused);
}

void
bind_jacrev(nb::module_ & m)
{
  m.def(
      "jacrev",
      [](const Any & y, const Any & x, bool retain_graph, bool create_graph, bool allow_unused)
      {
        check_differentiable(y);
        return jacrev_released(y, {x}, retain_graph, create_graph, allow_unused)[0];
      },
      nb::arg("y"),
      nb::arg("x"),
      nb::arg("retain_graph") = false,
      nb::arg("create_graph") = false,
      nb::arg("allow_unused") = false,
      doc("jacrev"));
  m.def(
      "jacrev",
      [](const Any & y, const Tensors & xs, bool retain_graph, bool create_graph, bool allow_unused)
      {
        check_differentiable(y);
        return jacrev_released(y, values(xs), retain_graph, create_graph, allow_unused);
      },
      nb::arg("y"),
      nb::arg("xs"),
      nb::arg("retain_graph") = false,
      nb::arg("create_graph") = false,
      nb::arg("allow_unused") = false,
      doc("jacrev"));
}

template <class Apply>
void
bind_list_derivative(nb::module_ & m, const char * name, const Apply & apply)
{
  const std::string signature =
      std::string("def ") + name +
      "(f: collections.abc.Callable[[T, U], neml2_tensors.tensors.TensorBase], a: T, b: U) -> "
      "neml2_tensors.tensors.Tensor";
  m.def(
      name,
      [name, apply](const nb::callable & f, const Any & a, const Any & b)
      {
        const auto call = [&](const Tensor & x, const Tensor & y)
        {
          const nb::object r = f(a.like(x).object, b.like(y).object);
          Any result;
          if (!nb::try_cast<Any>(r, result))
            throw nb::type_error(
                (std::string(name) + ": the function must return a tensor of neml2").c_str());
          return result.value();
        };
        return apply(call, a.value(), b.value());
      },
      nb::arg("f"),
      nb::arg("a"),
      nb::arg("b"),
      doc(name),
      nb::sig(signature.c_str()));
}

void
bind_lists(nb::module_ & m)
{
  bind_list_derivative(m,
                       "list_derivative_outer_product_a",
                       [](const auto & f, const Tensor & a, const Tensor & b)
                       { return list_derivative_outer_product_a(f, a, b); });
  bind_list_derivative(m,
                       "list_derivative_outer_product_b",
                       [](const auto & f, const Tensor & a, const Tensor & b)
                       { return list_derivative_outer_product_b(f, a, b); });
  bind_list_derivative(m,
                       "list_derivative_outer_product_ab",
                       [](const auto & f, const Tensor & a, const Tensor & b)
                       { return list_derivative_outer_product_ab(f, a, b); });
}

/// Binds T::identity_map as a function of the type T.
void
bind_identity_map(nb::module_ & m, const char * name)
{
  const std::string signature =
      std::string("def ") + name +
      "(type: type[neml2_tensors.tensors.TensorBase], *, dtype: torch.dtype | "
      "None = None, device: torch.device "
      "| str | None = None, requires_grad: bool = False) -> typing.Any";
  m.def(
      name,
      [name](const nb::type_object & type, const nb::kwargs & options) -> nb::object
      {
        const std::string what =
            std::string(name) + ": " + nb::cast<std::string>(type.attr("__name__"));
        if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type.ptr()),
                              reinterpret_cast<PyTypeObject *>(nb::type<AnyTensor>().ptr())))
          throw nb::type_error((what + " is not a tensor type").c_str());
        if (!nb::hasattr(type, "identity_map"))
          core::fail(what,
                     " has no identity_map. Scalar, Vec, R2, SR2, WR2, SSR4 and Rot have one.");
        return type.attr("identity_map")(**options);
      },
      nb::arg("type"),
      nb::arg("options"),
      "The derivative of a tensor of this type by itself, type.identity_map(): 1 for Scalar, δ_ij "
      "for Vec, δ_ik δ_jl for R2, the symmetric identity for SR2. It has no batch "
      "dimensions.\nRaises ValueError for a type without identity_map.",
      nb::sig(signature.c_str()));
}

using Convert = Tensor (*)(const Tensor &, Size);

void
conversion(nb::module_ & m, const char * name, const char * argument, Convert f)
{
  m.def(
      name,
      [f](const Any & a, Size dim) { return f(a.value(), dim); },
      nb::arg(argument),
      nb::arg("dim") = 0,
      doc(name));
}

/// Binds a constant tensor, which C++ makes once and shares. Python gets a copy, to which it may write.
void
constant(nb::module_ & m,
         const char * name,
         const Tensor & (*f)(const TensorOptions &),
         decltype(&options) make_options)
{
  m.def(
      name,
      [f, make_options](OptionalDtype dtype, const OptionalDevice & device)
      {
        const Tensor & shared = f(make_options(dtype, device, false));
        return Tensor(core::lifted(shared).clone(), shared.batch_dim());
      },
      nb::kw_only(),
      nb::arg("dtype") = nb::none(),
      nb::arg("device") = nb::none(),
      doc(name));
}

void
bind_mandel(nb::module_ & m)
{
  conversion(m, "full_to_mandel", "full", full_to_mandel);
  conversion(m, "mandel_to_full", "mandel", mandel_to_full);
  conversion(m, "full_to_skew", "full", full_to_skew);
  conversion(m, "skew_to_full", "skew", skew_to_full);
  m.def(
      "full_to_reduced",
      [](const Any & full, const Any & rmap, const Any & rfactors, Size dim)
      { return full_to_reduced(full, rmap, rfactors, dim); },
      nb::arg("full"),
      nb::arg("rmap"),
      nb::arg("rfactors"),
      nb::arg("dim") = 0,
      doc("full_to_reduced"));
  m.def(
      "reduced_to_full",
      [](const Any & reduced, const Any & rmap, const Any & rfactors, Size dim)
      { return reduced_to_full(reduced, rmap, rfactors, dim); },
      nb::arg("reduced"),
      nb::arg("rmap"),
      nb::arg("rfactors"),
      nb::arg("dim") = 0,
      doc("reduced_to_full"));
  m.def("mandel_factor", mandel_factor, nb::arg("i"), doc("mandel_factor"));
  constant(m, "full_to_mandel_map", full_to_mandel_map, integer_options);
  constant(m, "full_to_mandel_factor", full_to_mandel_factor, options);
  constant(m, "mandel_to_full_map", mandel_to_full_map, integer_options);
  constant(m, "mandel_to_full_factor", mandel_to_full_factor, options);
  constant(m, "full_to_skew_map", full_to_skew_map, integer_options);
  constant(m, "full_to_skew_factor", full_to_skew_factor, options);
  constant(m, "skew_to_full_map", skew_to_full_map, integer_options);
  constant(m, "skew_to_full_factor", skew_to_full_factor, options);
}

/// A tensor as an argument of functions for which it does not matter which dimensions are batch dimensions. It may be a torch.Tensor.
using Raw = std::variant<at::Tensor, Any>;

at::Tensor
raw(const Raw & t)
{
  if (const auto * a = std::get_if<Any>(&t))
    return *a->tensor;
  return std::get<at::Tensor>(t);
}

void
bind_discretization(nb::module_ & m)
{
  m.def(
      "scatter",
      [](const Raw & v, const Any & dof_map) { return discretization::scatter(raw(v), dof_map); },
      nb::arg("v"),
      nb::arg("dof_map"),
      doc("scatter"));
  m.def(
      "assemble_",
      [](const Raw & v, const Raw & v_scattered, const Any & dof_map)
      { discretization::assemble_(raw(v), raw(v_scattered), dof_map); },
      nb::arg("v"),
      nb::arg("v_scattered"),
      nb::arg("dof_map"),
      doc("assemble_"));
  m.def(
      "assemble",
      [](const Raw & v_scattered, const Any & dof_map, Size ndof)
      { return discretization::assemble(raw(v_scattered), dof_map, ndof); },
      nb::arg("v_scattered"),
      nb::arg("dof_map"),
      nb::arg("ndof"),
      doc("assemble"));
  m.def(
      "interpolate",
      [](const Any & elem_dofs, const Any & basis)
      { return discretization::interpolate(elem_dofs, basis); },
      nb::arg("elem_dofs"),
      nb::arg("basis"),
      doc("discretization::interpolate"));
}

/// A table with this many base dimensions. In a torch.Tensor these are the last dimensions.
Tensor
table(const Raw & t, Size base_dim)
{
  if (const auto * a = std::get_if<Any>(&t))
    return *a;
  const auto & r = std::get<at::Tensor>(t);
  NEML2_CHECK(r.dim() >= base_dim,
              "interpolate: expected a table of ",
              base_dim,
              base_dim == 1 ? " dimension" : " dimensions",
              " or more, got a tensor of ",
              r.dim(),
              ".");
  return Tensor(r, r.dim() - base_dim);
}

template <class Choice, size_t n>
Choice
chosen(const std::string & name, const std::array<std::pair<const char *, Choice>, n> & choices)
{
  std::string all;
  for (const auto & [key, choice] : choices)
  {
    if (name == key)
      return choice;
    all += (all.empty() ? "'" : ", '") + std::string(key) + "'";
  }
  throw NEMLException("interpolate: '" + name + "' is not one of " + all + ".");
}
} // namespace

Interpolant
interpolant_named(const std::string & name)
{
  return chosen(name,
                std::array{std::pair("linear", Interpolant::linear),
                           std::pair("monotone_cubic", Interpolant::monotone_cubic)});
}
Beyond
beyond_named(const std::string & name)
{
  return chosen(name,
                std::array{std::pair("constant", Beyond::constant),
                           std::pair("extrapolate", Beyond::extrapolate),
                           std::pair("nan", Beyond::nan)});
}

namespace
{
void
bind_tables(nb::module_ & m)
{
  m.def(
      "interpolate",
      [](const Scalar & x,
         const Raw & xs,
         const Raw & ys,
         const std::string & kind,
         const std::string & outside)
      {
        return interpolate(
            x, table(xs, 1), table(ys, 1), interpolant_named(kind), beyond_named(outside));
      },
      nb::arg("x"),
      nb::arg("abscissae"),
      nb::arg("ordinates"),
      nb::arg("interpolant") = "linear",
      nb::arg("beyond") = "constant",
      doc("interpolate"));
  m.def(
      "interpolate",
      [](const Scalar & x,
         const Scalar & y,
         const Raw & xs,
         const Raw & ys,
         const Raw & values,
         const std::string & outside) {
        return interpolate(
            x, y, table(xs, 1), table(ys, 1), table(values, 2), beyond_named(outside));
      },
      nb::arg("x"),
      nb::arg("y"),
      nb::arg("x_abscissae"),
      nb::arg("y_abscissae"),
      nb::arg("values"),
      nb::arg("beyond") = "constant",
      doc("interpolate"));
  m.def(
      "linear_interpolation",
      [](const Scalar & x, const Raw & xs, const Raw & ys, const std::string & outside) {
        return interpolate(
            x, table(xs, 1), table(ys, 1), Interpolant::linear, beyond_named(outside));
      },
      nb::arg("x"),
      nb::arg("abscissae"),
      nb::arg("ordinates"),
      nb::arg("beyond") = "constant",
      "interpolate with straight lines from point to point. (...; ), (...; n), (...; n) -> (...; "
      ")");
  m.def(
      "bilinear_interpolation",
      [](const Scalar & x,
         const Scalar & y,
         const Raw & xs,
         const Raw & ys,
         const Raw & values,
         const std::string & outside) {
        return interpolate(
            x, y, table(xs, 1), table(ys, 1), table(values, 2), beyond_named(outside));
      },
      nb::arg("x"),
      nb::arg("y"),
      nb::arg("x_abscissae"),
      nb::arg("y_abscissae"),
      nb::arg("values"),
      nb::arg("beyond") = "constant",
      "interpolate in a table of two abscissae. (...; ), (...; ), (...; n), (...; m), (...; n, m) "
      "-> (...; )");
}
} // namespace

void
bind_functions(nb::module_ & m)
{
  for (const char * name : {"T", "U", "V"})
    m.attr(name) = nb::type_var(name, nb::arg("bound") = nb::type<AnyTensor>());
  bind_elementwise(m);
  bind_dimensions(m);
  bind_products(m);
  bind_broadcasting(m);
  bind_jacrev(m);
  bind_lists(m);
  bind_identity_map(m, "imap_v");
  bind_identity_map(m, "imap");
  bind_mandel(m);
  bind_discretization(m);
  bind_tables(m);
}
} // namespace neml2::python
