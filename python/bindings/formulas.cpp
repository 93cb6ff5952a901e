// SPDX-License-Identifier: MIT
#include "bindings/rows.h"

#include "neml2/core/modes.h"
#include "neml2/engine/formula_jacobian.h"
#include "neml2/engine/recorded_formula.h"
#include "neml2/recorded/source.h"

#include <deque>
#include <numeric>

/// Formulas: functions of Python recorded, and run over batches.
namespace neml2::python
{
namespace
{
using engine::RecordedFormula;
using recorded::Recording;

/// What a formula returned, flat: tensors and numbers, and what puts them together; None of one alone.
struct Returned
{
  std::vector<nb::object> leaves;
  nb::object together;
};

/// What formulas, and gradients that outlive them, hold of Python.
struct PythonFunction
{
  nb::object function, flatten;

  PythonFunction(nb::object f, nb::object g) : function(std::move(f)), flatten(std::move(g)) {}
  PythonFunction(const PythonFunction &) = delete;
  PythonFunction & operator=(const PythonFunction &) = delete;
  ~PythonFunction() // on whatever thread of autograd
  {
    if (!Py_IsInitialized())
    {
      function.release();
      flatten.release();
      return;
    }
    const nb::gil_scoped_acquire gil;
    function.reset();
    flatten.reset();
  }

  Returned call(const nb::list & arguments) const
  {
    const nb::object r = function(*arguments);
    if (nb::isinstance<Row>(r) || type_of(r))
      return {{r}, nb::none()};
    const auto flat = nb::cast<nb::tuple>(flatten(r));
    Returned all{{}, flat[1]};
    for (const nb::handle leaf : nb::cast<nb::list>(flat[0]))
      all.leaves.push_back(nb::borrow(leaf));
    return all;
  }
};

/// What an argument or a result is: a plain number has no type.
struct Kind
{
  const TypeInfo * type;
  TensorShape base;

  friend bool operator==(const Kind & a, const Kind & b)
  {
    return a.type == b.type && a.base == b.base;
  }
};

/// A formula for arguments of certain types.
struct Recorded
{
  std::vector<Kind> types, results;
  std::shared_ptr<const PythonFunction> python;
  nb::object together; ///< of the results; None of one
  std::unique_ptr<const RecordedFormula> formula;
};

/// A result of the function on whole batches, of the whole batch shape.
at::Tensor
composed_result(nb::handle r, const Kind & kind, TensorShapeRef batch, const at::Tensor & like)
{
  const TypeInfo * const given = type_of(r);
  if (!given)
  {
    c10::Scalar x;
    if (!nb::try_cast(r, x))
      fail_type(std::string("vmap: the formula returned a ") + Py_TYPE(r.ptr())->tp_name +
                " on whole batches");
    const auto dtype = c10::isFloatingType(like.scalar_type()) ? like.scalar_type() : kFloat64;
    return at::full(batch, x, like.options().dtype(dtype).requires_grad(false));
  }
  const void * p = nb::inst_ptr<void>(r);
  const Tensor t(core::Trusted(), given->tensor(p), given->batch_dim(p), given->name_in_messages);
  if (t.base_sizes() != TensorShapeRef(kind.base))
    fail_type(std::string("vmap: the formula returned a ") + given->name + " on whole batches, a " +
              kind.type->name + " when it was recorded");
  return t.batch_sizes() == batch ? at::Tensor(t) : at::Tensor(t.batch_expand(batch));
}

/// How many functions of formulas are called on whole batches in this thread.
thread_local int composing = 0;

class Composing
{
public:
  Composing() { composing++; }
  Composing(const Composing &) = delete;
  Composing & operator=(const Composing &) = delete;
  ~Composing() { composing--; }
};

class RecordedGradient : public engine::Gradient
{
public:
  explicit RecordedGradient(std::shared_ptr<const Recorded> r) : _r(std::move(r)) {}

  const char * name() const override { return "VmapBackward"; }

