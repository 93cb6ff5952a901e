// SPDX-License-Identifier: MIT
#include "bindings/recorded_function.h"
#include "bindings/rows.h"
#include "bindings/warnings.h"

#include "neml2/core/overlap.h"
#include "neml2/engine/outputs.h"
#include "neml2/math/columns.h"
#include "neml2/math/recorded_gradient.h"
#include "neml2/recorded/cuda_standard.h"
#include "neml2/recorded/interpreter.h"
#include "neml2/recorded/listing.h"
#include "neml2/recorded/source.h"

#include <numeric>

/// Formulas: Python functions that are recorded, and then run over batches.
namespace neml2::python
{
namespace
{
using recorded::Recording;
using Places = std::vector<size_t>;

Places
all_of(size_t n)
{
  Places all(n);
  std::iota(all.begin(), all.end(), size_t(0));
  return all;
}

/// A recorded formula as a Python object, for _transforms.py. Its arguments are leaves, that is, tensors and numbers.
struct RecordedHandle
{
  std::shared_ptr<const engine::RecordedFormula> formula;

  /// The leaves as operands.
  class Operands
  {
  public:
    std::vector<core::Operand> all;

    Operands(const engine::RecordedFormula & f, const nb::sequence & leaves)
    {
      const size_t n = f.arguments().size();
      _tensors.reserve(n);
      _numbers.reserve(n);
      for (const nb::handle leaf : leaves)
      {
        const auto & kind = f.arguments()[all.size()];
        if (kind.is_number)
        {
          _numbers.push_back(nb::cast<double>(leaf));
          all.push_back(core::operand(_numbers.back()));
          continue;
        }
        _tensors.push_back(nb::cast<at::Tensor>(leaf));
        all.push_back(kind.operand(_tensors.back(), "argument"));
      }
    }

  private:
    std::vector<at::Tensor> _tensors;
    std::vector<double> _numbers;
  };

  /// The results, computed in one pass where this is possible.
  std::vector<at::Tensor> evaluate(const nb::sequence & leaves) const
  {
    const Operands o(*formula, leaves);
    std::vector<at::Tensor> t(formula->results().size());
    const PassedWarnings warnings;
    const nb::gil_scoped_release release;
    math::evaluate_recorded(
        core::Operation("vmap"), formula, o.all, core::broadcast_batch("vmap", o.all), t.data());
    return t;
  }
  /// The results, computed by PyTorch's operations, which any transform can differentiate.
  std::vector<at::Tensor> compose(const nb::sequence & leaves) const
  {
    const Operands o(*formula, leaves);
    std::vector<at::Tensor> t(formula->results().size());
    const nb::gil_scoped_release release;
    const TensorShape batch = core::broadcast_batch("vmap", o.all);
    math::evaluate_on_columns(formula->value(), o.all, batch, formula->bases(), t.data());
    return t;
  }
  /// The number of base dimensions of each argument, or of each result.
  static std::vector<Size> ranks(const std::vector<engine::RecordedFormula::Tensor> & tensors)
  {
    std::vector<Size> all;
    for (const auto & t : tensors)
      all.push_back(Size(t.base.size()));
    return all;
  }
  static std::optional<RecordedHandle> handle(std::shared_ptr<const engine::RecordedFormula> f)
  {
    return f ? std::optional(RecordedHandle{std::move(f)}) : std::nullopt;
  }
};

/// The base class of neml2.formulas.Formula. The derived class has the methods that most calls do not need: _used, _used_of, _look_into,
/// _by_place, _names, _chosen, _transformed and _compile.
class Formula
{
public:
  /// compile_after is the number of calls after which the recording is compiled; -1 means never.
  Formula(nb::object function, int compile_after)
    : _function(std::move(function)), _compile_after(compile_after)
  {
  }

