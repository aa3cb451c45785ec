#include "problems/matrix_transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lab/random_values.hpp"
#include "lab/validation.hpp"

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

std::vector<SquareCase> square_cases(const Experiment& experiment) {
    return {{2048, Cache::cold, Emulation::whole},
            {2048, Cache::warm, Emulation::whole},
            {16384, Cache::cold, experiment.emulation(false)}};
}

template <class T>
typename MatrixTransposeOf<T>::Set& MatrixTransposeOf<T>::set(std::size_t index) {
    if (emulation_ == Emulation::sampled) {
        const std::size_t n = rows_ * columns_;
        while (sets_.size() <= index) sets_.push_back({unfilled<T>(n), unfilled<T>(n)});
        return sets_[index];
    }
    if (pattern_.empty()) {
        const std::size_t lines = std::min(rows_, distinct_rows);
        pattern_ = random_elements<T>(lines * columns_);
        transposed_.resize(pattern_.size());
        for (std::size_t row = 0; row < lines; ++row) {
            for (std::size_t column = 0; column < columns_; ++column) {
                transposed_[column * lines + row] = pattern_[row * columns_ + column];
            }
        }
    }
    const std::size_t n = rows_ * columns_;
    while (sets_.size() <= index) {
        Set fresh{DeviceBuffer<T>(n), DeviceBuffer<T>(n)};
        for (std::size_t at = 0; at < n; at += pattern_.size()) {
            const std::size_t count = std::min(pattern_.size(), n - at);
            backend::copy_to_device(fresh.in.get() + at, pattern_.data(), count * sizeof(T));
        }
        sets_.push_back(std::move(fresh));
    }
    return sets_[index];
}

template <class T>
void MatrixTransposeOf<T>::check_copy() {
    for_each_piece(set(0).out, pattern_.size(), [&](std::size_t at, std::span<const T> piece) {
        expect_repeated<T>(piece, pattern_, at);
    });
}

template <class T>
void MatrixTransposeOf<T>::check_transpose() {
    const std::size_t lines = pattern_.size() / columns_;
    // A row of the output holds a column of the input, which repeats every `lines` elements.
    for_each_piece(set(0).out, rows_, [&](std::size_t at, std::span<const T> piece) {
        for (std::size_t k = 0; k < piece.size(); k += rows_) {
            const std::span<const T> column(&transposed_[(at + k) / rows_ * lines], lines);
            expect_repeated(piece.subspan(k, rows_), column, at + k);
        }
    });
}

template <class T>
Variant MatrixTransposeOf<T>::variant(std::string name, Shared matrix, std::size_t sets,
                                      Launch launch, Check check) {
    return {
        .name = std::move(name),
        .bytes = static_cast<double>(matrix->bytes()),
        .working_set_bytes = matrix->bytes(),
        .sets = sets,
        .prepare = [=] { matrix->set(0).out.poison(); },
        .launch =
            [=](std::size_t index) {
                auto& [in, out] = matrix->set(index);
                launch(in.get(), out.get());
            },
        .check = [=] { (*matrix.*check)(); },
    };
}

template <class T>
Reference MatrixTransposeOf<T>::memcpy_reference(Shared matrix, std::size_t sets) {
    return {.counter = "memcpy_ratio",
            .bytes = static_cast<double>(matrix->bytes()),
            .sets = sets,
            .launch = [=](std::size_t index) {
                auto& [in, out] = matrix->set(index);
                backend::copy_on_device(out.get(), in.get(), matrix->bytes() / 2);
            }};
}

template class MatrixTransposeOf<std::uint16_t>;
template class MatrixTransposeOf<float>;
template class MatrixTransposeOf<double>;

}  // namespace lab
