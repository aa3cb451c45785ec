// Comparison and hashing of the launches' outputs.
#include "launches.hpp"

namespace ordinary {

void check(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void Outcome::compare_bytes(const void* actual, const void* expected, std::size_t bytes,
                            std::size_t n) {
    const auto* a = static_cast<const unsigned char*>(actual);
    const auto* e = static_cast<const unsigned char*>(expected);
    const auto text = [&](const unsigned char* element) {
        std::string digits = "0x";
        for (std::size_t i = bytes; i-- > 0;) {
            digits += "0123456789abcdef"[element[i] >> 4];
            digits += "0123456789abcdef"[element[i] & 15];
        }
        return digits;
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (std::memcmp(a + i * bytes, e + i * bytes, bytes) != 0) {
            fail(i, text(a + i * bytes), text(e + i * bytes));
        }
    }
    hash(actual, n * bytes);
}

void Outcome::fail(std::size_t i, const std::string& got, const std::string& expected) {
    throw std::runtime_error("element " + std::to_string(i) + " is " + got + ", expected " +
                             expected);
}

void Outcome::hash(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ p[i]) * 1099511628211ull;
    is_checked_ = is_checked_ || bytes > 0;
}

}  // namespace ordinary
