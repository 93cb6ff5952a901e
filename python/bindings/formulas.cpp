// SPDX-License-Identifier: MIT
#include "bindings/vocabulary.h"

#include "neml2/engine/formula_jacobian.h"
#include "neml2/engine/recorded_formula.h"
#include "neml2/math/newton.h"
#include "neml2/recorded/source.h"

#include <deque>

namespace neml2::python
{
namespace
{
using engine::RecordedFormula;
using recorded::Condition;
using recorded::Recording;

[[noreturn]] void
fail_type(const std::string & message)
{
  throw nb::type_error(message.c_str());
}

void
check_recording(uint64_t recording)
{
  if (recording != Recording::number())
    fail_type("vmap: a tensor of another formula, or of one that has ended, is used. Pass it as an argument, or return it.");
}

/// A truth value a point.
struct Choice
{
  Condition condition;
  uint64_t recording = Recording::number();

  const Condition & checked() const
  {
    check_recording(recording);
    return condition;
  }
};

// ---- Rows ----

Row
row_of_number(double x)
{
  return {&scalar_type(), {RecordedNumber(recorded::Symbol(x))}};
}

/// A tensor that is no argument: the same for all points.
Row
row_of_constant(const TypeInfo & type, const Tensor & t)
{
  core::check_defined("vmap", t);
  if (!type.fixed_base || t.batch_dim() > 0 || t.requires_grad())
    fail_type(std::string("vmap: a formula uses a ") + type.name +
              (t.requires_grad()   ? " that requires a gradient"
               : t.batch_dim() > 0 ? " with batch dimensions"
                                   : ", whose type does not fix its base shape,") +
              " that is not among its arguments. Pass it as an argument.");
  const at::Tensor x = t.detach().to(kFloat64).cpu().contiguous().flatten();
  Row r{&type, {}};
  for (int64_t i = 0; i < x.numel(); i++)
    r.components.push_back(RecordedNumber(recorded::Symbol(x.data_ptr<double>()[i])));
  return r;
}

/// A row, a number, or a tensor of one point; nothing else.
std::optional<Row>
as_row(nb::handle object)
{
  if (const Row * row = nullptr; nb::try_cast(object, row) && row)
  {
    check_recording(row->recording);
    return *row;
  }
  if (double x = 0;
      PyBool_Check(object.ptr()) || PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()))
    return nb::try_cast(object, x) ? std::optional<Row>(row_of_number(x)) : std::nullopt;
  if (const TypeInfo * type = type_of(object))
  {
    const void * p = nb::inst_ptr<void>(object);
    return row_of_constant(
        *type,
        Tensor(core::Trusted(), type->tensor(p), type->batch_dim(p), type->name_in_messages));
  }
  if (c10::Scalar x; nb::try_cast(object, x) && !x.isComplex()) // numbers of NumPy
    return row_of_number(x.toDouble());
  return std::nullopt;
}

nb::object
as_object(Rows rows)
{
  if (rows.size() == 1)
    return nb::cast(std::move(rows[0]));
  nb::list all;
  for (auto & r : rows)
    all.append(nb::cast(std::move(r)));
  return nb::tuple(all);
}

// ---- Functions that work component by component ----

using NumberFunction = RecordedNumber (*)(const RecordedNumber &);
using NumberFunction2 = RecordedNumber (*)(const RecordedNumber &, const RecordedNumber &);
using D = RecordedNumber;

const std::unordered_map<std::string, NumberFunction> &
functions_of_numbers()
{
  static const std::unordered_map<std::string, NumberFunction> functions = {
      {"abs", [](const D & a) { return abs(a); }},
      {"sign", [](const D & a) { return kernels::sign(a); }},
      {"heaviside", [](const D & a) { return kernels::heaviside(a); }},
      {"macaulay", [](const D & a) { return macaulay(a); }},
      {"dmacaulay", [](const D & a) { return kernels::dmacaulay(a); }},
      {"sqrt", [](const D & a) { return sqrt(a); }},
      {"cbrt", [](const D & a) { return cbrt(a); }},
      {"exp", [](const D & a) { return exp(a); }},
      {"log", [](const D & a) { return log(a); }},
      {"log10", [](const D & a) { return log10(a); }},
      {"deg2rad", [](const D & a) { return kernels::deg2rad(a); }},
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
  // An exponent without a partial has no derivative to carry.
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
      {"fmod", [](const D & a, const D & b) { return fmod(a, b); }},
      {"maximum", [](const D & a, const D & b) { return maximum(a, b); }},
      {"minimum", [](const D & a, const D & b) { return minimum(a, b); }},
  };
  return functions;
}

/// f of each component of rows of a type, of which some may be scalars.
template <class F, class... R>
std::optional<Row>
each_component(const F & f, const R &... rows)
{
  const TypeInfo * type = &scalar_type();
  size_t n = 1;
  bool fits = true;
  const auto look = [&](const Row & r)
  {
    if (r.type == &scalar_type())
      return;
    fits = fits && (type == &scalar_type() || type == r.type);
    type = r.type;
    n = r.components.size();
  };
  (look(rows), ...);
  if (!fits)
    return std::nullopt;
  Row result{type, {}};
  for (size_t i = 0; i < n; i++)
    result.components.push_back(f(rows.components[rows.components.size() == 1 ? 0 : i]...));
  return result;
}

// ---- Calls ----

/// What Python calls members and what formulas do.
std::string
formula_name(const std::string & name)
{
  static const std::unordered_map<std::string, std::string> others = {
      {"inverse", "inv"}, {"dot", "inner"}, {"__matmul__", "*"}, {"clip", "clamp"}};
  const std::string last = name.substr(name.rfind('.') + 1);
  const auto found = others.find(last);
  return found == others.end() ? last : found->second;
}

/// Tensors made of numbers: Type.fill, Type.identity ...; false if this is none.
bool
build(const std::string & name, const Rows & x, Rows & result)
{
  const auto row = [&](const char * type) -> Row
  {
    const nb::object cls = nb::module_::import_("neml2.tensors").attr(type);
    return {&info(cls), {}};
  };
  const auto zero = RecordedNumber(recorded::Symbol(0.0));
  const auto at = [&](size_t i) { return x[i].components[0]; };
  for (const auto & r : x)
    if (r.type != &scalar_type())
      return false;
  if (name == "SR2.fill" && (x.size() == 1 || x.size() == 3 || x.size() == 6))
  {
    Row r = row("SR2");
    for (size_t i = 0; i < 6; i++)
      r.components.push_back(i < 3           ? at(x.size() == 1 ? 0 : i)
                             : x.size() == 6 ? at(i) * recorded::Symbol(std::sqrt(2.0))
                                             : zero);
    result = {r};
    return true;
  }
  if (name == "R2.fill" && (x.size() == 1 || x.size() == 3 || x.size() == 9))
  {
    Row r = row("R2");
    for (size_t i = 0; i < 9; i++)
      r.components.push_back(x.size() == 9 ? at(i)
                             : i % 4 == 0  ? at(x.size() == 1 ? 0 : i / 4)
                                           : zero);
    result = {r};
    return true;
  }
  if ((name == "Vec.fill" || name == "Rot.fill" || name == "WR2.fill") && x.size() == 3)
  {
    Row r = row(name.substr(0, name.find('.')).c_str());
    for (size_t i = 0; i < 3; i++)
      r.components.push_back(at(i));
    result = {r};
    return true;
  }
  return false;
}

/// Type(x): x itself, or as the type says it of another.
const char *
conversion(const std::string & type, const std::string & of)
{
  static const std::unordered_map<std::string, const char *> functions = {
      {"R2(SR2)", "full"},
      {"R2(WR2)", "full"},
      {"R2(Rot)", "rotation_matrix"},
      {"SR2(R2)", "sym"},
      {"WR2(R2)", "skew"},
      {"R4(SSR4)", "full"},
      {"SSR4(R4)", "sym"},
      {"Rot(Quaternion)", "to_rot"}};
  const auto found = functions.find(type + "(" + of + ")");
  return found == functions.end() ? nullptr : found->second;
}

Rows
call_by_name(const std::string & qualified, const Rows & x)
{
  Rows built;
  if (build(qualified, x, built))
    return built;
  if (qualified == "WR2.exp") // the exponential map, while math.exp is of its numbers
    return call_rows("exp_map", x);
  if (x.size() == 1)
  {
    if (qualified == x[0].type->name)
      return x;
    if (const char * function = conversion(qualified, x[0].type->name))
      return call_rows(function, x);
  }
  const std::string name = formula_name(qualified);
  if (x.size() == 1)
    if (const auto f = functions_of_numbers().find(name); f != functions_of_numbers().end())
      return {*each_component(f->second, x[0])};
  if (x.size() == 2)
    if (const auto f = functions_of_two_numbers().find(name); f != functions_of_two_numbers().end())
      if (auto r = each_component(f->second, x[0], x[1]))
        return {*r};
  if (name == "clamp" && x.size() == 3)
    if (auto r = each_component([](const D & a, const D & lower, const D & upper)
                                { return kernels::clamp(a, lower, upper); },
                                x[0],
                                x[1],
                                x[2]))
      return {*r};
  return call_rows(name, x);
}

Rows
rows_of(const std::string & name, const std::vector<nb::handle> & arguments)
{
  Rows rows;
  for (const nb::handle a : arguments)
    if (auto row = as_row(a))
      rows.push_back(std::move(*row));
    else
      fail_type(formula_name(name) + ": in a formula an argument is a " +
                Py_TYPE(a.ptr())->tp_name + ". Expected tensors of the formula or numbers.");
  return rows;
}

/// where(condition, a, b)
nb::object
choose(const std::vector<nb::handle> & arguments)
{
  const Choice * c = nullptr;
  if (arguments.size() != 3 || !nb::try_cast(arguments[0], c) || !c)
    fail_type("where: in a formula its arguments are a condition of the formula, as a < b gives, "
              "and two values.");
  const Rows x = rows_of("where", {arguments[1], arguments[2]});
  auto r = each_component([&](const D & a, const D & b) { return where(c->checked(), a, b); }, x[0], x[1]);
  if (!r)
    fail_type(std::string("where: in a formula of a ") + x[0].type->name + " and a " +
              x[1].type->name + ". Expected tensors of one type, or a scalar.");
  return nb::cast(std::move(*r));
}

nb::object
call(const std::string & name, const std::vector<nb::handle> & arguments)
{
  if (formula_name(name) == "where")
    return choose(arguments);
  return as_object(call_by_name(name, rows_of(name, arguments)));
}

/// An operator: NotImplemented of what is neither a row nor a number.
nb::object
operate(const char * name, nb::handle a, nb::handle b)
{
  const auto x = as_row(a), y = as_row(b);
  if (!x || !y)
    return nb::borrow(Py_NotImplemented);
  return as_object(call_by_name(name, {*x, *y}));
}

template <class Compare>
nb::object
compare(nb::handle a, nb::handle b, const Compare & less)
{
  const auto x = as_row(a), y = as_row(b);
  if (!x || !y)
    return nb::borrow(Py_NotImplemented);
  if (x->type != &scalar_type() || y->type != &scalar_type())
    fail_type(std::string("a formula compares a ") + x->type->name + " with a " + y->type->name +
              ". Expected scalars: compare components, or norms.");
  return nb::cast(Choice{less(x->components[0].x, y->components[0].x)});
}

// ---- Formulas ----

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

/// A formula for arguments of certain types: nullptr are numbers.
struct Recorded
{
  std::vector<const TypeInfo *> types, results;
  std::shared_ptr<const PythonFunction> python;
  nb::object together; ///< of the results; None of one
  std::unique_ptr<const RecordedFormula> formula;
};

/// A result of the function on whole batches, of the whole batch shape.
at::Tensor
composed_result(nb::handle r, const TypeInfo & type, TensorShapeRef batch, const at::Tensor & like)
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
  if (t.base_sizes() != type.base)
    fail_type(std::string("vmap: the formula returned a ") + given->name + " on whole batches, a " +
              type.name + " when it was recorded");
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
      if (_r->types[i])
        o.push_back({&arguments[i],
                     _r->types[i]->name,
                     arguments[i].dim() - Size(_r->types[i]->base.size()),
                     _r->types[i]->base});
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
      if (const TypeInfo * type = _r->types[i])
      {
        const Tensor t(arguments[i], arguments[i].dim() - Size(type->base.size()));
        batch = utils::broadcast_sizes(TensorShapeRef(batch), t.batch_sizes());
        like = arguments[i];
        a.append(type->make(t));
      }
      else
        a.append(nb::float_(arguments[i].item<double>()));
    const Composing now;
    const Returned r = _r->python->call(a);
    for (size_t i = 0; i < r.leaves.size(); i++)
      results[i] = composed_result(r.leaves[i], *_r->results[i], batch, like);
  }

