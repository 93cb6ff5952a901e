// SPDX-License-Identifier: MIT
#include "bindings/groups.h"

#include "bindings/messages.h"
#include "bindings/rows.h"

#include <algorithm>
#include <unordered_map>

namespace neml2::python
{
namespace
{
using Is = Structure::Is;
using Part = Structure::Part;

constexpr size_t most_leaves = 1 << 16, most_levels = 200;

/// The names of the fields of a dataclass.
using Fields = std::vector<nb::object>;

/// Tells whether the objects of a type are leaves, constants or groups, and which kind of group.
struct TypeKind
{
  Is is = Is::leaf;
  const TypeInfo * tensor = nullptr;
  Fields fields = {};
  nb::object reference = {}; ///< a weak reference to the type
};

std::unordered_map<PyObject *, TypeKind> &
known_kinds()
{
  static auto * const known = new std::unordered_map<PyObject *, TypeKind>; // outlives Python
  return *known;
}

/// Called when a type has been deleted, with its address.
PyObject *
forget_kind(PyObject * address, PyObject *)
{
  known_kinds().erase(static_cast<PyObject *>(PyLong_AsVoidPtr(address)));
  Py_RETURN_NONE;
}

Fields
fields_of(nb::handle type)
{
  Fields all;
  for (const nb::handle f : nb::module_::import_("dataclasses").attr("fields")(type))
    all.push_back(f.attr("name"));
  return all;
}

TypeKind
find_kind(nb::handle type)
{
  auto * const t = reinterpret_cast<PyTypeObject *>(type.ptr());
  const auto is_a = [&](PyTypeObject & other) { return PyType_IsSubtype(t, &other) != 0; };
  TypeKind k;
  if ((k.tensor = type_of_class(t)))
    return k;
  const nb::object enumeration = nb::module_::import_("enum").attr("Enum");
  if (is_a(PyUnicode_Type) || is_a(PyBool_Type) || t == Py_TYPE(Py_None) ||
      is_a(*reinterpret_cast<PyTypeObject *>(enumeration.ptr())))
    k.is = Is::constant;
  else if (is_a(PyTuple_Type) || is_a(PyList_Type))
    k.is = Is::tuple;
  else if (is_a(PyDict_Type))
    k.is = Is::dict;
  else if (nb::hasattr(type, "__dataclass_fields__"))
  {
    k.is = Is::dataclass;
    k.fields = fields_of(type);
  }
  return k;
}

/// The kind of a type, which must not have been deleted.
const TypeKind &
kind_of(nb::handle type)
{
  static PyMethodDef forget = {"forget_kind", forget_kind, METH_O, nullptr};
  auto & known = known_kinds();
  if (const auto found = known.find(type.ptr()); found != known.end())
    return found->second;
  TypeKind k = find_kind(type);
  const nb::object address = nb::steal(PyLong_FromVoidPtr(type.ptr()));
  k.reference = nb::weakref(type, nb::steal(PyCFunction_New(&forget, address.ptr())));
  return known.emplace(type.ptr(), std::move(k)).first->second;
}

/// Throws if a dataclass has attributes that are not fields, because they would be lost.
void
check_attributes(nb::handle o, const Fields & fields)
{
  const nb::object attributes = nb::steal(PyObject_GenericGetDict(o.ptr(), nullptr));
  PyErr_Clear(); // objects with slots cause an error
  if (!attributes || size_t(PyDict_Size(attributes.ptr())) <= fields.size())
    return;
  for (const auto & [name, value] : nb::borrow<nb::dict>(attributes))
  {
    const auto is_this = [&, n = name](const nb::object & f) { return f.equal(n); };
    const nb::object of_class = nb::getattr(o.type(), nb::borrow<nb::str>(name), nb::none());
    if (std::none_of(fields.begin(), fields.end(), is_this) &&
        !of_class.type().is(nb::module_::import_("functools").attr("cached_property")))
      fail_type("vmap: " + with_article(Py_TYPE(o.ptr())->tp_name) + " has the attribute '" +
                nb::str(name).c_str() +
                "', which is not one of its fields. Annotate it in the class.");
  }
}

/// Takes groups apart, member by member.
class TakeApart
{
public:
  TakeApart(Structure::Parts & parts, Leaves & leaves) : _parts(parts), _leaves(leaves) {}

  void member(nb::object o)
  {
    if (_leaves.size() >= most_leaves || _parts.size() >= 4 * most_leaves)
      fail_type("vmap: groups have more than " + std::to_string(most_leaves) +
                " members. Make them tensors with batch or base dimensions.");
    PyTypeObject * const type = Py_TYPE(o.ptr());
    if (type == &PyFloat_Type || type == &PyLong_Type)
      return leaf(std::move(o), nullptr);
    const TypeKind & kind = kind_of(reinterpret_cast<PyObject *>(type));
    if (kind.is == Is::leaf)
      return leaf(std::move(o), kind.tensor);
    if (kind.is == Is::constant)
      return _parts.push_back({Is::constant, std::move(o)});
    open(o);
    if (kind.is == Is::dict)
      dict(o);
    else if (kind.is == Is::dataclass)
      dataclass(o, kind.fields);
    else if (PyTuple_Check(o.ptr()))
      sequence(o, PyTuple_Size, PyTuple_GetItem);
    else
      sequence(o, PyList_Size, PyList_GetItem);
    _open.pop_back();
  }

private:
  Structure::Parts & _parts;
  Leaves & _leaves;
  SmallVector<PyObject *, 8> _open; ///< groups that contain the present member

