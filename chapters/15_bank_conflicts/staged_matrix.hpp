// The problem of the staging kernels: a matrix that arrives as it was, or with each tile turned.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/device_buffer.hpp"
#include "lab/experiment.hpp"
#include "lab/random_values.hpp"
#include "lab/validation.hpp"
#include "lab/variant_name.hpp"

// Random elements, in as many sets as launches rotate through. Nothing is allocated before use.
class StagedMatrix {
  public:
    struct Set {
        lab::DeviceBuffer<float> in, out;
    };

    StagedMatrix(int rows, int columns) : rows_(rows), columns_(columns) {}

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    std::size_t size() const { return std::size_t(rows_) * std::size_t(columns_); }
    std::size_t bytes() const { return 2 * sizeof(float) * size(); }

    Set& set(std::size_t index) {
        if (values_.empty()) values_ = lab::random_floats(size(), 1);
        while (sets_.size() <= index) {
            sets_.push_back({lab::DeviceBuffer<float>(std::span<const float>(values_)),
                             lab::DeviceBuffer<float>(size())});
        }
        return sets_[index];
    }

    // The output of set 0 is the input with each tile of turned_width x turned_width elements
    // transposed in its place; 0: the input itself. Throws lab::ValidationError.
    void check(int turned_width) {
        const std::vector<float> out = set(0).out.to_host();
        if (turned_width == 0) return lab::expect_equal<float>(out, values_);
        std::vector<float> expected(size());
        for (int row = 0; row < rows_; ++row) {
            for (int column = 0; column < columns_; ++column) {
                const int from_row = row / turned_width * turned_width + column % turned_width;
                const int from_column = column / turned_width * turned_width + row % turned_width;
                expected[at(row, column)] = values_[at(from_row, from_column)];
            }
        }
        lab::expect_equal<float>(out, expected);
    }

  private:
    std::size_t at(int row, int column) const {
        return std::size_t(row) * std::size_t(columns_) + std::size_t(column);
    }

    int rows_, columns_;
    std::vector<float> values_;
    std::vector<Set> sets_;
};

// A row that passes `matrix` through tiles: `launch` launches the kernel on one set.
inline lab::Variant staged_variant(const lab::Experiment& experiment, const char* kernel, int width,
                                   int pitch, const std::shared_ptr<StagedMatrix>& matrix,
                                   int turned_width,
                                   std::function<void(const float* in, float* out)> launch) {
    if (turned_width != 0 &&
        (matrix->rows() % turned_width != 0 || matrix->columns() % turned_width != 0)) {
        throw std::invalid_argument(std::string(kernel) + " needs a matrix of whole tiles");
    }
    return {.name = lab::variant_name(kernel, {{"width", width},
                                               {"pitch", pitch},
                                               {"rows", matrix->rows()},
                                               {"columns", matrix->columns()},
                                               {"cache", "cold"}}),
            .bytes = double(matrix->bytes()),
            .working_set_bytes = matrix->bytes(),
            .sets = experiment.sets(lab::Cache::cold, matrix->bytes()),
            .prepare = [=] { matrix->set(0).out.poison(); },
            .launch =
                [=](std::size_t index) {
                    auto& set = matrix->set(index);
                    launch(set.in.get(), set.out.get());
                },
            .check = [=] { matrix->check(turned_width); }};
}
