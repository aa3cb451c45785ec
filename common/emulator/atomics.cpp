// CUDA's atomic functions: announced to the tracer, then done atomically, since the blocks of one
// launch run on several CPU threads.
#include <atomic>
#include <cstddef>

#include "emulator/cuda_on_cpu.h"

namespace emulator {
void announce_atomic(const void* address, std::size_t bytes, const void* site);
}

namespace {

template <class T, class Change>
inline T update(T* address, const void* site, Change change) {
    emulator::announce_atomic(address, sizeof(T), site);
    std::atomic_ref<T> target(*address);
    T old = target.load(std::memory_order_relaxed);
    while (!target.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {
    }
    return old;
}

}  // namespace

// The site is the caller's place in the kernel, so it must be taken in the atomic function itself.
#define LAB_SITE __builtin_return_address(0)
#define LAB_ATOMICS_ARITHMETIC(type)                                             \
    type atomicAdd(type* address, type value) {                                  \
        return update(address, LAB_SITE, [=](type old) { return old + value; }); \
    }                                                                            \
    type atomicExch(type* address, type value) {                                 \
        return update(address, LAB_SITE, [=](type) { return value; });           \
    }
#define LAB_ATOMICS_INTEGER(type)                                                              \
    LAB_ATOMICS_ARITHMETIC(type)                                                               \
    type atomicSub(type* address, type value) {                                                \
        return update(address, LAB_SITE, [=](type old) { return old - value; });               \
    }                                                                                          \
    type atomicMin(type* address, type value) {                                                \
        return update(address, LAB_SITE, [=](type old) { return value < old ? value : old; }); \
    }                                                                                          \
    type atomicMax(type* address, type value) {                                                \
        return update(address, LAB_SITE, [=](type old) { return value > old ? value : old; }); \
    }                                                                                          \
    type atomicAnd(type* address, type value) {                                                \
        return update(address, LAB_SITE, [=](type old) { return old & value; });               \
    }                                                                                          \
    type atomicOr(type* address, type value) {                                                 \
        return update(address, LAB_SITE, [=](type old) { return old | value; });               \
    }                                                                                          \
    type atomicXor(type* address, type value) {                                                \
        return update(address, LAB_SITE, [=](type old) { return old ^ value; });               \
    }                                                                                          \
    type atomicCAS(type* address, type compare, type value) {                                  \
        return update(address, LAB_SITE,                                                       \
                      [=](type old) { return old == compare ? value : old; });                 \
    }
LAB_ATOMICS_INTEGER(int)
LAB_ATOMICS_INTEGER(unsigned)
LAB_ATOMICS_INTEGER(unsigned long long)
LAB_ATOMICS_ARITHMETIC(float)
LAB_ATOMICS_ARITHMETIC(double)
