#include "problems/matrix_transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lab/experiment/variant_name.hpp"
#include "lab/validate/random_values.hpp"
#include "lab/validate/validation.hpp"

namespace lab {
namespace {

// Tall matrices repeat this many rows. A prime: no tile, stride or partition falls in step with it.
constexpr std::size_t distinct_rows = 509;

// As random_floats, of any type; never the poison of a DeviceBuffer.
template <class T>
std::vector<T> random_elements(std::size_t n) {
    const std::vector<float> values = random_floats(n, 1);
    std::vector<T> elements(n);
    std::transform(values.begin(), values.end(), elements.begin(), [](float value) {
        // A third has no end in binary: every bit of a double takes part.
        if constexpr (sizeof(T) > sizeof(float)) return T{value} / 3;
        if constexpr (std::is_integral_v<T>) return static_cast<T>((value + 1) * 32767);
        return static_cast<T>(value);
    });
    return elements;
}

// The output in pieces that fit the host's caches, each of whole multiples of `unit` elements.
template <class T, class Check>
void for_each_piece(const DeviceBuffer<T>& out, std::size_t unit, Check check) {
    constexpr std::size_t wanted = 1 << 20;
    std::vector<T> piece(std::min(out.size(), std::max(unit, wanted / unit * unit)));
    for (std::size_t at = 0; at < out.size(); at += piece.size()) {
        const std::size_t count = std::min(piece.size(), out.size() - at);
        backend::copy_to_host(piece.data(), out.get() + at, count * sizeof(T));
        check(at, std::span<const T>(piece).first(count));
    }
}

// `actual`, which begins at element `begin` of the output, is `expected` over and over.
template <class T>
void expect_repeated(std::span<const T> actual, std::span<const T> expected, std::size_t begin) {
    for (std::size_t at = 0; at < actual.size(); at += expected.size()) {
        const std::size_t count = std::min(expected.size(), actual.size() - at);
        // Bytes compare many times faster than values, which are needed only to say what is wrong.
        if (std::memcmp(&actual[at], expected.data(), count * sizeof(T)) == 0) continue;
        expect_near<T>(actual.subspan(at, count), expected.first(count), 0, begin + at);
    }
}

}  // namespace

template <class T>
struct MatrixTransposeOf<T>::State {
    std::size_t rows, columns;
    std::vector<Set> sets = {};
    std::vector<T> pattern = {};     // the rows after which `in` repeats
    std::vector<T> transposed = {};  // their transpose

    void make_pattern() {
        const std::size_t lines = std::min(rows, distinct_rows);
        pattern = random_elements<T>(lines * columns);
        transposed.resize(pattern.size());
        for (std::size_t row = 0; row < lines; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                transposed[column * lines + row] = pattern[row * columns + column];
            }
        }
    }
};

template <class T>
MatrixTransposeOf<T>::MatrixTransposeOf(std::size_t rows, std::size_t columns)
    : state_(std::make_shared<State>(rows, columns)) {}

template <class T>
std::size_t MatrixTransposeOf<T>::rows() const {
    return state_->rows;
}
template <class T>
std::size_t MatrixTransposeOf<T>::columns() const {
    return state_->columns;
}

template <class T>
typename MatrixTransposeOf<T>::Set& MatrixTransposeOf<T>::set(std::size_t index) const {
    const std::size_t n = rows() * columns();
    auto& sets = state_->sets;
    const std::vector<T>& pattern = state_->pattern;
    if (pattern.empty() && !backend::is_predicting()) {
        sets.clear();  // what predicted launches have made
        state_->make_pattern();
    }
    while (sets.size() <= index) {
        Set fresh{DeviceBuffer<T>(n), DeviceBuffer<T>(n)};
        for (std::size_t at = 0; at < n && !pattern.empty(); at += pattern.size()) {
            const std::size_t count = std::min(pattern.size(), n - at);
            backend::copy_to_device(fresh.in.get() + at, pattern.data(), count * sizeof(T));
        }
        sets.push_back(std::move(fresh));
    }
    return sets[index];
}

template <class T>
void MatrixTransposeOf<T>::check_copy() const {
    const std::vector<T>& pattern = state_->pattern;
    for_each_piece(set(0).out, pattern.size(), [&](std::size_t at, std::span<const T> piece) {
        expect_repeated<T>(piece, pattern, at);
    });
}

template <class T>
void MatrixTransposeOf<T>::check_transpose() const {
    const std::size_t height = rows(), lines = state_->pattern.size() / columns();
    // A row of the output holds a column of the input, which repeats every `lines` elements.
    for_each_piece(set(0).out, height, [&](std::size_t at, std::span<const T> piece) {
        for (std::size_t k = 0; k < piece.size(); k += height) {
            const std::span<const T> column(&state_->transposed[(at + k) / height * lines], lines);
            expect_repeated(piece.subspan(k, height), column, at + k);
        }
    });
}

template <class T>
Variant MatrixTransposeOf<T>::row_of(const std::string& name, Cache cache, Call launch,
                                     void (MatrixTransposeOf::*check)() const) const {
    return {
        .name =
            variant_name(name, {{"rows", rows()}, {"columns", columns()}, {"cache", text(cache)}}),
        .bytes = static_cast<double>(bytes()),
        .working_set_bytes = bytes(),
        .cache = cache,
        .prepare = [matrix = *this] { matrix.set(0).out.poison(); },
        .launch =
            [matrix = *this, launch](std::size_t index) {
                auto& [in, out] = matrix.set(index);
                launch(in.get(), out.get());
            },
        .check = [matrix = *this, check] { (matrix.*check)(); },
        .buffers = state_.get(),
    };
}

template <class T>
Reference MatrixTransposeOf<T>::memcpy_reference() const {
    return {.counter = "memcpy_ratio",
            .bytes = static_cast<double>(bytes()),
            .launch = [matrix = *this](std::size_t index) {
                auto& [in, out] = matrix.set(index);
                backend::copy_on_device(out.get(), in.get(), matrix.bytes() / 2);
            }};
}

template class MatrixTransposeOf<std::uint16_t>;
template class MatrixTransposeOf<float>;
template class MatrixTransposeOf<double>;

}  // namespace lab