  /// If the keyword `out` is given and is not a parameter of the function, the results are written to it.
  nb::object
  call(nb::handle self, nb::handle instance, nb::tuple arguments, const nb::dict & keywords)
  {
    if (Recording::number() != 0) // inside another formula the function is just called
      return call_function(instance, arguments, keywords);
    update(self);
    const nb::object out = taken_out(keywords, instance);
    if (keywords.size() > 0)
      arguments = by_place(self, instance, arguments, keywords);
    const Call c("vmap", instance, arguments, Names(_names));
    const std::shared_ptr<const Recorded> r = recorded(self, c);
    const core::Operation op("vmap", core::Accepts::numbers);
    core::check_operands(op, c.operands);
    const TensorShape batch = core::broadcast_batch(op, c.operands);
    const auto together = [&](PutTogether::NextLeaf leaf)
    { return PutTogether(r->returned, leaf).next(); };
    if (out)
      return into(self,
                  op,
                  c,
                  out,
                  *r,
                  r->results,
                  together,
                  [&](ArrayRef<core::Operand> outputs)
                  { math::evaluate_recorded_into(op, r->formula, c.operands, batch, outputs); });
    SmallVector<at::Tensor, 4> t(r->results.size());
    if (is_transformed(c.operands))
      transformed(self, r->formula, c.operands, t);
    else
    {
      const PassedWarnings warnings;
      const nb::gil_scoped_release release;
      math::evaluate_recorded(op, r->formula, c.operands, batch, t.data());
    }
    compile(self);
    size_t i = 0;
    const auto leaf = [&]
    {
      const size_t k = i++;
      return as_result(*r, c, k, t[k], Size(batch.size()));
    };
    return together(leaf);
  }

  /// The result, and the Jacobians of the results in `of` with respect to the arguments in argnums. argnums counts the arguments from
  /// number `first` on.
  nb::object value_and_jacobian(nb::handle self,
                                nb::handle instance,
                                nb::tuple arguments,
                                const nb::dict & keywords,
                                nb::handle argnums,
                                nb::handle of,
                                nb::handle out,
                                size_t first)
  {
    update(self);
    if (keywords.size() > 0)
      arguments = by_place(self, instance, arguments, keywords);
    const Call c("value_and_jacobian", instance, arguments, Names(_names));
    const Places places = arguments_named(argnums, c, first);
    const Places by = tensors_among(c, places);
    const std::shared_ptr<Recorded> r = recorded(self, c);
    const Places results = of.is_none() ? all_of(r->results.size()) : results_named(self, *r, of);
    const core::Operation op("value_and_jacobian", core::Accepts::numbers);
    core::check_operands(op, c.operands);
    const TensorShape batch = core::broadcast_batch(op, c.operands);
    const bool is_one = places.size() * results.size() == 1 && !PyTuple_Check(argnums.ptr()) &&
                        !PyList_Check(argnums.ptr());
    /// The value and the Jacobians, made of their leaves.
    const auto together = [&](PutTogether::NextLeaf leaf)
    {
      const nb::object value = PutTogether(r->returned, leaf).next();
      nb::list jacobians;
      for (size_t i = 0; i < results.size(); i++)
        for (const size_t k : places)
        {
          size_t member = c.first_leaves[k];
          const auto jacobian = [&]() -> nb::object // None for a number
          { return c.types[member++].type ? leaf() : nb::none(); };
          jacobians.append(PutTogether(c.groups, jacobian, c.first_parts[k]).next());
        }
      return nb::object(nb::make_tuple(
          value, is_one ? nb::object(jacobians[0]) : nb::object(nb::tuple(jacobians))));
    };
    if (!out.is_none())
    {
      std::vector<Kind> kinds = r->results;
      const auto bases = r->formula->bases_with_jacobians(by, results);
      for (size_t i = kinds.size(); i < bases.size(); i++)
        kinds.push_back({&type_of_jacobian(bases[i]), bases[i]});
      return into(self,
                  op,
                  c,
                  out,
                  *r,
                  kinds,
                  together,
                  [&](ArrayRef<core::Operand> outputs)
                  {
                    math::evaluate_recorded_jacobians_into(
                        op, r->formula, by, results, c.operands, batch, outputs);
                  });
    }
    std::vector<at::Tensor> t(r->results.size() + by.size() * results.size());
    if (is_transformed(c.operands))
    {
      const auto both = r->formula->with_jacobians(by, results);
      NEML2_CHECK(both && !both->is_last(),
                  op.name,
                  ": derivatives of these Jacobians are not available in formulas, so torch.func "
                  "and forward mode cannot "
                  "take them. See neml2.math for the second derivatives of single functions.");
      transformed(self, both, c.operands, t);
    }
    else
    {
      const PassedWarnings warnings;
      const nb::gil_scoped_release release;
      math::evaluate_recorded_jacobians(op, r->formula, by, results, c.operands, batch, t.data());
    }
    compile(self);
    size_t i = 0;
    const auto leaf = [&]
    {
      const size_t k = i++;
      const auto batch_dim = Size(batch.size());
      return k < r->results.size() ? as_result(*r, c, k, t[k], batch_dim)
                                   : as_jacobian(t[k], batch_dim);
    };
    return together(leaf);
  }

