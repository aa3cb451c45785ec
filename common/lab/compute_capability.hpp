// What the device's generation can do, for kernels that older GPUs do not have.
#pragma once

namespace lab {

// Whether its compute capability is `major`.0 or newer. Throws CudaError.
bool has_compute_capability(int major);

// Throws MissingError unless it is. `what`: what needs it, in the plural, for the message.
void require_compute_capability(int major, const char* what);

}  // namespace lab
