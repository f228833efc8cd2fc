#include "harness/counted_calls.hpp"

#include <cstdlib>
#include <new>

#include "system_calls.hpp"

// The linker gives the real functions these names (--wrap).
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __wrap_malloc(std::size_t size);
void* __wrap_calloc(std::size_t count, std::size_t size);
void* __wrap_realloc(void* memory, std::size_t size);
}

namespace selectors::perf {
namespace {

constinit counters total;

template <auto Entry, class Function>
struct counted_entry;

template <auto Entry, class Result, class... Arguments>
struct counted_entry<Entry, Result (*)(Arguments...)> {
  static inline Result (*real)(Arguments...) = nullptr;
  static Result call(Arguments... arguments) {
    ++total.system_calls;
    return real(arguments...);
  }
};

template <auto Entry, class Result, class... Arguments>
struct counted_entry<Entry, Result (*)(Arguments...) noexcept> {
  static inline Result (*real)(Arguments...) noexcept = nullptr;
  static Result call(Arguments... arguments) noexcept {
    ++total.system_calls;
    return real(arguments...);
  }
};

template <class Function>
Function entry_type(Function system_calls::*);

template <auto... Entries>
void put_counters_before() {
  const auto one = []<auto Entry>() {
    using counted_one = counted_entry<Entry, decltype(entry_type(Entry))>;
    counted_one::real = system_call.*Entry;
    system_call.*Entry = counted_one::call;
  };
  (one.template operator()<Entries>(), ...);
}

void* allocate(std::size_t size, std::size_t alignment) {
  ++total.allocations;
  void* const memory = alignment > alignof(std::max_align_t)
                           ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                           : __real_malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

const counters& counted() noexcept {
  return total;
}

// The clock is left out: it is read without entering the kernel.
void count_system_calls() {
  using s = system_calls;
  put_counters_before<&s::epoll_create, &s::epoll_ctl, &s::epoll_wait, &s::epoll_pwait, &s::epoll_pwait2,
                      &s::poll, &s::ppoll, &s::select, &s::pselect, &s::status_flags, &s::event_descriptor,
                      &s::read, &s::write, &s::close>();
}

}  // namespace selectors::perf

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t size) {
  return selectors::perf::allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return selectors::perf::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

void* __wrap_malloc(std::size_t size) {
  ++selectors::perf::total.allocations;
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  ++selectors::perf::total.allocations;
  return __real_calloc(count, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  ++selectors::perf::total.allocations;
  return __real_realloc(memory, size);
}