  /// The programs made so far: for each a tuple of the types of its arguments, a description of its results, the program, and whether it is
  /// compiled.
  nb::list programs() const
  {
    nb::list all;
    for (const auto & r : _recorded)
      for (const auto & [what, e] : r->formula->evaluators())
      {
        auto * const owner = new Program{r, e};
        all.append(nb::make_tuple(
            arguments_text(*r), what, nb::capsule(owner, Program::let_go), e->is_compiled()));
      }
    return all;
  }
  static const recorded::Evaluator & evaluator(const nb::capsule & program)
  {
    return *static_cast<const Program *>(program.data())->evaluator;
  }

  /// Forgets the recordings.
  void forget()
  {
    // The members are emptied before their objects are released, because that may run Python code which uses this formula.
    const std::shared_ptr<const PythonFunction> python = std::move(_python);
    const std::vector<std::shared_ptr<Recorded>> recorded = std::move(_recorded);
    _python = nullptr;
    _recorded.clear();
    _calls = 0;
    _programs = _programs_before = 0;
  }

  template <class Visit>
  int traverse(const Visit & visit) const
  {
    int stop = visit(_function);
    if (_python && _python.use_count() == 1) // otherwise a call is using it
      stop = stop ? stop : _python->traverse(visit);
    for (const auto & r : _recorded)
      if (r.use_count() == 1)
        stop = stop ? stop : r->traverse(visit);
    return stop;
  }
  void clear()
  {
    const nb::object function = std::exchange(_function, nb::none());
    forget();
  }

private:
  nb::object _function;
  int _compile_after;
  std::shared_ptr<const PythonFunction> _python;
  Names _names;
  std::vector<std::shared_ptr<Recorded>> _recorded;
  int _calls = 0;
  size_t _programs = 0;        ///< the number of programs at the last request to compile
  size_t _programs_before = 0; ///< the number of programs of deleted recordings

  static constexpr size_t most_recorded = 256;

  /// A program that lives as long as someone refers to it.
  struct Program
  {
    std::shared_ptr<const Recorded> recorded;
    const recorded::Evaluator * evaluator;

    static void let_go(void * p) noexcept { delete static_cast<Program *>(p); }
  };

  nb::object
  call_function(nb::handle instance, const nb::tuple & arguments, const nb::dict & keywords)
  {
    return instance ? _function(instance, *arguments, **keywords)
                    : _function(*arguments, **keywords);
  }

  /// Deletes all recordings if the value of a name that the function uses has changed.
  void update(nb::handle self)
  {
    if (const auto python = _python;
        python && !python->changed()) // runs Python code, as does look_around
      return;
    const std::vector<std::shared_ptr<Recorded>> before = std::move(_recorded);
    _recorded.clear();
    _calls = 0;
    _programs = _programs_before = 0;
    look_around(self);
    _names = Names(nb::cast<std::vector<nb::object>>(self.attr("_names")()));
  }
  std::shared_ptr<const PythonFunction> look_around(nb::handle self)
  {
    const auto used = nb::cast<nb::list>(self.attr("_used")());
    const std::shared_ptr<const PythonFunction> found =
        share_with_threads<PythonFunction>(_function, used);
    _python = found;
    return found;
  }

