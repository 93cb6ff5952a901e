// SPDX-License-Identifier: MIT
#include "bindings/formula_call.h"

#include "bindings/messages.h"
#include "bindings/rows.h"

#include <algorithm>
#include <sstream>

namespace neml2::python
{
std::string
name_of_type(nb::handle object)
{
  if (is_torch_tensor(object))
    return "torch.Tensor";
  const std::string name = Py_TYPE(object.ptr())->tp_name;
  const bool is_own =
      name.rfind("neml2_tensors.", 0) == 0; // from Python 3.14 on the name includes the module
  return is_own ? name.substr(name.rfind('.') + 1) : name;
}

std::vector<std::string>
Names::texts(size_t n, bool of_method) const
{
  std::vector<std::string> all;
  for (size_t k = 0; k < n; k++)
  {
    const nb::handle name = (*this)(k, of_method ? nb::handle(Py_None) : nb::handle());
    all.push_back(name ? nb::str(name).c_str() : "argument " + std::to_string(k));
  }
  return all;
}

Call::Call(const char * name, nb::handle of, const nb::tuple & arguments, const Names & names)
  : instance(of)
{
  for (const nb::handle a : arguments)
  {
    first_parts.push_back(groups.parts().size());
    first_leaves.push_back(leaves.size());
    groups.take_apart(a, leaves);
  }
  first_leaves.push_back(leaves.size());
  types.reserve(leaves.size()); // because operands refer to the elements of `types`
  _numbers.reserve(leaves.size());
  for (const Leaf & l : leaves)
    if (!read(l))
      refuse(name, names);
  if (!like)
    fail_type(std::string(name) + ": at least one argument must be a tensor of this library");
}

nb::list
Call::arguments_of(const Structure & groups,
                   nb::handle instance,
                   size_t n,
                   PutTogether::NextLeaf leaf)
{
  nb::list all;
  if (instance)
    all.append(instance);
  PutTogether group(groups, leaf);
  for (size_t i = 0; i < n; i++)
    all.append(group.next());
  return all;
}

bool
Call::read(const Leaf & l)
{
  if (l.type && nb::inst_ready(l.object))
  {
    const void * p = nb::inst_ptr<void>(l.object);
    const at::Tensor & t = l.type->tensor(p);
    const bool is_own = !l.type->fixed_base && t.defined();
    types.push_back(
        {l.type,
         TensorShape(is_own ? t.sizes().slice(size_t(l.type->batch_dim(p))) : l.type->base)});
    operands.push_back({&t, l.type->name, l.type->batch_dim(p), types.back().base});
    like = &t;
    return true;
  }
  Number x;
  if (PyFloat_CheckExact(l.object.ptr()))
    x.value = PyFloat_AS_DOUBLE(l.object.ptr());
  else if (!nb::try_cast(l.object, x))
    return false;
  _numbers.push_back(x.value);
  operands.push_back(core::operand(_numbers.back()));
  types.push_back({nullptr, {}});
  return true;
}
void
Call::refuse(const std::string & name, const Names & names) const
{
  const size_t i = types.size();
  const nb::handle object = leaves[i].object;
  const bool is_member = !groups.is_leaf(first_parts[argument_of(i)]);
  std::string message = name + ": an argument is " + with_article(name_of_type(object));
  if (is_member)
    message += " (" + groups.paths(names.texts(size(), bool(instance)))[i] + ")";
  if (leaves[i].type)
    message += " that has not been initialized. A class that derives from it must call "
               "super().__init__(...) first.";
  else if (is_torch_tensor(object))
    message +=
        ", which does not say which of its dimensions are batch dimensions. Make it a tensor "
        "of this library first, for example SR2(t), or Tensor(t, batch_dim).";
  else
    message += ". Expected tensors of this library, numbers, and groups of them: tuples, lists, "
               "dicts and dataclasses.";
  fail_type(message);
}

namespace
{
std::string
type_and_base(const TypeInfo & type, TensorShapeRef base)
{
  std::ostringstream text;
  text << type.name;
  if (!type.fixed_base)
    text << " of base shape " << base;
  return text.str();
}
} // namespace

Outputs::Outputs(const char * name,
                 nb::handle out,
                 const std::vector<Kind> & kinds,
                 const std::function<nb::object(PutTogether::NextLeaf)> & together)
{
  Structure given, expected;
  Leaves placeholders;
  given.take_apart(out, _leaves);
  expected.take_apart(together([] { return nb::float_(0); }), placeholders);
  if (!(given == expected))
  {
    size_t i = 0;
    const auto type_name = [&]() -> nb::object { return nb::str(kinds[i++].type->name); };
    std::string text = nb::repr(together(type_name)).c_str();
    text.erase(std::remove(text.begin(), text.end(), '\''), text.end());
    fail_type(std::string(name) + ": out is " + with_article(name_of_type(out)) +
              (given.parts().size() == 1 ? "" : " with other members than the result") +
              ". Expected existing tensors in the form of the result: " + text + ".");
  }
  for (size_t i = 0; i < kinds.size(); i++)
  {
    const auto & [object, type] = _leaves[i];
    const Kind & kind = kinds[i];
    const bool is_ready = type && nb::inst_ready(object);
    const void * const p = is_ready ? nb::inst_ptr<void>(object) : nullptr;
    const at::Tensor * const t = p ? &type->tensor(p) : nullptr;
    const Size batch_dim = p ? type->batch_dim(p) : 0;
    if (!t || type != kind.type ||
        (t->defined() && t->sizes().slice(size_t(batch_dim)) != TensorShapeRef(kind.base)))
    {
      const auto found = t && t->defined()
                             ? type_and_base(*type, t->sizes().slice(size_t(batch_dim)))
                             : name_of_type(object);
      fail_type(std::string(name) + ": " + given.paths({"out"})[i] + " is " + with_article(found) +
                ". Expected " + with_article(type_and_base(*kind.type, kind.base)) + ".");
    }
    operands.push_back({t, type->name, batch_dim, TensorShapeRef(kind.base)});
  }
}

size_t
Call::argument_of(size_t leaf) const
{
  const auto after = std::upper_bound(first_leaves.begin(), first_leaves.end(), leaf);
  return size_t(after - first_leaves.begin()) - 1;
}
} // namespace neml2::python
