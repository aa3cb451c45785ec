// The problem of the transpose chapters: a matrix, row after row, and its copy or its transpose.
// Matrices of one shape, in as many sets as the launches rotate through, and the check.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "lab/device/device_buffer.hpp"
#include "lab/device/variant.hpp"

namespace lab {

// Copies share the matrices. Instantiated for std::uint16_t, float and double.
template <class T>
class MatrixTransposeOf {
  public:
    struct Set {
        DeviceBuffer<T> in;   // rows x columns
        DeviceBuffer<T> out;  // as many elements
    };

    // Nothing is allocated before the first use, and nothing filled by predicted launches.
    MatrixTransposeOf(std::size_t rows, std::size_t columns);

    std::size_t rows() const;
    std::size_t columns() const;
    // Bytes of one set; also what a copy or a transpose has to read and write.
    std::size_t bytes() const { return 2 * sizeof(T) * rows() * columns(); }

    Set& set(std::size_t index) const;

    // Every element of set 0's output, to the bit. Each throws ValidationError.
    void check_copy() const;
    void check_transpose() const;  // out[column * rows + row] == in[row * columns + column]

    // Rows "name/rows:…/columns:…/cache:…" that read `in` and write `out`, each element once. `launch` is called as the
    // chapters' kernels are, with in, out, rows and columns.
    template <class Launch>
    Variant copy_row(const std::string& name, Cache cache, Launch launch) const {
        Variant row = row_of(name, cache, call(launch), &MatrixTransposeOf::check_copy);
        row.shape = shape_of(launch);
        return row;
    }
    template <class Launch>
    Variant transpose_row(const std::string& name, Cache cache, Launch launch) const {
        Variant row = row_of(name, cache, call(launch), &MatrixTransposeOf::check_transpose);
        row.shape = shape_of(launch);
        return row;
    }
    // The reference memcpy_ratio: the driver's copy of `in` to `out`, in the same memory.
    Reference memcpy_reference() const;

  private:
    struct State;
    using Call = std::function<void(const T* in, T* out)>;

    template <class Launch>
    Call call(Launch launch) const {
        return [=, rows = rows(), columns = columns()](const T* in, T* out) {
            launch(in, out, rows, columns);
        };
    }
    Variant row_of(const std::string& name, Cache cache, Call launch,
                   void (MatrixTransposeOf::*check)() const) const;

    std::shared_ptr<State> state_;
};
using MatrixTranspose = MatrixTransposeOf<float>;

// Rows and columns: one alone, primes, one over and one under what blocks cover.
constexpr std::pair<std::size_t, std::size_t> ragged_matrices[] = {
    {1, 1}, {1, 1009}, {1009, 1}, {31, 33}, {127, 509}, {1030, 67}};

// Square matrices and what their launches find in the L2: the book's size, which fits that of newer GPUs, cold and
// warm, and one of at least four times any L2.
struct SquareCase {
    std::size_t side;
    Cache cache;
};
constexpr SquareCase square_cases[] = {
    {2048, Cache::cold}, {2048, Cache::warm}, {16384, Cache::cold}};
constexpr SquareCase cold_squares[] = {{2048, Cache::cold}, {16384, Cache::cold}};

// A kernel that transposes or copies a matrix.
struct MatrixKernel {
    const char* name;
    void (*code)(const float* in, float* out, std::size_t rows, std::size_t columns);
    bool x_is_row = false;    // the x direction of the grid runs over the rows of `in`
    unsigned per_thread = 1;  // elements, in the x direction
    bool transposes = true;   // or copies
    bool needs_square_grid = false;
};

}  // namespace lab