  /// The keyword `out`, which is removed from the keywords; null if it is not given, or is a parameter of the function.
  nb::object taken_out(const nb::dict & keywords, nb::handle instance) const
  {
    PyObject * const out =
        keywords.size() > 0 ? PyDict_GetItemString(keywords.ptr(), "out") : nullptr;
    for (size_t k = 0; out && _names(k, instance); k++)
      if (PyUnicode_CompareWithASCIIString(_names(k, instance).ptr(), "out") == 0)
        return {};
    const nb::object taken = nb::borrow(out);
    if (out && PyDict_DelItemString(keywords.ptr(), "out") < 0)
      throw nb::python_error();
    return taken;
  }

  /// All arguments in their places, also those that were passed by name.
  nb::tuple by_place(nb::handle self,
                     nb::handle instance,
                     const nb::tuple & arguments,
                     const nb::dict & keywords)
  {
    const size_t n = arguments.size() + keywords.size();
    nb::list all(arguments);
    for (size_t k = arguments.size(); k < n; k++)
    {
      const nb::handle name = _names(k, instance);
      PyObject * const value = name ? PyDict_GetItem(keywords.ptr(), name.ptr()) : nullptr;
      if (!value)
        break;
      all.append(nb::handle(value));
    }
    if (all.size() == n)
      return nb::tuple(all);
    return nb::cast<nb::tuple>(self.attr("_by_place")(
        instance ? nb::make_tuple(instance) : nb::tuple(), arguments, keywords));
  }

  std::shared_ptr<Recorded> recorded(nb::handle self, const Call & c)
  {
    for (size_t i = 0; i < _recorded.size(); i++) // comparing keys may run Python code
      if (const auto r = _recorded[i];
          r->types == c.types && r->groups == c.groups && r->instance.is(c.instance))
        return r;
    std::shared_ptr<const PythonFunction> f = _python; // null if another thread has called clear()
    if (const nb::list types = types_among(c);
        !f || (types.size() > 0 && nb::cast<bool>(self.attr("_look_into")(types))))
      f = look_around(self);
    Instance instance; // holds the object's state before the function is called
    if (c.instance)
      instance = Instance(c.instance, nb::cast<nb::list>(self.attr("_used_of")(c.instance)));
    const std::shared_ptr<Recorded> r = record(*f, c);
    r->instance = std::move(instance);
    if (_python != f) // meanwhile another thread found that a value has changed
      return r;
    forget_some();
    _recorded.push_back(r);
    return r;
  }
  /// The types of the groups (except dicts) among the arguments, and the type of the object of a method.
  static nb::list types_among(const Call & c)
  {
    nb::list all;
    if (c.instance)
      all.append(c.instance.type());
    for (const auto & p : c.groups.parts())
      if (p.is == Structure::Is::dataclass || p.is == Structure::Is::tuple)
        all.append(p.object);
    return all;
  }
  void forget_some()
  {
    std::vector<std::shared_ptr<Recorded>> before = std::move(_recorded);
    _recorded.clear();
    for (size_t i = 0; i < before.size(); i++)
      if (before[i]->instance.is_gone() || (i == 0 && before.size() >= most_recorded))
        _programs_before += before[i]->formula->evaluator_count();
      else
        _recorded.push_back(before[i]);
  }