private:
  std::shared_ptr<const Recorded> _r;
};

/// The arguments of a call, as operands.
struct Call
{
  std::vector<const TypeInfo *> types;
  std::vector<core::Operand> operands;
  std::deque<double> numbers;
  at::Tensor like;

  /// False if an argument is neither a tensor whose type fixes its base shape nor a number.
  bool read(const nb::args & arguments)
  {
    for (const nb::handle a : arguments)
      if (const TypeInfo * type = type_of(a); type && nb::inst_ready(a))
      {
        const void * p = nb::inst_ptr<void>(a);
        const at::Tensor & t = type->tensor(p);
        if (!type->fixed_base)
          fail_type("vmap: an argument is a Tensor, whose type does not fix its base shape. "
                    "Expected Scalar, Vec, SR2 ..., "
                    "or a plain number.");
        operands.push_back({&t, type->name, type->batch_dim(p), type->base});
        types.push_back(type);
        like = t;
      }
      else if (PyBool_Check(a.ptr()))
        return false;
      else if (Number x; nb::try_cast(a, x))
      {
        numbers.push_back(x.value);
        operands.push_back(core::operand(numbers.back()));
        types.push_back(nullptr);
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
    return results(*r, t, Size(batch.size()));
  }

  /// What it returned, and the Jacobians of each result by each argument `by`; None as call.
  nb::object value_and_jacobian(const std::vector<size_t> & by, const nb::args & arguments)
  {
    Call c;
    if (!c.read(arguments))
      return nb::none();
    check(c, "value_and_jacobian");
    const core::Operation op("value_and_jacobian", core::Accepts::any);
    for (const size_t k : by)
      if (k >= c.types.size() || !c.types[k])
        fail_type("value_and_jacobian: argument " + std::to_string(k) + " of argnums is " +
                  (k >= c.types.size() ? "not there" : "a plain number") +
                  ". Expected the place of a tensor.");
    const std::shared_ptr<const Recorded> r = recorded(c);
    core::check_operands(op, c.operands);
    for (const auto & o : c.operands)
      NEML2_CHECK(!o.tensor || !o.tensor->_fw_grad(0).defined(),
                  op.name,
                  ": the argument ",
                  o,
                  " carries a tangent of forward mode, which would be lost. Use its primal.");
    const TensorShape batch = core::broadcast_batch(op, c.operands);
    const auto shapes = r->formula->bases_with_jacobians(by);
    const std::vector<TensorShapeRef> bases(shapes.begin(), shapes.end());
    const auto composed = [&](at::Tensor * t)
    { compose_jacobians(*r, by, arguments, batch, c, t); };
    std::vector<at::Tensor> t(bases.size());
    {
      const nb::gil_scoped_release release;
      engine::evaluate({op,
                        c.operands,
                        batch,
                        engine::row_formula(r->formula->jacobian(by)),
                        bases,
                        composed,
                        engine::no_gradient},
                       t.data());
    }
    nb::list jacobians;
    for (size_t i = r->results.size(); i < t.size(); i++)
      jacobians.append(jacobian_of(bases[i], t[i], Size(batch.size())));
    t.resize(r->results.size());
    return nb::make_tuple(results(*r, t, Size(batch.size())), nb::tuple(jacobians));
  }

  /// The programs that there are so far, with what each is of, what it computes, and whether it runs compiled.
  nb::list programs() const
  {
    nb::list all;
    for (const auto & r : _recorded)
    {
      std::string of;
      for (const TypeInfo * t : r->types)
        of += (of.empty() ? "" : ", ") + std::string(t ? t->name : "number");
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

  std::shared_ptr<const Recorded> record(const std::vector<const TypeInfo *> & types) const
  {
    auto made = std::make_shared<Recorded>();
    made->types = types;
    made->python = _python;
    Recording recording;
    std::vector<RecordedFormula::Tensor> arguments, results;
    {
      const Recording::Scope scope(recording);
      nb::list rows;
      for (const TypeInfo * type : types)
      {
        const Row row = input(type, arguments);
        rows.append(nb::cast(row));
      }
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
        t.base = TensorShape(row->type->base.begin(), row->type->base.end());
        results.push_back(std::move(t));
        made->results.push_back(row->type);
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
  static Row input(const TypeInfo * type, std::vector<RecordedFormula::Tensor> & arguments)
  {
    Row row{type ? type : &scalar_type(), {}};
    RecordedFormula::Tensor t;
    t.is_number = !type;
    t.base = TensorShape(row.type->base.begin(), row.type->base.end());
    const Size n = c10::multiply_integers(t.base);
    for (Size i = 0; i < n; i++)
    {
      RecordedNumber x(recorded::Symbol::input());
      if (type)
        x.d[0] = recorded::Symbol::input();
      t.values.push_back(x.x.id);
      if (type)
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
      t[i] = composed_result(returned.leaves[i], *r.results[i], batch, like);
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
      const TypeInfo & type = *c.types[k];
      const at::Tensor rows = engine::saveable(*c.operands[k].tensor)
                                  .expand(utils::add_shapes(TensorShapeRef(batch), type.base));
      variables.push_back(create_graph && rows.requires_grad()
                              ? rows.view_as(rows)
                              : rows.detach().set_requires_grad(true));
      a[k] = type.make(Tensor(variables.back(), Size(batch.size())));
    }
    compose(r, a, batch, c.like, t);
    const nb::gil_scoped_release release; // which autograd takes itself
    at::Tensor * jacobian = t + r.results.size();
    for (size_t i = 0; i < r.results.size(); i++)
      for (const auto & J :
           engine::composed_jacobians(t[i], Size(batch.size()), variables, create_graph))
        *jacobian++ = J;
    for (size_t i = 0; i < r.results.size() && !create_graph; i++)
      t[i] = t[i].detach();
  }

  static nb::object results(const Recorded & r, const std::vector<at::Tensor> & t, Size batch_dim)
  {
    if (r.together.is_none())
      return r.results[0]->make(Tensor(t[0], batch_dim));
    nb::list leaves;
    for (size_t i = 0; i < t.size(); i++)
      leaves.append(r.results[i]->make(Tensor(t[i], batch_dim)));
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

void
bind_rows(nb::module_ & m)
{
  nb::class_<Choice>(
      m, "Condition", "What comparing scalars of a formula gives: a truth value a point.")
      .def("__and__",
           [](const Choice & a, const Choice & b) { return Choice{a.checked() & b.checked()}; })
      .def("__or__",
           [](const Choice & a, const Choice & b) { return Choice{a.checked() | b.checked()}; })
      .def("__invert__", [](const Choice & a) { return Choice{~a.checked()}; })
      .def("__bool__",
           [](const Choice &) -> bool
           {
             fail_type(
                 "a condition of a formula has a value a point: choose with math.where(condition, "
                 "a, b). Python's "
                 "if, while, and, or and not take one truth value; for conditions write & | ~.");
           });

  nb::class_<Row> row(m, "Row", "A tensor of a formula, for one point.");
  row.def("__repr__", [](const Row & r) { return std::string(r.type->name) + " of a formula"; })
      .def_prop_ro(
          "type", [](const Row & r) { return nb::borrow(r.type->cls); }, "The type it is a row of.")
      .def("__call__",
           [](const Row & r, const nb::args & index)
           {
             check_recording(r.recording);
             std::vector<int> i;
             for (const nb::handle k : index)
               i.push_back(nb::cast<int>(k));
             return component(r, i);
           })
      .def("__neg__", [](nb::handle a) { return as_object(call_rows("negate", rows_of("negate", {a}))); })
      .def("__pos__", [](const Row & a) { return a; })
      .def("__abs__", [](nb::handle a) { return as_object(call_by_name("abs", rows_of("abs", {a}))); })
      .def("__bool__",
           [](const Row & r) -> bool
           {
             fail_type(
                 std::string("a ") + r.type->name +
                 " of a formula has no truth value: choose with math.where(condition, a, b).");
           })
      .def("__float__",
           [](const Row & r) -> double
           {
             fail_type(std::string("a ") + r.type->name +
                       " of a formula has a value a point, and none while it is recorded. Pass "
                       "Python functions of numbers outside, or use those of neml2.math.");
           })
      .def("__iter__",
           [](const Row & r) -> nb::object
           {
             fail_type(std::string("a ") + r.type->name +
                       " of a formula is not iterated: its components are r(0), r(0, 1) ...");
           });
  const auto binary = [&](const char * name, const char * reflected, const char * op)
  {
    row.def(
        name, [op](nb::handle a, nb::handle b) { return operate(op, a, b); }, nb::is_operator());
    row.def(
        reflected,
        [op](nb::handle a, nb::handle b) { return operate(op, b, a); },
        nb::is_operator());
  };
  binary("__add__", "__radd__", "+");
  binary("__sub__", "__rsub__", "-");
  binary("__mul__", "__rmul__", "*");
  binary("__matmul__", "__rmatmul__", "*");
  binary("__truediv__", "__rtruediv__", "/");
  binary("__pow__", "__rpow__", "pow");
  binary("__mod__", "__rmod__", "fmod");
  const auto comparison = [&](const char * name, auto compare_symbols)
  {
    row.def(
        name,
        [=](nb::handle a, nb::handle b) { return compare(a, b, compare_symbols); },
        nb::is_operator());
  };
  using S = const recorded::Symbol &;
  comparison("__lt__", [](S a, S b) { return a < b; });
  comparison("__le__", [](S a, S b) { return a <= b; });
  comparison("__gt__", [](S a, S b) { return a > b; });
  comparison("__ge__", [](S a, S b) { return a >= b; });
  comparison("__eq__", [](S a, S b) { return a == b; });
  comparison("__ne__", [](S a, S b) { return a != b; });
}

// ---- Newton's method ----

/// What the keywords of newton choose.
kernels::NewtonOptions
newton_options(double relative_tolerance,
               double absolute_tolerance,
               int max_iterations,
               const std::vector<std::tuple<int, double, double>> & bounds,
               const std::vector<std::pair<int, double>> & max_steps,
               bool line_search,
               bool keep_unconverged)
{
  kernels::NewtonOptions o;
  o.tolerance(relative_tolerance, absolute_tolerance)
      .max_iterations(max_iterations)
      .line_search(line_search);
  for (const auto & [k, lower, upper] : bounds) // -1: of all
    k < 0 ? o.bounds(lower, upper) : o.bounds_of(k, lower, upper);
  for (const auto & [k, step] : max_steps)
    k < 0 ? o.max_step(step) : o.max_step_of(k, step);
  if (keep_unconverged)
    o.keep_unconverged();
  return o;
}

/// The numbers of the guess, of which each leaf is an unknown.
std::vector<RecordedNumber>
numbers_of(const Rows & rows)
{
  std::vector<RecordedNumber> all;
  for (const Row & r : rows)
    all.insert(all.end(), r.components.begin(), r.components.end());
  return all;
}

/// Rows of these types, made of numbers.
nb::list
rows_of_numbers(const Rows & like, const std::vector<RecordedNumber> & x)
{
  nb::list rows;
  auto at = x.begin();
  for (const Row & r : like)
  {
    const auto end = at + std::ptrdiff_t(r.components.size());
    rows.append(nb::cast(Row{r.type, {at, end}}));
    at = end;
  }
  return rows;
}

/// newton in a formula: residual is of a list of unknowns, and returns a list.
nb::tuple
newton_in_formula(const nb::callable & residual,
                  const nb::list & guess,
                  const kernels::NewtonOptions & options)
{
  Rows unknowns;
  std::vector<int> unknown;
  for (const nb::handle leaf : guess)
  {
    unknowns.push_back(rows_of("newton", {leaf})[0]);
    unknown.resize(unknown.size() + unknowns.back().components.size(), int(unknowns.size()) - 1);
  }
  const auto equations = [&](const std::vector<RecordedNumber> & x)
  {
    Rows r;
    for (const nb::handle leaf : nb::cast<nb::list>(residual(rows_of_numbers(unknowns, x))))
      r.push_back(rows_of("newton", {leaf})[0]);
    std::vector<RecordedNumber> numbers = numbers_of(r);
    if (numbers.size() != x.size())
      fail_type("newton: the residual returned " + std::to_string(numbers.size()) +
                " numbers for " + std::to_string(x.size()) +
                " of unknowns. Expected as many equations as unknowns.");
    return numbers;
  };
  const auto found = record_newton(equations, numbers_of(unknowns), unknown, options);
  return nb::make_tuple(rows_of_numbers(unknowns, found.solution),
                        Row{&scalar_type(), {RecordedNumber(found.iterations)}},
                        Choice{found.converged});
}

/// newton on whole batches: residual(x, counts) as math::ComposedResidual, counts may be None.
nb::tuple
newton_on_batches(const nb::callable & residual,
                  const at::Tensor & guess,
                  const std::vector<Size> & unknowns,
                  const kernels::NewtonOptions & options)
{
  const auto equations = [&](const at::Tensor & x, const at::Tensor & counts)
  {
    const nb::gil_scoped_acquire gil;
    return nb::cast<at::Tensor>(
        residual(x, counts.defined() ? nb::cast(counts) : nb::object(nb::none())));
  };
  math::ComposedNewton found;
  {
    const nb::gil_scoped_release release; // which autograd takes itself
    found = math::composed_newton(guess, unknowns, options, /*differentiable=*/true, equations);
  }
  return nb::make_tuple(found.solution, found.iterations, found.converged);
}

const recorded::Evaluator &
evaluator(const nb::capsule & e)
{
  return *static_cast<const recorded::Evaluator *>(e.data());
}
bool
is_of_formula(nb::handle a)
{
  return nb::isinstance<Row>(a) || nb::isinstance<Choice>(a);
}

/// Whether it is a list, a tuple or a dict with one.
bool
has_member_of_formula(nb::handle a)
{
  if (PyList_Check(a.ptr()) || PyTuple_Check(a.ptr()))
    return std::any_of(PySequence_Fast_ITEMS(a.ptr()),
                       PySequence_Fast_ITEMS(a.ptr()) + PySequence_Fast_GET_SIZE(a.ptr()),
                       is_of_formula);
  if (!PyDict_Check(a.ptr()))
    return false;
  for (const auto & [key, value] : nb::borrow<nb::dict>(a))
    if (is_of_formula(value))
      return true;
  return false;
}
} // namespace

void
bind_formulas(nb::module_ & m)
{
  bind_rows(m);
  m.def("call",
        [](const std::string & name, const nb::args & arguments)
        {
          std::vector<nb::handle> a;
          for (const nb::handle x : arguments)
            a.push_back(x);
          return call(name, a);
        });
  m.def("has_function",
        [](const std::string & name)
        {
          const std::string n = formula_name(name);
          return n == "where" || n == "clamp" || functions_of_numbers().count(n) ||
                 functions_of_two_numbers().count(n) || !row_functions(n).empty();
        });
  m.def("vocabulary", &row_vocabulary, "The functions of tensors, each with the types it takes.");
  m.def("is_recording", [] { return Recording::number() != 0; });
  m.def("is_composing", [] { return composing > 0; });
  nb::class_<kernels::NewtonOptions>(m, "NewtonOptions")
      .def("__init__",
           [](kernels::NewtonOptions * self,
              double relative_tolerance,
              double absolute_tolerance,
              int max_iterations,
              const std::vector<std::tuple<int, double, double>> & bounds,
              const std::vector<std::pair<int, double>> & max_steps,
              bool line_search,
              bool keep_unconverged)
           {
             new (self) kernels::NewtonOptions(newton_options(relative_tolerance,
                                                              absolute_tolerance,
                                                              max_iterations,
                                                              bounds,
                                                              max_steps,
                                                              line_search,
                                                              keep_unconverged));
           });
  m.def("newton_in_formula", &newton_in_formula);
  m.def("newton_on_batches", &newton_on_batches);
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
      .def("value_and_jacobian", &Formula::value_and_jacobian)
      .def("programs", &Formula::programs)
      .def("program_count", &Formula::program_count)
      .def_prop_ro("function", &Formula::function);
}

nb::object
call_in_formula(const std::string & function,
                PyObject * const * arguments,
                size_t n,
                PyObject * names)
{
  if (std::none_of(arguments, arguments + n, is_of_formula))
  {
    if (std::any_of(arguments, arguments + n, has_member_of_formula))
      call_rows(formula_name(function) + " of a group", {}); // says that there is none
    return nb::object();
  }
  if (names && PyTuple_GET_SIZE(names) > 0)
    fail_type(formula_name(function) +
              ": in a formula arguments are passed by their place, not by name.");
  return call(function, std::vector<nb::handle>(arguments, arguments + n));
}
} // namespace neml2::python
