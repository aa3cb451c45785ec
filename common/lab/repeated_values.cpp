#include "lab/repeated_values.hpp"

#include <algorithm>

namespace lab {

DeviceBuffer<float> repeated(const std::vector<float>& values, std::size_t n) {
    DeviceBuffer<float> buffer(n);
    for (std::size_t at = 0; at < n; at += values.size()) {
        const std::size_t count = std::min(values.size(), n - at);
        backend::copy_to_device(buffer.get() + at, values.data(), count * sizeof(float));
    }
    return buffer;
}

}  // namespace lab