  /// The places of the arguments that argnums names.
  Places arguments_named(nb::handle argnums, const Call & c, size_t first) const
  {
    Places places;
    const auto n = Py_ssize_t(c.size());
    const auto add = [&](nb::handle one)
    {
      Py_ssize_t k = 0;
      if (PyUnicode_Check(one.ptr()))
        while (k < n && !is_same_value(_names(size_t(k), c.instance), one))
          k++;
      else if (PyBool_Check(one.ptr()) || !nb::try_cast(one, k))
        k = n;
      else if (k += k < 0 ? n : Py_ssize_t(first); k < Py_ssize_t(first))
        k = n;
      if (k >= n)
        fail_argnums(argnums, c, first);
      places.push_back(size_t(k));
    };
    if (PyTuple_Check(argnums.ptr()) || PyList_Check(argnums.ptr()))
      for (const nb::handle one : nb::borrow<nb::sequence>(argnums))
        add(one);
    else
      add(argnums);
    if (places.empty())
      fail_argnums(argnums, c, first);
    return places;
  }
  [[noreturn]] void fail_argnums(nb::handle argnums, const Call & c, size_t first) const
  {
    std::string names;
    for (size_t k = first; k < c.size(); k++)
      if (const nb::handle name = _names(k, c.instance))
        names += std::string(k == first ? ", or their names: " : ", ") + nb::str(name).c_str();
    fail_type(std::string("value_and_jacobian: argnums is ") + nb::repr(argnums).c_str() +
              ". Expected the places of tensors among the " + std::to_string(c.size() - first) +
              " arguments" + names + ".");
  }
  /// The indices of those leaves of the arguments at these places that are tensors.
  static Places tensors_among(const Call & c, const Places & places)
  {
    Places by;
    for (const size_t k : places)
    {
      const size_t before = by.size();
      for (size_t i = c.first_leaves[k]; i < c.first_leaves[k + 1]; i++)
        if (c.types[i].type)
          by.push_back(i);
      if (by.size() == before)
        fail_type("value_and_jacobian: argument " + std::to_string(k) +
                  " of argnums is a plain number. Expected a tensor, or a group with one.");
    }
    return by;
  }

  Places results_named(nb::handle self, Recorded & r, nb::handle of) const
  {
    PyObject * found = PyDict_GetItemWithError(r.chosen.ptr(), of.ptr());
    PyErr_Clear(); // objects without a hash cause an error
    if (found)
      return nb::cast<Places>(nb::handle(found));
    const nb::object chosen = self.attr("_chosen")(Together{r.returned}, of);
    if (PyDict_SetItem(r.chosen.ptr(), of.ptr(), chosen.ptr()) < 0)
      PyErr_Clear();
    return nb::cast<Places>(chosen);
  }

