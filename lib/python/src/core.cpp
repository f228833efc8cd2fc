#include "core.hpp"

#include <chrono>
#include <system_error>
#include <utility>

namespace selectors::python {
namespace {

using clock = std::chrono::steady_clock;

// Of the bits that the library knows, Python's selectors have these two, with the same values.
constexpr unsigned known_events = 3;
static_assert(static_cast<unsigned>(interest::read) == 1 && static_cast<unsigned>(interest::write) == 2);

interest to_interest(unsigned events) {
  if (events == 0 || (events & ~known_events) != 0)
    throw std::system_error(make_error_code(errc::invalid_interest));
  return static_cast<interest>(events);
}

PyObject* object_of(user_data data) noexcept {
  return data.pointer<PyObject>();
}

// Python's numbers have no end. One that does not fit is like a negative one: refused, or not registered.
int to_number(const py::int_& fd) {
  int overflow = 0;
  const long value = PyLong_AsLongAndOverflow(fd.ptr(), &overflow);
  return overflow == 0 && std::in_range<int>(value) ? static_cast<int>(value) : -1;
}

timeout to_timeout(const py::object& seconds) {
  if (seconds.is_none()) return timeout::infinite;
  const double value = PyFloat_AsDouble(seconds.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return std::chrono::duration<double>(value);
}

clock::time_point end_of(timeout t) {
  if (t.is_infinite() || t.is_zero()) return clock::time_point::max();
  const clock::time_point now = clock::now();
  return t.duration() > clock::time_point::max() - now ? clock::time_point::max() : now + t.duration();
}

// Python's handlers run outside of the wait, with the interpreter's lock, and may use the selector.
bool end_the_wait(void*) {
  return true;
}

}  // namespace

counts core::total;

// Nobody else may touch the selector while a thread waits in it without the lock.
class core::waiting {
 public:
  explicit waiting(bool& flag) : flag_(flag) { flag_ = true; }
  ~waiting() { flag_ = false; }
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;

 private:
  bool& flag_;
};

core::core(backend b) : selector_(b) {
  ++total.selectors;
}

core::~core() {
  release_all();
}

void core::check() const {
  if (closed_) throw std::system_error(make_error_code(errc::closed));
  if (waiting_) throw std::system_error(make_error_code(errc::busy));
}

void core::register_fd(const py::int_& fd, unsigned events, const py::object& data) {
  check();
  selector_.register_fd(to_number(fd), to_interest(events), data.ptr());
  data.inc_ref();
}

void core::modify(const py::int_& fd, unsigned events, const py::object& data) {
  check();
  const key old = selector_.get_key(to_number(fd));
  selector_.modify(old.fd, to_interest(events), data.ptr(), trigger::level);
  data.inc_ref();
  Py_DECREF(object_of(old.data));
}

py::object core::unregister(const py::int_& fd) {
  check();
  return py::reinterpret_steal<py::object>(object_of(selector_.unregister(to_number(fd)).data));
}

py::object core::get(const py::int_& fd) {
  check();
  return py::reinterpret_borrow<py::object>(object_of(selector_.get_key(to_number(fd)).data));
}

py::list core::descriptors() {
  py::list numbers;
  if (closed_) return numbers;
  check();
  for (const key& k : selector_.get_map()) numbers.append(k.fd);
  return numbers;
}

std::size_t core::size() {
  if (closed_) return 0;
  check();
  return selector_.size();
}

py::list core::select(const py::object& seconds) {
  check();
  timeout left = to_timeout(seconds);
  const clock::time_point end = end_of(left);
  wait_options options;
  options.on_interrupt = end_the_wait;
  std::vector<entry> entries = std::move(entries_);
  for (;;) {
    {
      const waiting mark(waiting_);
      selection found;
      std::error_code failure;
      {
        const py::gil_scoped_release unlocked;
        found = selector_.select(left, options, failure);
      }
      ++total.waits;
      if (failure) throw std::system_error(failure);
      if (!found.interrupted()) {
        take_entries(found, entries);
        break;
      }
    }
    ++total.interruptions;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    check();
    if (end != clock::time_point::max()) left = timeout::until(end);
  }
  // From here on, what runs may be anybody's code, a finalizer's for example.
  py::list result;
  for (const auto& [object, events] : entries) result.append(py::make_tuple(object, events));
  entries.clear();
  entries_ = std::move(entries);
  return result;
}

// Without a call into the interpreter, so that the selection stays what it is.
void core::take_entries(const selection& found, std::vector<entry>& entries) const {
  entries.reserve(found.size());
  for (const event& e : found) {
    unsigned ready = static_cast<unsigned>(e.ready) & known_events;
    // It is not open any more. As from CPython's poll: whatever was asked for, so that its user's next call tells.
    if (any(e.flags & status::invalid)) ready = static_cast<unsigned>(selector_.get_key(e.fd).wanted);
    if (ready == 0) continue;
    entries.emplace_back(py::reinterpret_borrow<py::object>(object_of(e.data)), ready);
  }
  total.entries += entries.size();
}

int core::fileno() {
  check();
  return selector_.native_handle();
}

void core::close() {
  if (waiting_) throw std::system_error(make_error_code(errc::busy));
  release_all();
}

void core::reinit_after_fork() {
  check();
  selector_.reinit_after_fork();
}

void core::clear() noexcept {
  if (!waiting_) release_all();
}

// The references are let go last: what that runs finds a closed selector.
void core::release_all() noexcept {
  if (std::exchange(closed_, true)) return;
  std::error_code failure;
  std::vector<key> keys = selector_.get_map(failure);
  if (failure == errc::forked) {
    selector_.reinit_after_fork(failure);
    keys = selector_.get_map(failure);
  }
  selector_.close();
  for (const key& k : keys) Py_DECREF(object_of(k.data));
}

// A selector that a thread waits in is not looked into; that thread keeps it alive, and so what it refers to.
int core::traverse(visitproc visit, void* arg) {
  if (closed_ || waiting_) return 0;
  std::error_code failure;
  for (const key& k : selector_.get_map(failure)) Py_VISIT(object_of(k.data));
  return 0;
}

void translate(const std::error_code& e) {
  const auto raise = [](PyObject* type, const char* text) { PyErr_SetString(type, text); };
  if (e.category() != selector_category()) {
    const py::tuple arguments = py::make_tuple(e.value(), e.message());
    return PyErr_SetObject(PyExc_OSError, arguments.ptr());
  }
  switch (static_cast<errc>(e.value())) {
    case errc::already_registered:
    case errc::not_registered:
      return raise(PyExc_KeyError, e.message().c_str());
    case errc::invalid_interest:
    case errc::fd_out_of_range:
      return raise(PyExc_ValueError, e.message().c_str());
    case errc::not_supported:
      return raise(PyExc_NotImplementedError, e.message().c_str());
    case errc::closed:
      return raise(PyExc_RuntimeError, "Selector is closed");
    case errc::forked:
      return raise(PyExc_RuntimeError, "Selector belongs to the parent process; call reinit_after_fork()");
    case errc::busy:
      return raise(PyExc_RuntimeError, "Selector is in use: another thread waits in its select()");
  }
  raise(PyExc_RuntimeError, e.message().c_str());
}

}  // namespace selectors::python
