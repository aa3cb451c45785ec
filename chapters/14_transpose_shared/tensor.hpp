// transpose_vectors with tiles that the copy engine of an SM moves: inline PTX.
#pragma once

#include <cstddef>

namespace tensor {

// Whether the device has bulk tensor copies: compute capability 9.0 or newer.
bool is_available();

// out = in transposed, asynchronously; rows and columns are multiples of 16 bytes. For std::uint16_t,
// float and double. Throws lab::MissingError where not is_available().
template <class T>
void transpose(const T* in, T* out, std::size_t rows, std::size_t columns);

}  // namespace tensor