  /// Whether a transform of torch.func is active, or an operand has a tangent of forward mode.
  static bool is_transformed(ArrayRef<core::Operand> operands)
  {
    bool yes = c10::impl::tls_local_dispatch_key_set().included_.has(
        c10::DispatchKey::FuncTorchDynamicLayerFrontMode);
    for (const auto & o : operands)
      yes = yes || (o.tensor && o.tensor->_fw_grad(0).defined());
    return yes;
  }
  /// Writes the results of a call to the tensors of `out`, and returns `out`. For `kinds` and `together` see Outputs.
  template <class Together, class Evaluate>
  nb::object into(nb::handle self,
                  const core::Operation & op,
                  const Call & c,
                  nb::handle out,
                  const Recorded & r,
                  const std::vector<Kind> & kinds,
                  const Together & together,
                  const Evaluate & evaluate)
  {
    Outputs outputs(op.name, out, kinds, together);
    NEML2_CHECK(!is_transformed(c.operands),
                op.name,
                ": out was given, but writing to existing tensors has no derivatives of forward "
                "mode and no transforms of torch.func. Call it without out.");
    {
      const PassedWarnings warnings;
      const nb::gil_scoped_release release;
      // Formulas compute integers in float64.
      std::vector<std::pair<at::Tensor, at::Tensor>> integers; // existing, computed
      integers.reserve(kinds.size());
      for (size_t k = 0; k < r.results.size(); k++)
        if (at::Tensor t = *outputs.operands[k].tensor;
            r.are_integers[k] && t.defined() && t.scalar_type() == c.like->scalar_type() &&
            c10::isIntegralType(t.scalar_type(), /*includeBool=*/false))
        {
          bool shares = core::overlaps_itself(t);
          for (size_t j = 0; j < outputs.operands.size(); j++)
            shares = shares ||
                     (j != k && engine::may_share_memory(outputs.operands[j], outputs.operands[k]));
          NEML2_CHECK(!shares,
                      op.name,
                      ": the output ",
                      outputs.operands[k],
                      " may share memory with another output, or overlaps itself. Give each output "
                      "its own tensor.");
          integers.emplace_back(t, at::empty(t.sizes(), t.options().dtype(kFloat64)));
          outputs.operands[k].tensor = &integers.back().second;
        }
      evaluate(outputs.operands);
      for (const auto & [existing, computed] : integers)
        existing.copy_(computed);
    }
    compile(self);
    return nb::borrow(out);
  }
  /// Computes the results of a formula as one PyTorch operation; torch.func's transforms use the formula's own derivatives.
  template <class Results>
  static void transformed(nb::handle self,
                          const std::shared_ptr<const engine::RecordedFormula> & formula,
                          ArrayRef<core::Operand> operands,
                          Results & results)
  {
    nb::list leaves;
    for (const auto & o : operands)
      leaves.append(o.tensor ? nb::cast(*o.tensor) : nb::object(nb::float_(*o.number)));
    const auto found = nb::cast<std::vector<at::Tensor>>(
        self.attr("_transformed")(RecordedHandle{formula}, leaves));
    std::copy(found.begin(), found.end(), results.begin());
  }

  /// Result k as an object of its type.
  static nb::object
  as_result(const Recorded & r, const Call & c, size_t k, const at::Tensor & t, Size batch_dim)
  {
    const TypeInfo & type = *r.results[k].type;
    const auto dtype = c.like->scalar_type();
    const bool is_integer = !c10::isFloatingType(dtype) && r.are_integers[k];
    return type.make(Tensor(is_integer ? t.to(dtype) : t, batch_dim));
  }

  /// If there were enough calls, requests the compilation of the programs that were made since the last request.
  void compile(nb::handle self)
  {
    if (_compile_after < 0 || ++_calls < _compile_after)
      return;
    size_t n = _programs_before;
    for (const auto & r : _recorded)
      n += r->formula->evaluator_count();
    if (n == _programs)
      return;
    _programs = n;
    self.attr("_compile")();
  }