  bool backward(ArrayRef<at::Tensor> results,
                ArrayRef<at::Tensor> arguments,
                ArrayRef<bool> needed,
                at::Tensor * gradients) const override
  {
    std::deque<double> numbers;
    std::vector<core::Operand> o;
    for (size_t i = 0; i < arguments.size(); i++)
      if (const Kind & k = _r->types[i]; k.type)
        o.push_back(
            {&arguments[i], k.type->name, arguments[i].dim() - Size(k.base.size()), k.base});
      else
      {
        numbers.push_back(arguments[i].item<double>());
        o.push_back(core::operand(numbers.back()));
      }
    return _r->formula->backward(o, results, needed, gradients);
  }

  void compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const override
  {
    const nb::gil_scoped_acquire gil;
    nb::list a;
    TensorShape batch;
    at::Tensor like;
    for (size_t i = 0; i < arguments.size(); i++)
      if (const Kind & k = _r->types[i]; k.type)
      {
        const Tensor t(arguments[i], arguments[i].dim() - Size(k.base.size()));
        batch = utils::broadcast_sizes(TensorShapeRef(batch), t.batch_sizes());
        like = arguments[i];
        a.append(k.type->make(t));
      }
      else
        a.append(nb::float_(arguments[i].item<double>()));
    const Composing now;
    const Returned r = _r->python->call(a);
    for (size_t i = 0; i < r.leaves.size(); i++)
      results[i] = composed_result(r.leaves[i], _r->results[i], batch, like);
  }

private:
  std::shared_ptr<const Recorded> _r;
};

/// The arguments of a call, as operands.
struct Call
{
  std::vector<Kind> types;
  std::vector<core::Operand> operands;
  std::deque<double> numbers;
  at::Tensor like;

  /// False if an argument is neither a tensor nor a number.
  bool read(const nb::args & arguments)
  {
    types.reserve(arguments.size()); // operands refer to them
    for (const nb::handle a : arguments)
      if (const TypeInfo * type = type_of(a); type && nb::inst_ready(a))
      {
        const void * p = nb::inst_ptr<void>(a);
        const at::Tensor & t = type->tensor(p);
        const bool is_own = !type->fixed_base && t.defined();
        types.push_back(
            {type, TensorShape(is_own ? t.sizes().slice(size_t(type->batch_dim(p))) : type->base)});
        operands.push_back({&t, type->name, type->batch_dim(p), types.back().base});
        like = t;
      }
      else if (PyBool_Check(a.ptr()))
        return false;
      else if (Number x; nb::try_cast(a, x))
      {
        numbers.push_back(x.value);
        operands.push_back(core::operand(numbers.back()));
        types.push_back({nullptr, {}});
      }
      else
        return false;
    return true;
  }
};

class Formula
{
public:
  Formula(nb::object f, nb::object flatten)
    : _python(std::make_shared<PythonFunction>(std::move(f), std::move(flatten)))
  {
  }

  /// None if there are groups among the arguments, of which Python makes another formula.
  nb::object call(const nb::args & arguments)
  {
    Call c;
    if (!c.read(arguments))
      return nb::none();
    check(c, "vmap");
    const std::shared_ptr<const Recorded> r = recorded(c);
    const core::Operation op("vmap", core::Accepts::any);
    core::check_operands(op, c.operands);
    const TensorShape batch = core::broadcast_batch(op, c.operands);
    const auto composed = [&](at::Tensor * t) { compose(*r, arguments, batch, c.like, t); };
    const auto gradient = [&]() -> std::shared_ptr<const engine::Gradient>
    { return std::make_shared<RecordedGradient>(r); };
    std::vector<at::Tensor> t(r->results.size());
    {
      const nb::gil_scoped_release release;
      engine::evaluate({op,
                        c.operands,
                        batch,
                        engine::row_formula(r->formula->value()),
                        r->formula->bases(),
                        composed,
                        gradient},
                       t.data());
    }
    return as_returned(*r, t, Size(batch.size()));
  }

