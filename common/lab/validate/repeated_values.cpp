#include "lab/validate/repeated_values.hpp"

#include <algorithm>
#include <cstdint>

namespace lab {

template <class T>
DeviceBuffer<T> repeated(const std::vector<T>& values, std::size_t n) {
    DeviceBuffer<T> buffer(n);
    if (backend::is_predicting()) return buffer;
    std::size_t done = std::min(values.size(), n);
    backend::copy_to_device(buffer.get(), values.data(), done * sizeof(T));
    // The device copies what it has: whole periods, twice as many each time.
    while (done < n) {
        const std::size_t count = std::min(done, n - done);
        backend::copy_on_device(buffer.get() + done, buffer.get(), count * sizeof(T));
        done += count;
    }
    return buffer;
}

template DeviceBuffer<float> repeated(const std::vector<float>&, std::size_t);
template DeviceBuffer<std::uint8_t> repeated(const std::vector<std::uint8_t>&, std::size_t);

}  // namespace lab