  void open(nb::handle group)
  {
    if (std::find(_open.begin(), _open.end(), group.ptr()) != _open.end())
      fail_type("vmap: " + with_article(Py_TYPE(group.ptr())->tp_name) + " contains itself.");
    if (_open.size() >= most_levels)
      fail_type("vmap: groups are nested more than " + std::to_string(most_levels) + " deep.");
    _open.push_back(group.ptr());
  }
  void leaf(nb::object o, const TypeInfo * type)
  {
    _parts.push_back({Is::leaf});
    _leaves.push_back({std::move(o), type});
  }

  // Access to members may run Python code that changes the group. Therefore each member is read when needed, and kept alive.

  void
  sequence(nb::handle o, Py_ssize_t (*size)(PyObject *), PyObject * (*item)(PyObject *, Py_ssize_t))
  {
    const size_t part = _parts.size();
    _parts.push_back({Is::tuple, nb::borrow(o.type())});
    Py_ssize_t i = 0;
    for (; i < size(o.ptr()); i++)
      member(nb::borrow(item(o.ptr(), i)));
    _parts[part].size = size_t(i);
  }
  void dict(nb::handle o)
  {
    const size_t part = _parts.size();
    _parts.push_back({Is::dict, nb::borrow(o.type())});
    PyObject *key, *value;
    for (Py_ssize_t i = 0; PyDict_Next(o.ptr(), &i, &key, &value);)
    {
      nb::object held = nb::borrow(value);
      _parts.push_back({Is::key, nb::borrow(key)});
      member(std::move(held));
      _parts[part].size++;
    }
  }
  void dataclass(nb::handle o, const Fields & fields)
  {
    _parts.push_back({Is::dataclass, nb::borrow(o.type())});
    check_attributes(o, fields);
    for (const nb::object & name : fields)
    {
      PyObject * const value = PyObject_GetAttr(o.ptr(), name.ptr());
      if (!value)
        throw nb::python_error();
      member(nb::steal(value));
    }
  }
};

bool
is_same(const Part & a, const Part & b)
{
  if (a.is != b.is || a.size != b.size)
    return false;
  PyObject *const x = a.object.ptr(), *const y = b.object.ptr();
  if (x == y)
    return true;
  if (!x || !y || Py_TYPE(x) != Py_TYPE(y) || (a.is != Is::constant && a.is != Is::key))
    return false;
  if (PyUnicode_Check(x))
    return PyUnicode_Compare(x, y) == 0;
  const int equal = a.is == Is::key ? PyObject_RichCompareBool(x, y, Py_EQ) : 0;
  if (equal < 0)
    PyErr_Clear();
  return equal > 0;
}

/// Finds the path of each leaf: the names of its group and of the members that lead to it.
class LeafPaths
{
public:
  explicit LeafPaths(const Structure::Parts & parts) : _parts(parts) {}

  std::vector<std::string> found;