  /// What it returned, and the Jacobians of each result by each argument `by`; None as call.
  nb::object value_and_jacobian(const std::vector<size_t> & by,
                                const std::optional<std::vector<size_t>> & of,
                                const nb::args & arguments)
  {
    Call c;
    if (!c.read(arguments))
      return nb::none();
    check(c, "value_and_jacobian");
    const core::Operation op("value_and_jacobian", core::Accepts::any);
    for (const size_t k : by)
      if (k >= c.types.size() || !c.types[k].type)
        fail_type("value_and_jacobian: argument " + std::to_string(k) + " of argnums is " +
                  (k >= c.types.size() ? "not there" : "a plain number") +
                  ". Expected the place of a tensor.");
    const std::shared_ptr<const Recorded> r = recorded(c);
    const std::vector<size_t> results = of ? *of : all_of(r->results.size());
    for (const size_t i : results)
      if (i >= r->results.size())
        fail_type("value_and_jacobian: result " + std::to_string(i) + " of `of` is not there");
    core::check_operands(op, c.operands);
    for (const auto & o : c.operands)
      NEML2_CHECK(!o.tensor || !o.tensor->_fw_grad(0).defined(),
                  op.name,
                  ": the argument ",
                  o,
                  " carries a tangent of forward mode, which would be lost. Use its primal.");
    const TensorShape batch = core::broadcast_batch(op, c.operands);
    const auto shapes = r->formula->bases_with_jacobians(by, results);
    const std::vector<TensorShapeRef> bases(shapes.begin(), shapes.end());
    const auto composed = [&](at::Tensor * t)
    { compose_jacobians(*r, by, results, arguments, batch, c, t); };
    std::vector<at::Tensor> t(bases.size());
    {
      const nb::gil_scoped_release release;
      engine::evaluate({op,
                        c.operands,
                        batch,
                        engine::row_formula(r->formula->jacobian(by, results)),
                        bases,
                        composed,
                        engine::no_gradient},
                       t.data());
    }
    nb::list jacobians;
    for (size_t i = r->results.size(); i < t.size(); i++)
      jacobians.append(jacobian_of(bases[i], t[i], Size(batch.size())));
    t.resize(r->results.size());
    return nb::make_tuple(as_returned(*r, t, Size(batch.size())), nb::tuple(jacobians));
  }

  /// How many tensors it returns of such arguments, and what puts them together, None of one alone; None as call.
  nb::object returned(const nb::args & arguments)
  {
    Call c;
    if (!c.read(arguments))
      return nb::none();
    check(c, "value_and_jacobian");
    const std::shared_ptr<const Recorded> r = recorded(c);
    return nb::make_tuple(r->results.size(), r->together);
  }

  /// The programs that there are so far, with what each is of, what it computes, and whether it runs compiled.
  nb::list programs() const
  {
    nb::list all;
    for (const auto & r : _recorded)
    {
      std::string of;
      for (const Kind & k : r->types)
        of += (of.empty() ? "" : ", ") + name_of(k);
      for (const auto & [what, e] : r->formula->evaluators())
        all.append(nb::make_tuple(of, what, nb::capsule(e), e->is_compiled()));
    }
    return all;
  }
  /// How many.
  size_t program_count() const
  {
    size_t n = 0;
    for (const auto & r : _recorded)
      n += r->formula->evaluator_count();
    return n;
  }
  nb::object function() const { return _python->function; }

private:
  std::shared_ptr<const PythonFunction> _python;
  std::vector<std::shared_ptr<const Recorded>> _recorded;

  static std::string name_of(const Kind & k)
  {
    if (!k.type)
      return "number";
    std::ostringstream name;
    name << k.type->name;
    if (!k.type->fixed_base)
      name << ' ' << TensorShapeRef(k.base);
    return name.str();
  }

  static std::vector<size_t> all_of(size_t n)
  {
    std::vector<size_t> all(n);
    std::iota(all.begin(), all.end(), size_t(0));
    return all;
  }

