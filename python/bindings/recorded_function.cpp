// SPDX-License-Identifier: MIT
#include "bindings/recorded_function.h"

#include "bindings/messages.h"
#include "bindings/rows.h"
#include "neml2/core/modes.h"

#include <torch/csrc/Exceptions.h>

namespace neml2::python
{
using engine::RecordedFormula;
using recorded::Recording;

// ---- On whole batches ----

namespace
{
/// A result of the function on whole batches, expanded to the whole batch shape.
at::Tensor
composed_result(nb::handle r, const Kind & kind, TensorShapeRef batch, const at::Tensor & like)
{
  const TypeInfo * const given = type_of(r);
  if (!given)
  {
    c10::Scalar x;
    if (!nb::try_cast(r, x))
      fail_type("vmap: the formula returned " + with_article(name_of_type(r)) +
                " on whole batches");
    const auto dtype = c10::isFloatingType(like.scalar_type()) ? like.scalar_type() : kFloat64;
    return at::full(batch, x, like.options().dtype(dtype).requires_grad(false));
  }
  const void * p = nb::inst_ptr<void>(r);
  const Tensor t(core::Trusted(), given->tensor(p), given->batch_dim(p), given->name_in_messages);
  if (t.base_sizes() != TensorShapeRef(kind.base))
    fail_type("vmap: the formula returned " + with_article(given->name) + " on whole batches, " +
              with_article(kind.type->name) + " when it was recorded");
  return t.batch_sizes() == batch ? at::Tensor(t) : at::Tensor(t.batch_expand(batch));
}

} // namespace

void
compose(const Recorded & r,
        const PythonFunction & f,
        const nb::list & arguments,
        TensorShapeRef batch,
        const at::Tensor & like,
        at::Tensor * results)
{
  const Composing now;
  const Returned returned = f.call(arguments);
  if (!(returned.structure == r.returned))
    fail_type(
        "vmap: the formula returned another group on whole batches than when it was recorded");
  for (size_t i = 0; i < returned.leaves.size(); i++)
    results[i] = composed_result(returned.leaves[i].object, r.results[i], batch, like);
}

namespace
{
class PythonGradient final : public engine::RecordedGradient
{
public:
  PythonGradient(std::shared_ptr<const Recorded> r,
                 std::shared_ptr<const PythonFunction> f,
                 nb::handle instance)
    : _r(std::move(r)),
      _f(std::move(f)),
      _instance(instance ? share_with_threads<nb::object>(nb::borrow(instance)) : nullptr)
  {
  }

  /// An error of Python keeps its class, also KeyboardInterrupt: PyTorch's engine passes it to the caller of backward.
  void compose(ArrayRef<at::Tensor> arguments, at::Tensor * results) const override
  {
    const nb::gil_scoped_acquire gil;
    try
    {
      compose_in_python(arguments, results);
    }
    catch (nb::python_error & e)
    {
      e.restore();
      python_error of_torch;
      of_torch.persist();
      throw of_torch;
    }
  }

protected:
  std::shared_ptr<const RecordedFormula> formula() const override { return _r->formula; }

private:
  void compose_in_python(ArrayRef<at::Tensor> arguments, at::Tensor * results) const
  {
    const nb::handle instance = _instance ? nb::handle(*_instance) : nb::handle();
    const char * name = _f->changed();
    if (!name && instance)
      name = _r->instance.changed();
    if (name)
      fail_type(std::string("vmap: ") + name +
                ", which the formula uses, has another value than when it ran, and this derivative "
                "calls its function again. Pass it as an argument.");
    TensorShape batch;
    at::Tensor like;
    size_t i = 0;
    const auto leaf = [&]() -> nb::object
    {
      const at::Tensor & a = arguments[i];
      const Kind & k = _r->types[i++];
      if (!k.type)
        return nb::float_(a.item<double>());
      const Tensor t(a, a.dim() - Size(k.base.size()));
      batch = utils::broadcast_sizes(TensorShapeRef(batch), t.batch_sizes());
      like = a;
      return k.type->make(t);
    };
    const nb::list a = Call::arguments_of(_r->groups, instance, _r->arguments, leaf);
    python::compose(*_r, *_f, a, batch, like, results);
  }

  std::shared_ptr<const Recorded> _r;
  std::shared_ptr<const PythonFunction> _f;
  std::shared_ptr<const nb::object> _instance; ///< of a method
};
} // namespace

std::shared_ptr<const engine::Gradient>
gradient_of(std::shared_ptr<const Recorded> r,
            std::shared_ptr<const PythonFunction> f,
            nb::handle instance)
{
  return std::make_shared<PythonGradient>(std::move(r), std::move(f), instance);
}

// ---- Recording ----

namespace
{
/// An argument of the recording.
Row
input(const Kind & kind, std::vector<RecordedFormula::Tensor> & arguments)
{
  constexpr Size most = 1 << 16;
  Row row(kind.type ? kind.type : &scalar_type(), {}, kind.base);
  RecordedFormula::Tensor t;
  row.is_number = t.is_number = !kind.type;
  t.base = kind.base;
  const Size n = c10::multiply_integers(t.base);
  if (n > most)
    fail_type("vmap: an argument has " + std::to_string(n) + " components per point. Expected " +
              std::to_string(most) + " at most: are batch dimensions among them?");
  for (Size i = 0; i < n; i++)
  {
    RecordedNumber x(recorded::Symbol::input());
    if (kind.type)
    {
      x.d[0] = recorded::Symbol::input();
      recorded::Recording::now().set_partial(x.x.id, x.d[0].id);
    }
    t.values.push_back(x.x.id);
    if (kind.type)
      t.partials.push_back(x.d[0].id);
    row.components.push_back(x);
  }
  arguments.push_back(std::move(t));
  return row;
}

[[noreturn]] void
fail_returned(nb::handle object)
{
  fail_type("vmap: the formula returned " + with_article(name_of_type(object)) +
            ". Expected tensors of the formula, numbers, or groups of them.");
}

/// A result of the recording.
RecordedFormula::Tensor
output(nb::handle object, std::vector<Kind> & results)
{
  const auto row = as_row(object);
  if (!row)
    fail_returned(object);
  RecordedFormula::Tensor t;
  for (const auto & x : row->components)
  {
    t.values.push_back(x.x.id);
    t.partials.push_back(x.d[0].id);
  }
  t.base = row->base;
  results.push_back({row->type, row->base});
  return t;
}

} // namespace

std::shared_ptr<Recorded>
record(const PythonFunction & f, const Call & c)
{
  const core::OutsideOfModes no_modes; // for constants that the function makes
  auto made = share_with_threads<Recorded>();
  made->arguments = c.size();
  made->groups = c.groups;
  made->types = c.types;
  Recording recording;
  std::vector<RecordedFormula::Tensor> arguments, results;
  {
    const Recording::Scope scope(recording);
    size_t i = 0;
    const auto leaf = [&] { return nb::cast(input(c.types[i++], arguments)); };
    const Returned returned = f.call(c.arguments(leaf));
    for (const Leaf & l : returned.leaves)
      results.push_back(output(l.object, made->results));
    if (results.empty() && returned.structure.parts()[0].is == Structure::Is::constant)
      fail_returned(returned.structure.parts()[0].object);
    if (results.empty())
      fail_type(
          "vmap: the formula returned nothing. Expected a tensor, a number, or a group of them.");
    made->returned = returned.structure;
  }
  made->formula = std::make_shared<const RecordedFormula>(
      std::move(recording), std::move(arguments), std::move(results), f.name());
  made->bases = made->formula->bases();
  return made;
}
} // namespace neml2::python