  void next(const std::string & path)
  {
    const Part & p = _parts[_part++];
    const auto text = [](nb::handle x) { return std::string(nb::repr(x).c_str()); };
    if (p.is == Is::leaf)
      found.push_back(path);
    else if (p.is == Is::dataclass)
      for (const nb::object & name : kind_of(p.object).fields)
        next(path + "." + nb::str(name).c_str());
    for (size_t i = 0; p.is == Is::dict && i < p.size; i++)
    {
      const nb::object key = _parts[_part++].object;
      next(path + "[" + text(key) + "]");
    }
    if (p.is != Is::tuple)
      return;
    const nb::object names = nb::getattr(p.object, "_fields", nb::none());
    for (size_t i = 0; i < p.size; i++)
      next(path + (names.is_none() ? "[" + std::to_string(i) + "]"
                                   : std::string(".") + nb::str(names[i]).c_str()));
  }

private:
  const Structure::Parts & _parts;
  size_t _part = 0;
};
} // namespace

bool
operator==(const Structure & a, const Structure & b)
{
  return a._parts.size() == b._parts.size() &&
         std::equal(a._parts.begin(), a._parts.end(), b._parts.begin(), is_same);
}

void
Structure::take_apart(nb::handle object, Leaves & leaves)
{
  TakeApart(_parts, leaves).member(nb::borrow(object));
}

std::vector<std::string>
Structure::paths(const std::vector<std::string> & names) const
{
  LeafPaths paths(_parts);
  for (const std::string & n : names)
    paths.next(n);
  return paths.found;
}

namespace
{
bool
is_group(const Structure::Part & p)
{
  return p.is != Structure::Is::leaf && p.is != Structure::Is::constant;
}
size_t
size_of(const Structure::Part & p)
{
  return p.is == Structure::Is::dataclass ? kind_of(p.object).fields.size() : p.size;
}
} // namespace

size_t
Structure::member_count() const
{
  return is_group(_parts[0]) ? size_of(_parts[0]) : 1;
}

std::vector<size_t>
Structure::members() const
{
  std::vector<size_t> all;
  std::vector<size_t> left = {
      member_count()}; // for each open group, the number of members that are left
  size_t member = 0;
  for (size_t i = is_group(_parts[0]) ? 1 : 0; i < _parts.size(); i++)
  {
    const Part & p = _parts[i];
    if (p.is == Is::key)
      continue;
    left.back()--;
    if (p.is == Is::leaf)
      all.push_back(member);
    else if (is_group(p))
      left.push_back(size_of(p));
    while (left.size() > 1 && left.back() == 0)
      left.pop_back();
    if (left.size() == 1)
      member++;
  }
  return all;
}

nb::object
PutTogether::next()
{
  const Part & p = _parts[_part++];
  switch (p.is)
  {
  case Is::leaf:
    return _leaf();
  case Is::tuple:
    return tuple(p);
  case Is::dict:
    return dict(p);
  case Is::dataclass:
    return dataclass(p.object);
  default:
    return p.object;
  }
}

namespace
{
/// Makes an object without calling its __init__, because the constructor of a class may take other arguments.
nb::object
make(PyTypeObject & base, nb::handle type, const nb::tuple & arguments = nb::tuple())
{
  PyObject * const made =
      base.tp_new(reinterpret_cast<PyTypeObject *>(type.ptr()), arguments.ptr(), nullptr);
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}
} // namespace

nb::object
PutTogether::tuple(const Part & p)
{
  const nb::handle type = p.object;
  const bool is_tuple =
      PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(type.ptr()), &PyTuple_Type) != 0;
  const auto n = Py_ssize_t(p.size);
  const nb::object members = nb::steal(is_tuple ? PyTuple_New(n) : PyList_New(n));
  for (Py_ssize_t i = 0; i < n; i++)
  {
    PyObject * const member = next().release().ptr();
    is_tuple ? PyTuple_SET_ITEM(members.ptr(), i, member)
             : PyList_SET_ITEM(members.ptr(), i, member);
  }
  if (members.type().is(type))
    return members;
  if (is_tuple)
    return make(PyTuple_Type, type, nb::make_tuple(members));
  const nb::object list = make(PyList_Type, type);
  nb::handle(reinterpret_cast<PyObject *>(&PyList_Type)).attr("__init__")(list, members);
  return list;
}

nb::object
PutTogether::dict(const Structure::Part & p)
{
  const bool is_plain = p.object.is(reinterpret_cast<PyObject *>(&PyDict_Type));
  const nb::object all = is_plain ? nb::object(nb::dict()) : p.object();
  for (size_t i = 0; i < p.size; i++)
  {
    const nb::object key = _parts[_part++].object;
    const nb::object member = next();
    if (PyObject_SetItem(all.ptr(), key.ptr(), member.ptr()) < 0)
      throw nb::python_error();
  }
  return all;
}

nb::object
PutTogether::dataclass(nb::handle type)
{
  const Fields & fields = kind_of(type).fields;
  const nb::object made = make(PyBaseObject_Type, type);
  for (const nb::object & name : fields) // this works for a frozen dataclass, too
  {
    const nb::object member = next();
    if (PyObject_GenericSetAttr(made.ptr(), name.ptr(), member.ptr()) < 0)
      throw nb::python_error();
  }
  return made;
}

// ---- For Python ----

nb::object
Together::operator()(const nb::list & leaves) const
{
  size_t i = 0;
  const auto leaf = [&]() -> nb::object
  {
    if (i >= leaves.size())
      throw nb::index_error("the list has fewer entries than the group has members");
    return nb::borrow(leaves[i++]);
  };
  return PutTogether(structure, leaf).next();
}

void
bind_groups(nb::module_ & m)
{
  nb::class_<Together>(m, "Together")
      .def("__call__", &Together::operator())
      .def(
          "paths",
          [](const Together & t) { return t.structure.paths({""}); },
          "The path of each leaf in the group, such as `.p`, `['p']` or `[0].p`.")
      .def(
          "members",
          [](const Together & t) { return t.structure.members(); },
          "For each leaf, the number of the group's member that contains it.")
      .def("__len__", [](const Together & t) { return t.structure.member_count(); });
  m.def("is_leaf", [](nb::handle o) { return kind_of(o.type()).is == Is::leaf; });
  m.def(
      "flatten",
      [](nb::handle group)
      {
        Together t;
        Leaves leaves;
        t.structure.take_apart(group, leaves);
        nb::list all;
        for (Leaf & l : leaves)
          all.append(std::move(l.object));
        return nb::make_tuple(all, std::move(t));
      },
      nb::arg("group").none(),
      "All tensors and numbers of a group, and a callable object that makes such a group from a "
      "list of equal length.");
}
} // namespace neml2::python
