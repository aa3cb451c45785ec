// What the device's generation can do, for kernels that older GPUs do not have.
#pragma once

namespace lab {

// `what` names, in the plural, what needs the compute capability `major`.0: it stands in messages. All throw CudaError.

// Whether the device's compute capability is `major`.0 or newer; where not, one line says once that rows are left out.
bool has_compute_capability(int major, const char* what);

// The same of the code that the device has of a kernel. A kernel that does less when it is compiled for an older
// compute capability is left out there.
bool is_compiled_for(const void* kernel, int major, const char* what);

// Throws MissingError for an older device.
void require_compute_capability(int major, const char* what);

}  // namespace lab
