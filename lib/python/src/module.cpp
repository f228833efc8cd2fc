#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <string>
#include <system_error>

#include "core.hpp"

namespace selectors::python {
namespace {

// The collector may come by before the constructor has run.
core* constructed(PyObject* self) {
  const auto holder = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  return holder.holder_constructed() ? holder.value_ptr<core>() : nullptr;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  core* c = constructed(self);
  return c != nullptr ? c->traverse(visit, arg) : 0;
}

int clear(PyObject* self) {
  if (core* c = constructed(self)) c->clear();
  return 0;
}

void collectable(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->ht_type.tp_traverse = traverse;
  type->ht_type.tp_clear = clear;
}

backend named(const std::string& name) {
  const backend_info* info = find_backend(name);
  if (info == nullptr) throw py::value_error("unknown backend '" + name + "'");
  return info->id;
}

std::string name_of_default() {
  return std::string(find_backend(selector::default_backend())->name);
}

py::list names() {
  py::list all;
  for (const backend_info& info : backends()) all.append(std::string(info.name));
  return all;
}

py::dict totals() {
  py::dict d;
  d["selectors"] = core::total.selectors;
  d["waits"] = core::total.waits;
  d["entries"] = core::total.entries;
  d["interruptions"] = core::total.interruptions;
  return d;
}

void translate_exception(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::system_error& e) {
    translate(e.code());
  }
}

PYBIND11_MODULE(_core, m) {
  m.doc() = "The C++ half of selectors_native: a table of descriptors, each with an object, and a wait.";
  py::register_local_exception_translator(translate_exception);
  py::class_<core>(m, "Core", py::custom_type_setup(collectable))
      .def(py::init([](const std::string& name) { return std::make_unique<core>(named(name)); }))
      .def("register", &core::register_fd)
      .def("modify", &core::modify)
      .def("unregister", &core::unregister)
      .def("get", &core::get)
      .def("descriptors", &core::descriptors)
      .def("select", &core::select)
      .def("fileno", &core::fileno)
      .def("close", &core::close)
      .def("reinit_after_fork", &core::reinit_after_fork)
      .def_property_readonly("closed", &core::is_closed)
      .def("__len__", &core::size);
  m.def("default_backend", &name_of_default);
  m.def("backends", &names);
  m.def("totals", &totals);
}

}  // namespace
}  // namespace selectors::python
