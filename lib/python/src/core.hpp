// A selector whose user data are Python objects. Everything here runs with the interpreter's lock held; a wait
// gives it up for as long as it is in the kernel.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <selectors/selector.hpp>

namespace selectors::python {

namespace py = pybind11;

// Proof of work: what this process has done so far, in all of its selectors.
struct counts {
  std::uint64_t selectors = 0;
  std::uint64_t waits = 0;
  std::uint64_t entries = 0;
  std::uint64_t interruptions = 0;
};

// The registrations are the library's: descriptor, interest, and as user data a reference to the object that was
// given. There is no second table here.
class core {
 public:
  explicit core(backend b);
  ~core();
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  void register_fd(const py::int_& fd, unsigned events, const py::object& data);
  void modify(const py::int_& fd, unsigned events, const py::object& data);
  py::object unregister(const py::int_& fd);
  py::object get(const py::int_& fd);
  py::list descriptors();
  std::size_t size();
  // A list of (object, events). `seconds`: None, or what float() takes.
  py::list select(const py::object& seconds);
  int fileno();
  void close();
  void reinit_after_fork();
  bool is_closed() const noexcept { return closed_; }

  // For the garbage collector: the objects that the registrations refer to.
  int traverse(visitproc visit, void* arg);
  void clear() noexcept;

  static counts total;

 private:
  using entry = std::pair<py::object, unsigned>;
  class waiting;

  void check() const;
  void release_all() noexcept;
  void take_entries(const selection& found, std::vector<entry>& entries) const;

  selector selector_;
  std::vector<entry> entries_;  // storage of the last list, for the next one
  bool closed_ = false;
  bool waiting_ = false;  // a thread is in select, without the interpreter's lock
};

// As Python's users know them: KeyError, ValueError, RuntimeError for misuse, OSError for what the kernel says.
void translate(const std::error_code& e);

}  // namespace selectors::python