  static void check(const Call & c, const char * name)
  {
    if (!c.like.defined())
      fail_type(std::string(name) + ": at least one argument must be a tensor of this library");
  }

  std::shared_ptr<const Recorded> recorded(const Call & c)
  {
    for (const auto & r : _recorded)
      if (r->types == c.types)
        return r;
    _recorded.push_back(record(c.types));
    return _recorded.back();
  }

  std::shared_ptr<const Recorded> record(const std::vector<Kind> & types) const
  {
    const core::OutsideOfModes no_modes; // of constants that the function makes
    auto made = std::make_shared<Recorded>();
    made->types = types;
    made->python = _python;
    Recording recording;
    std::vector<RecordedFormula::Tensor> arguments, results;
    {
      const Recording::Scope scope(recording);
      nb::list rows;
      for (const Kind & k : types)
        rows.append(nb::cast(input(k, arguments)));
      const Returned returned = _python->call(rows);
      for (const nb::object & leaf : returned.leaves)
      {
        const auto row = as_row(leaf);
        if (!row)
          fail_type(std::string("vmap: the formula returned a ") + Py_TYPE(leaf.ptr())->tp_name +
                    ". Expected tensors of the formula, numbers, or groups of them.");
        RecordedFormula::Tensor t;
        for (const auto & x : row->components)
        {
          t.values.push_back(x.x.id);
          t.partials.push_back(x.d[0].id);
        }
        t.base = row->base;
        results.push_back(std::move(t));
        made->results.push_back({row->type, row->base});
      }
      if (results.empty())
        fail_type(
            "vmap: the formula returned nothing. Expected a tensor, a number, or a group of them.");
      made->together = returned.together;
    }
    made->formula = std::make_unique<const RecordedFormula>(
        std::move(recording), std::move(arguments), std::move(results));
    return made;
  }

  /// An argument of the recording.
  static Row input(const Kind & kind, std::vector<RecordedFormula::Tensor> & arguments)
  {
    constexpr Size most = 1 << 16;
    Row row(kind.type ? kind.type : &scalar_type(), {}, kind.base);
    RecordedFormula::Tensor t;
    t.is_number = !kind.type;
    t.base = kind.base;
    const Size n = c10::multiply_integers(t.base);
    if (n > most)
      fail_type("vmap: an argument has " + std::to_string(n) + " components a point. Expected " +
                std::to_string(most) + " at most: are batch dimensions among them?");
    for (Size i = 0; i < n; i++)
    {
      RecordedNumber x(recorded::Symbol::input());
      if (kind.type)
        x.d[0] = recorded::Symbol::input();
      t.values.push_back(x.x.id);
      if (kind.type)
        t.partials.push_back(x.d[0].id);
      row.components.push_back(x);
    }
    arguments.push_back(std::move(t));
    return row;
  }

  static void compose(const Recorded & r,
                      const nb::list & arguments,
                      TensorShapeRef batch,
                      const at::Tensor & like,
                      at::Tensor * t)
  {
    const Composing now;
    const Returned returned = r.python->call(arguments);
    for (size_t i = 0; i < returned.leaves.size(); i++)
      t[i] = composed_result(returned.leaves[i], r.results[i], batch, like);
  }
  static void compose(const Recorded & r,
                      const nb::args & arguments,
                      TensorShapeRef batch,
                      const at::Tensor & like,
                      at::Tensor * t)
  {
    const nb::gil_scoped_acquire gil;
    compose(r, nb::list(arguments), batch, like, t);
  }

