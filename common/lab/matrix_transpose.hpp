// The problem of the transpose chapters: a matrix of floats, row after row, and its copy or its
// transpose. Matrices of one shape, in as many sets as the launches rotate through, and the check.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"

namespace lab {

class MatrixTranspose {
  public:
    struct Set {
        DeviceBuffer<float> in;   // rows x columns
        DeviceBuffer<float> out;  // as many elements
    };

    // Nothing is allocated before the first use.
    MatrixTranspose(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    // Bytes of one set; also what a copy or a transpose has to read and write.
    std::size_t bytes() const { return 2 * sizeof(float) * rows_ * columns_; }

    Set& set(std::size_t index);

    // Every element of set 0's output, to the bit. Each throws ValidationError.
    void check_copy();
    void check_transpose();  // out[column * rows + row] == in[row * columns + column]

  private:
    std::size_t rows_, columns_;
    std::vector<Set> sets_;
    std::vector<float> pattern_;     // the rows after which `in` begins anew
    std::vector<float> transposed_;  // their transpose
};

// Rows of the table: `launch` launches one kernel that reads `in` and writes `out`, each element once.
Variant copy_variant(std::string name, std::shared_ptr<MatrixTranspose> matrix, std::size_t sets,
                     std::function<void(const float* in, float* out)> launch);
Variant transpose_variant(std::string name, std::shared_ptr<MatrixTranspose> matrix,
                          std::size_t sets,
                          std::function<void(const float* in, float* out)> launch);

}  // namespace lab
