#include "lab/validate/device_validation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/validate/device_repeats.hpp"
#include "lab/validate/validation.hpp"

namespace lab {
namespace {

template <class T>
std::vector<T> read_back(const DeviceBuffer<T>& buffer, Part part) {
    std::vector<T> values(part.count);
    backend::copy_to_host(values.data(), buffer.get() + part.begin, part.count * sizeof(T));
    return values;
}

}  // namespace

template <class T>
void expect_repeats(const DeviceBuffer<T>& actual, Part part, const DeviceBuffer<T>& expected,
                    std::size_t phase) {
    if (backend::repeats(actual.get() + part.begin, part.count * sizeof(T), expected.get(),
                         expected.size() * sizeof(T), phase * sizeof(T))) {
        return;
    }
    const std::vector<T> period = expected.to_host();
    std::vector<T> wanted(part.count);
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = period[(phase + i) % period.size()];
    expect_same_bits<T>(read_back(actual, part), wanted, part.begin);
}

template <class T>
void expect_untouched(const DeviceBuffer<T>& actual, Part part) {
    const DeviceBuffer<unsigned char> poison(sizeof(T));
    if (backend::repeats(actual.get() + part.begin, part.count * sizeof(T), poison.get(),
                         poison.size(), 0)) {
        return;
    }
    expect_untouched<T>(read_back(actual, part), part.begin);
}

#define LAB_INSTANTIATE(T)                                                             \
    template void expect_repeats(const DeviceBuffer<T>&, Part, const DeviceBuffer<T>&, \
                                 std::size_t);                                         \
    template void expect_untouched(const DeviceBuffer<T>&, Part);
LAB_INSTANTIATE(float)
LAB_INSTANTIATE(double)
LAB_INSTANTIATE(std::uint16_t)
LAB_INSTANTIATE(std::uint8_t)
LAB_INSTANTIATE(int)
LAB_INSTANTIATE(unsigned)
#undef LAB_INSTANTIATE

}  // namespace lab
