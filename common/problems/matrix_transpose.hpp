// The problem of the transpose chapters: a matrix, row after row, and its copy or its transpose.
// Matrices of one shape, in as many sets as the launches rotate through, and the check.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"

namespace lab {

// Instantiated for std::uint16_t, float and double.
template <class T>
class MatrixTransposeOf {
  public:
    using Shared = std::shared_ptr<MatrixTransposeOf>;
    using Launch = std::function<void(const T* in, T* out)>;
    using Check = void (MatrixTransposeOf::*)();

    struct Set {
        DeviceBuffer<T> in;   // rows x columns
        DeviceBuffer<T> out;  // as many elements
    };

    // Nothing is allocated before the first use, and nothing filled for sampled variants.
    MatrixTransposeOf(std::size_t rows, std::size_t columns, Emulation emulation = Emulation::whole)
        : rows_(rows), columns_(columns), emulation_(emulation) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    // Bytes of one set; also what a copy or a transpose has to read and write.
    std::size_t bytes() const { return 2 * sizeof(T) * rows_ * columns_; }

    Set& set(std::size_t index);

    // Every element of set 0's output, to the bit. Each throws ValidationError.
    void check_copy();
    void check_transpose();  // out[column * rows + row] == in[row * columns + column]

    // A row of the table: `launch` launches one kernel that reads `in` and writes `out`, each element once.
    static Variant variant(std::string name, Shared matrix, std::size_t sets, Launch launch,
                           Check check);
    // The reference memcpy_ratio: the driver's copy of `in` to `out`, in the same memory.
    static Reference memcpy_reference(Shared matrix, std::size_t sets);

  private:
    std::size_t rows_, columns_;
    Emulation emulation_;
    std::vector<Set> sets_;
    std::vector<T> pattern_;     // the rows after which `in` repeats
    std::vector<T> transposed_;  // their transpose
};
using MatrixTranspose = MatrixTransposeOf<float>;

// Rows and columns: one alone, primes, one over and one under what blocks cover.
constexpr std::pair<std::size_t, std::size_t> ragged_matrices[] = {
    {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {127, 509}, {1030, 67}};

// Square matrices and what their launches find in the L2: the book's size, which fits that of newer GPUs, cold and
// warm, and one of at least four times any L2, of which an emulated GPU predicts the time alone.
struct SquareCase {
    std::size_t side;
    Cache cache;
    Emulation emulation;
};
std::vector<SquareCase> square_cases(const Experiment& experiment);

template <class T>
using MatrixLaunch = std::type_identity_t<typename MatrixTransposeOf<T>::Launch>;

template <class T>
Variant copy_variant(std::string name, std::shared_ptr<MatrixTransposeOf<T>> matrix,
                     std::size_t sets, MatrixLaunch<T> launch) {
    return MatrixTransposeOf<T>::variant(std::move(name), std::move(matrix), sets,
                                         std::move(launch), &MatrixTransposeOf<T>::check_copy);
}

template <class T>
Variant transpose_variant(std::string name, std::shared_ptr<MatrixTransposeOf<T>> matrix,
                          std::size_t sets, MatrixLaunch<T> launch) {
    return MatrixTransposeOf<T>::variant(std::move(name), std::move(matrix), sets,
                                         std::move(launch), &MatrixTransposeOf<T>::check_transpose);
}

}  // namespace lab
