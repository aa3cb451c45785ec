#include "lab/matrix_transpose.hpp"

#include <algorithm>

#include "lab/random_values.hpp"
#include "lab/validation.hpp"

namespace lab {
namespace {

// Tall matrices repeat this many rows. A prime: no tile, stride or partition falls in step with it.
constexpr std::size_t period = 509;

// The output in pieces that fit the host's caches, each of whole multiples of `unit` elements.
template <class Check>
void for_each_piece(const DeviceBuffer<float>& out, std::size_t unit, Check check) {
    constexpr std::size_t wanted = 1 << 20;
    std::vector<float> piece(std::min(out.size(), std::max(unit, wanted / unit * unit)));
    for (std::size_t at = 0; at < out.size(); at += piece.size()) {
        const std::size_t count = std::min(piece.size(), out.size() - at);
        backend::copy_to_host(piece.data(), out.get() + at, count * sizeof(float));
        check(at, std::span<const float>(piece).first(count));
    }
}

// `actual`, which begins at element `begin` of the output, is `expected` over and over.
void expect_repeated(std::span<const float> actual, std::span<const float> expected,
                     std::size_t begin) {
    for (std::size_t at = 0; at < actual.size(); at += expected.size()) {
        const std::size_t count = std::min(expected.size(), actual.size() - at);
        expect_near<float>(actual.subspan(at, count), expected.first(count), 0, begin + at);
    }
}

Variant variant(std::string name, std::shared_ptr<MatrixTranspose> matrix, std::size_t sets,
                std::function<void(const float*, float*)> launch,
                void (MatrixTranspose::*check)()) {
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

}  // namespace

MatrixTranspose::Set& MatrixTranspose::set(std::size_t index) {
    if (pattern_.empty()) {
        const std::size_t lines = std::min(rows_, period);
        pattern_ = random_floats(lines * columns_, 1);
        transposed_.resize(pattern_.size());
        for (std::size_t row = 0; row < lines; ++row) {
            for (std::size_t column = 0; column < columns_; ++column) {
                transposed_[column * lines + row] = pattern_[row * columns_ + column];
            }
        }
    }
    const std::size_t n = rows_ * columns_;
    while (sets_.size() <= index) {
        Set fresh{DeviceBuffer<float>(n), DeviceBuffer<float>(n)};
        for (std::size_t at = 0; at < n; at += pattern_.size()) {
            const std::size_t count = std::min(pattern_.size(), n - at);
            backend::copy_to_device(fresh.in.get() + at, pattern_.data(), count * sizeof(float));
        }
        sets_.push_back(std::move(fresh));
    }
    return sets_[index];
}

void MatrixTranspose::check_copy() {
    for_each_piece(set(0).out, pattern_.size(), [&](std::size_t at, std::span<const float> piece) {
        expect_repeated(piece, pattern_, at);
    });
}

void MatrixTranspose::check_transpose() {
    const std::size_t lines = pattern_.size() / columns_;
    // A row of the output holds a column of the input, which repeats every `lines` elements.
    for_each_piece(set(0).out, rows_, [&](std::size_t at, std::span<const float> piece) {
        for (std::size_t k = 0; k < piece.size(); k += rows_) {
            const std::span<const float> column(&transposed_[(at + k) / rows_ * lines], lines);
            expect_repeated(piece.subspan(k, rows_), column, at + k);
        }
    });
}

Variant copy_variant(std::string name, std::shared_ptr<MatrixTranspose> matrix, std::size_t sets,
                     std::function<void(const float*, float*)> launch) {
    return variant(std::move(name), std::move(matrix), sets, std::move(launch),
                   &MatrixTranspose::check_copy);
}

Variant transpose_variant(std::string name, std::shared_ptr<MatrixTranspose> matrix,
                          std::size_t sets, std::function<void(const float*, float*)> launch) {
    return variant(std::move(name), std::move(matrix), sets, std::move(launch),
                   &MatrixTranspose::check_transpose);
}

}  // namespace lab
