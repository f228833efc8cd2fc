#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace selectors::tests {
namespace {

constinit std::atomic<std::size_t> live{0};
thread_local constinit std::size_t count = 0;
thread_local constinit int before_failure = INT_MAX;
thread_local constinit int failures = 0;

bool fails() noexcept {
  if (failures == 0) return false;
  if (before_failure > 0) {
    --before_failure;
    return false;
  }
  --failures;
  return true;
}

void* allocate(std::size_t size) noexcept {
  if (fails()) return nullptr;
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) return nullptr;
  ++count;
  live += ::malloc_usable_size(p);
  return p;
}

void release(void* p) noexcept {
  if (p == nullptr) return;
  live -= ::malloc_usable_size(p);
  std::free(p);
}

}  // namespace

std::size_t allocations() noexcept {
  return count;
}
std::size_t live_bytes() noexcept {
  return live;
}

failing_allocations::failing_allocations(int after, int times) noexcept {
  before_failure = after;
  failures = times;
}
failing_allocations::~failing_allocations() {
  failures = 0;
}

}  // namespace selectors::tests

// The array forms of the standard library come here as well.
void* operator new(std::size_t size) {
  if (void* p = selectors::tests::allocate(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return selectors::tests::allocate(size);
}
void operator delete(void* p) noexcept {
  selectors::tests::release(p);
}
void operator delete(void* p, std::size_t) noexcept {
  selectors::tests::release(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
  selectors::tests::release(p);
}
