// The atomic entry points of ThreadSanitizer's instrumentation. Kernels use CUDA's atomic functions
// (atomics.cpp); these serve host code that is compiled beside them (std::shared_ptr, ...), always
// in the strongest memory order, and count nothing.
#include <cstdint>

#define LAB_FETCH(bits, type, operation)                                                       \
    type __tsan_atomic##bits##_fetch_##operation(volatile type* address, type value, int) {    \
        return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);                   \
    }
#define LAB_COMPARE_EXCHANGE(bits, type, strength, weak)                                        \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* address, type* expected, \
                                                          type desired, int, int) {             \
        return __atomic_compare_exchange_n(address, expected, desired, weak, __ATOMIC_SEQ_CST,  \
                                           __ATOMIC_SEQ_CST);                                   \
    }
#define LAB_HOST_ATOMICS(bits, type)                                                       \
    type __tsan_atomic##bits##_load(const volatile type* address, int) {                   \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                 \
    }                                                                                      \
    void __tsan_atomic##bits##_store(volatile type* address, type value, int) {            \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                      \
    type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) {         \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                      \
    }                                                                                      \
    LAB_FETCH(bits, type, add)                                                             \
    LAB_FETCH(bits, type, sub)                                                             \
    LAB_FETCH(bits, type, and)                                                             \
    LAB_FETCH(bits, type, or)                                                              \
    LAB_FETCH(bits, type, xor)                                                             \
    LAB_COMPARE_EXCHANGE(bits, type, strong, false)                                        \
    LAB_COMPARE_EXCHANGE(bits, type, weak, true)

extern "C" {
LAB_HOST_ATOMICS(8, std::uint8_t)
LAB_HOST_ATOMICS(16, std::uint16_t)
LAB_HOST_ATOMICS(32, std::uint32_t)
LAB_HOST_ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
