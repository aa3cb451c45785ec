// Checks of c = alpha a b + beta c with rows that begin farther apart than they are long.
#pragma once

#include <cmath>
#include <limits>

#include "gemm.hpp"
#include "lab/experiment/chapter.hpp"
#include "problems/product.hpp"

namespace matmul {

struct Scaling {
    float alpha, beta;
};

// A product of random matrices whose rows begin `apart[0..2]` (a, b, c) elements after the end of the one
// before. What lies there is NaN: a kernel that reads it shows, and one that writes it, too. So is c
// where beta = 0.
class GeneralProduct {
  public:
    GeneralProduct(lab::ProductShape shape, Scaling scaling, std::span<const int, 3> apart)
        : shape_(shape),
          scaling_(scaling),
          lda_(shape.k + apart[0]),
          ldb_(shape.n + apart[1]),
          ldc_(shape.n + apart[2]),
          a_(matrix(shape.m, shape.k, lda_, 1)),
          b_(matrix(shape.k, shape.n, ldb_, 2)),
          c_(scaling.beta != 0 ? matrix(shape.m, shape.n, ldc_, 3)
                               : std::vector<float>(std::size_t(shape.m) * ldc_, nan())),
          on_device_{lab::DeviceBuffer<float>(std::span<const float>(a_)),
                     lab::DeviceBuffer<float>(std::span<const float>(b_)),
                     lab::DeviceBuffer<float>(std::span<const float>(c_))} {}

    Gemm gemm() {
        return {.m = shape_.m,
                .n = shape_.n,
                .k = shape_.k,
                .alpha = scaling_.alpha,
                .a = on_device_.a.get(),
                .lda = lda_,
                .b = on_device_.b.get(),
                .ldb = ldb_,
                .beta = scaling_.beta,
                .c = on_device_.c.get(),
                .ldc = ldc_};
    }

    // Throws lab::ValidationError.
    void check() const {
        const std::vector<float> c = on_device_.c.to_host();
        for (int row = 0; row < shape_.m; ++row) {
            for (int column = 0; column < ldc_; ++column) {
                const std::size_t index = std::size_t(row) * ldc_ + column;
                if (column >= shape_.n) {
                    if (!std::isnan(c[index])) wrong("behind the end of", row, column);
                    continue;
                }
                const auto [value, tolerance] = expected(row, column);
                if (!(std::abs(double(c[index]) - value) <= tolerance)) {
                    wrong(std::to_string(c[index]) + " instead of " + std::to_string(value) + " in",
                          row, column);
                }
            }
        }
    }

  private:
    struct Buffers {
        lab::DeviceBuffer<float> a, b, c;
    };
    struct Expected {
        double value, tolerance;
    };

    static float nan() { return std::numeric_limits<float>::quiet_NaN(); }

    static std::vector<float> matrix(int rows, int columns, int stride, unsigned seed) {
        std::vector<float> elements = lab::random_floats(std::size_t(rows) * stride, seed);
        for (int row = 0; row < rows; ++row) {
            for (int i = columns; i < stride; ++i) elements[std::size_t(row) * stride + i] = nan();
        }
        return elements;
    }

    // Chapter 16's bound of a sum, with three more roundings: alpha's, beta's and that of their sum.
    Expected expected(int row, int column) const {
        const auto [sum, magnitude] =
            lab::sum_of_products(&a_[std::size_t(row) * lda_], &b_[column], ldb_, shape_.k);
        const double before =
            scaling_.beta != 0 ? scaling_.beta * double(c_[std::size_t(row) * ldc_ + column]) : 0.0;
        const double rounding = (shape_.k + 3) * double(std::numeric_limits<float>::epsilon()) / 2;
        return {
            scaling_.alpha * sum + before,
            rounding / (1 - rounding) * (std::abs(scaling_.alpha) * magnitude + std::abs(before))};
    }

    [[noreturn]] static void wrong(const std::string& what, int row, int column) {
        throw lab::ValidationError(what + " row " + std::to_string(row) + ", column " +
                                   std::to_string(column));
    }

    lab::ProductShape shape_;
    Scaling scaling_;
    int lda_, ldb_, ldc_;
    std::vector<float> a_, b_, c_;
    Buffers on_device_;
};

// Any shape, scaling and stride through one of the general kernels.
inline lab::Variant general(const std::string& name, lab::ProductShape shape, Scaling scaling,
                            std::vector<int> apart,
                            const std::function<void(const Gemm&)>& multiply) {
    const auto matrices = std::make_shared<std::unique_ptr<GeneralProduct>>();
    return {.name = lab::product_name(name, shape),
            .prepare =
                [=] {
                    *matrices = std::make_unique<GeneralProduct>(shape, scaling,
                                                                 std::span<const int, 3>(apart));
                },
            .launch = [=](std::size_t) { multiply((*matrices)->gemm()); },
            .check =
                [=] {
                    (*matrices)->check();
                    matrices->reset();
                }};
}

}  // namespace matmul
