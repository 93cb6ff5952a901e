// SPDX-License-Identifier: MIT
#include "bindings/calls.h"
#include "bindings/common.h"
#include "bindings/generated.h"
#include "bindings/functions.h"
#include "bindings/messages.h"
#include "bindings/operators.h"
#include "bindings/vocabulary.h"

#include <torch/csrc/Exceptions.h>

#include <cstdlib>

namespace neml2::python
{
namespace
{
/// Makes a submodule that `import` finds as neml2_tensors.NAME. Its classes have this name as their __module__.
nb::module_
submodule(nb::module_ & m, const char * name, const char * doc)
{
  nb::module_ r = m.def_submodule(name, doc);
  const std::string full = std::string("neml2_tensors.") + name;
  r.attr("__name__") = full;
  nb::module_::import_("sys").attr("modules")[full.c_str()] = r;
  return r;
}

void
set(PyObject * error, const NEMLException & e)
{
  PyErr_SetString(error, in_python(e.what()).c_str());
}

/// Sets an error whose class is defined in a Python module.
void
set_error(const char * module, const char * name, const char * message)
{
  const nb::object error = nb::module_::import_(module).attr(name);
  PyErr_SetString(error.ptr(), message);
}

/// Sets a torch.OutOfMemoryError; before torch 2.5 it is torch.cuda.OutOfMemoryError.
void
set_out_of_memory(const char * message)
{
  const nb::object torch = nb::module_::import_("torch");
  const char * const name = "OutOfMemoryError";
  set_error(nb::hasattr(torch, name) ? "torch" : "torch.cuda", name, message);
}

/// Translates the library's exceptions to Python's, with Python's names in their messages. Exceptions of PyTorch become the exceptions that
/// PyTorch itself raises in Python.
void
translate(const std::exception_ptr & p, void *)
{
  try
  {
    std::rethrow_exception(p);
  }
  catch (const IndexException & e)
  {
    set(PyExc_IndexError, e);
  }
  catch (const LabelException & e) // not translated, because the message has the user's labels
  {
    PyErr_SetString(PyExc_KeyError, e.what());
  }
  catch (const SingularException & e)
  {
    set_error("torch.linalg", "LinAlgError", in_python(e.what()).c_str());
  }
  catch (const OutOfMemoryException & e)
  {
    set_out_of_memory(in_python(e.what()).c_str());
  }
  catch (const NEMLException & e)
  {
    set(PyExc_ValueError, e);
  }
  catch (const c10::IndexError & e)
  {
    PyErr_SetString(PyExc_IndexError, e.what_without_backtrace());
  }
  catch (const c10::ValueError & e)
  {
    PyErr_SetString(PyExc_ValueError, e.what_without_backtrace());
  }
  catch (const c10::TypeError & e)
  {
    PyErr_SetString(PyExc_TypeError, e.what_without_backtrace());
  }
  catch (const c10::NotImplementedError & e)
  {
    PyErr_SetString(PyExc_NotImplementedError, e.what_without_backtrace());
  }
  catch (const c10::OutOfMemoryError & e)
  {
    set_out_of_memory(e.what_without_backtrace());
  }
  catch (const c10::LinAlgError & e)
  {
    set_error("torch.linalg", "LinAlgError", e.what_without_backtrace());
  }
  catch (const c10::Error & e)
  {
    PyErr_SetString(PyExc_RuntimeError, e.what_without_backtrace());
  }
  catch (python_error & e) // thrown by Python code that PyTorch called
  {
    e.restore();
  }
}
} // namespace
} // namespace neml2::python

NB_MODULE(_C, m)
{
  using namespace neml2::python;
  m.doc() =
      "The compiled part of neml2. Import neml2.tensors, neml2.math and neml2.crystallography.";
  nb::register_exception_translator(translate);
  // Users need no warnings about objects that Python keeps alive until it exits, for example in a traceback.
  nb::set_leak_warnings(std::getenv("NEML2_LEAK_WARNINGS") != nullptr);

  nb::module_ tensors = submodule(m,
                                  "tensors",
                                  "Batched tensors (Scalar, Vec, R2, SR2, SSR4, Rot and others), "
                                  "and labels for their dimensions.");
  nb::module_ math =
      submodule(m, "math", "Functions of batched tensors. They have the same names in C++.");
  nb::module_ crystallography = submodule(
      m, "crystallography", "Symmetry groups of crystals, misorientations and fundamental zones.");

  AnyClass base(
      tensors,
      "TensorBase",

      "The common base class of all tensors of this library. A tensor holds a torch.Tensor whose "
      "first dimensions are batch dimensions, and whose other dimensions are base dimensions.\n\nA "
      "shape is written (batch; base), for example (1000, 2; 6, 6). Batch dimensions broadcast "
      "with batch dimensions only, never with base dimensions.");
  bind_methods(base);
  bind_operators(base);
  declare_types(tensors);
  bind_views(tensors, base);
  bind_generated(math, crystallography);
  bind_factories();
  bind_functions(math);
  bind_labels(tensors);
  bind_rotations();
  bind_scalar_comparisons();
  m.def("in_python", in_python, nb::arg("message"));
  nb::module_ recording = m.def_submodule("recording", "The compiled part of neml2.formulas.");
  bind_formulas(recording);
  for (nb::module_ & complete : {std::ref(tensors), std::ref(math), std::ref(crystallography)})
    prepare_calls(complete);
}