  static void compose_jacobians(const Recorded & r,
                                const std::vector<size_t> & by,
                                const std::vector<size_t> & of,
                                const nb::args & arguments,
                                const TensorShape & batch,
                                const Call & c,
                                at::Tensor * t)
  {
    const nb::gil_scoped_acquire gil;
    const bool create_graph =
        c10::GradMode::is_enabled() &&
        std::any_of(c.operands.begin(),
                    c.operands.end(),
                    [](const auto & o) { return o.tensor && o.tensor->requires_grad(); });
    const c10::InferenceMode normal(false); // in it nothing is recorded
    const at::AutoGradMode record(true);
    std::vector<at::Tensor> variables;
    nb::list a(arguments);
    for (const size_t k : by)
    {
      const Kind & kind = c.types[k];
      const at::Tensor rows =
          engine::saveable(*c.operands[k].tensor)
              .expand(utils::add_shapes(TensorShapeRef(batch), TensorShapeRef(kind.base)));
      variables.push_back(create_graph && rows.requires_grad()
                              ? rows.view_as(rows)
                              : rows.detach().set_requires_grad(true));
      a[k] = kind.type->make(Tensor(variables.back(), Size(batch.size())));
    }
    compose(r, a, batch, c.like, t);
    const nb::gil_scoped_release release; // which autograd takes itself
    at::Tensor * jacobian = t + r.results.size();
    for (const size_t i : of)
      for (const auto & J :
           engine::composed_jacobians(t[i], Size(batch.size()), variables, create_graph))
        *jacobian++ = J;
    for (size_t i = 0; i < r.results.size() && !create_graph; i++)
      t[i] = t[i].detach();
  }

  static nb::object as_returned(const Recorded & r, const std::vector<at::Tensor> & t, Size batch_dim)
  {
    if (r.together.is_none())
      return r.results[0].type->make(Tensor(t[0], batch_dim));
    nb::list leaves;
    for (size_t i = 0; i < t.size(); i++)
      leaves.append(r.results[i].type->make(Tensor(t[i], batch_dim)));
    return r.together.is(nb::handle(reinterpret_cast<PyObject *>(&PyTuple_Type)))
               ? nb::object(nb::tuple(leaves))
               : r.together(leaves);
  }

  /// A Jacobian as the type whose base shape it has, as C++ has it, else as a Tensor.
  static nb::object jacobian_of(TensorShapeRef base, const at::Tensor & t, Size batch_dim)
  {
    static const std::vector<std::pair<TensorShape, const char *>> types = {{{}, "Scalar"},
                                                                            {{3}, "Vec"},
                                                                            {{6}, "SR2"},
                                                                            {{3, 3}, "R2"},
                                                                            {{6, 6}, "SSR4"},
                                                                            {{3, 3, 3}, "R3"}};
    const nb::object tensors = nb::module_::import_("neml2.tensors");
    for (const auto & [shape, name] : types)
      if (base == TensorShapeRef(shape))
        return info(tensors.attr(name)).make(Tensor(t, batch_dim));
    return info(tensors.attr("Tensor")).make(Tensor(t, batch_dim));
  }
};

const recorded::Evaluator &
evaluator(const nb::capsule & e)
{
  return *static_cast<const recorded::Evaluator *>(e.data());
}
} // namespace

void
bind_formulas(nb::module_ & m)
{
  bind_rows(m);
  bind_newton(m);
  m.def("is_composing", [] { return composing > 0; });
  m.def("set_loop",
        [](const nb::capsule & e, size_t run, int width)
        {
          packs::TileLoop loop{};
          loop.run = reinterpret_cast<decltype(loop.run)>(run);
          loop.width = width;
          evaluator(e).set_compiled(loop);
        });
  m.def("listing", [](const nb::capsule & e) { return recorded::listing(evaluator(e)); });
  m.def("source", [](const nb::capsule & e) { return recorded::cpp_source(evaluator(e)); });
  m.def("width", [] { return recorded::interpreter().width; });
  nb::class_<Formula>(m, "Formula")
      .def(nb::init<nb::object, nb::object>())
      .def("__call__", &Formula::call)
      .def("value_and_jacobian",
           &Formula::value_and_jacobian,
           nb::arg("by"),
           nb::arg("of").none(),
           nb::arg("arguments"))
      .def("returned", &Formula::returned)
      .def("programs", &Formula::programs)
      .def("program_count", &Formula::program_count)
      .def_prop_ro("function", &Formula::function);
}
} // namespace neml2::python