  std::string arguments_text(const Recorded & r) const
  {
    const auto & parts = r.groups.parts();
    const bool is_flat = std::all_of(
        parts.begin(), parts.end(), [](const auto & p) { return p.is == Structure::Is::leaf; });
    std::vector<std::string> paths(r.types.size());
    if (!is_flat)
      paths = r.groups.paths(_names.texts(r.arguments, r.instance.is_there()));
    std::string text;
    for (size_t i = 0; i < r.types.size(); i++)
    {
      const Kind & k = r.types[i];
      std::ostringstream name;
      name << (k.type ? k.type->name : "number");
      if (k.type && !k.type->fixed_base)
        name << ' ' << TensorShapeRef(k.base);
      text += (i == 0 ? "" : ", ") + (is_flat ? "" : paths[i] + ": ") + name.str();
    }
    return text;
  }
};

int
traverse_formula(PyObject * self, visitproc visit, void * arg)
{
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  return nb::inst_ptr<Formula>(self)->traverse([&](nb::handle o)
                                               { return o ? visit(o.ptr(), arg) : 0; });
}
int
clear_formula(PyObject * self)
{
  if (nb::inst_ready(self))
    nb::inst_ptr<Formula>(self)->clear();
  return 0;
}

void
bind_formula_class(nb::module_ & m)
{
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse_formula)},
                                {Py_tp_clear, reinterpret_cast<void *>(clear_formula)},
                                {0, nullptr}};
  using Self = nb::pointer_and_handle<Formula>;
  const auto of = [](nb::handle instance) { return instance.is_none() ? nb::handle() : instance; };
  nb::class_<Formula>(m, "Formula", nb::type_slots(slots))
      .def(nb::init<nb::object, int>(), nb::arg("function"), nb::arg("compile_after"))
      .def("__call__",
           [](Self self, const nb::args & arguments, const nb::kwargs & keywords)
           { return self.p->call(self.h, {}, nb::borrow<nb::tuple>(arguments), keywords); })
      .def(
          "_call",
          [of](Self self,
               nb::handle instance,
               const nb::tuple & arguments,
               const nb::dict & keywords)
          { return self.p->call(self.h, of(instance), arguments, keywords); },
          nb::arg("instance").none(),
          nb::arg("arguments"),
          nb::arg("keywords"))
      .def(
          "_value_and_jacobian",
          [of](Self self,
               nb::handle instance,
               const nb::tuple & arguments,
               const nb::dict & keywords,
               nb::handle argnums,
               nb::handle results,
               nb::handle out,
               size_t first)
          {
            return self.p->value_and_jacobian(
                self.h, of(instance), arguments, keywords, argnums, results, out, first);
          },
          nb::arg("instance").none(),
          nb::arg("arguments"),
          nb::arg("keywords"),
          nb::arg("argnums").none(),
          nb::arg("of").none(),
          nb::arg("out").none(),
          nb::arg("first") = 0)
      .def("programs", &Formula::programs)
      .def("_forget", &Formula::forget);
  nb::class_<RecordedHandle>(m, "Recorded")
      .def("evaluate", &RecordedHandle::evaluate)
      .def("compose", &RecordedHandle::compose)
      .def("ranks",
           [](const RecordedHandle & r) { return RecordedHandle::ranks(r.formula->arguments()); })
      .def("result_ranks",
           [](const RecordedHandle & r) { return RecordedHandle::ranks(r.formula->results()); })
      .def("is_last", [](const RecordedHandle & r) { return r.formula->is_last(); })
      .def("gradient",
           [](const RecordedHandle & r, const Places & by)
           { return RecordedHandle::handle(r.formula->gradient(by)); })
      .def("tangent",
           [](const RecordedHandle & r, const Places & by)
           { return RecordedHandle::handle(r.formula->tangent(by)); });
}
} // namespace

void
bind_formulas(nb::module_ & m)
{
  bind_rows(m);
  bind_newton(m);
  bind_derivatives(m);
  bind_groups(m);
  bind_formula_class(m);
  bind_devices(m);
  m.def("set_loop",
        [](const nb::capsule & program, size_t run, int width)
        {
          packs::TileLoop loop{};
          loop.run = reinterpret_cast<decltype(loop.run)>(run);
          loop.width = width;
          Formula::evaluator(program).set_compiled(loop);
        });
  m.def("listing",
        [](const nb::capsule & program) { return recorded::listing(Formula::evaluator(program)); });
  m.def("source",
        [](const nb::capsule & program)
        { return recorded::cpp_source(Formula::evaluator(program)); });
  m.def("cuda_source",
        [](const nb::capsule & program, bool is_float)
        { return recorded::cuda_source(Formula::evaluator(program), is_float); });
  m.def("interpret", // takes the operands' addresses, and their strides from row to row
        [](const nb::capsule & program,
           const std::vector<size_t> & addresses,
           const std::vector<int64_t> & strides,
           int64_t rows)
        {
          std::vector<double *> data;
          for (const size_t a : addresses)
            data.push_back(reinterpret_cast<double *>(a));
          recorded::interpreter().run(
              &Formula::evaluator(program), data.data(), strides.data(), rows);
        });
  m.def("cuda_standard_headers",
        []
        {
          nb::list names;
          for (const char * const name : recorded::cuda_header_names)
            names.append(name);
          return nb::make_tuple(names, recorded::cuda_standard_header);
        });
  m.def("width", [] { return recorded::interpreter().width; });
}
} // namespace neml2::python
