#include "lab/repeated_values.hpp"

#include <algorithm>

namespace lab {

DeviceBuffer<float> repeated(const std::vector<float>& values, std::size_t n) {
    DeviceBuffer<float> buffer(n);
    std::size_t done = std::min(values.size(), n);
    backend::copy_to_device(buffer.get(), values.data(), done * sizeof(float));
    // The device copies what it has: whole periods, twice as many each time.
    while (done < n) {
        const std::size_t count = std::min(done, n - done);
        backend::copy_on_device(buffer.get() + done, buffer.get(), count * sizeof(float));
        done += count;
    }
    return buffer;
}

}  // namespace lab
