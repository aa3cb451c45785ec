#include "bulk.hpp"
#include "lab/errors.hpp"

namespace bulk {

bool is_available() {
    return false;
}

void multiply(const matmul::Gemm&, matmul::Tile) {
    throw lab::MissingError("an emulated GPU has no bulk tensor copies; this needs a GPU");
}

}  // namespace bulk
