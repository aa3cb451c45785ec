// The problem of the matrix products, c = a b, and its check against a product in double precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/device/device_buffer.hpp"
#include "lab/device/launch.hpp"
#include "lab/device/variant.hpp"
#include "lab/experiment/variant_name.hpp"
#include "lab/program/errors.hpp"
#include "lab/validate/random_values.hpp"

namespace lab {

// a has m rows of k elements, b k rows of n and c m rows of n, all stored row by row.
struct ProductShape {
    int m, n, k;
};
inline ProductShape cube(int size) { return {size, size, size}; }
// Multiples of no tile but one, and every dimension of 1.
constexpr ProductShape ragged_products[] = {{1, 1, 1},   {1, 37, 5},    {37, 1, 64},
                                            {31, 17, 1}, {101, 67, 83}, {96, 40, 130}};

// "name/m:…/n:…/k:…/cache:cold"
inline std::string product_name(const std::string& name, const ProductShape& shape) {
    return variant_name(
        name, {{"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"cache", text(Cache::cold)}});
}

// Halves convert to float alone.
template <class T>
double to_double(T element) {
    if constexpr (std::is_arithmetic_v<T>) {
        return double(element);
    } else {
        return double(static_cast<float>(element));
    }
}

// a[0] b[0] + a[1] b[stride] + ..., `k` products, in double precision; and the sum of their magnitudes.
struct SumOfProducts {
    double value = 0, magnitude = 0;
};
template <class T>
SumOfProducts sum_of_products(const T* a, const T* b, std::size_t stride, int k) {
    SumOfProducts sum;
    for (std::size_t i = 0; i < std::size_t(k); ++i) {
        const double product = to_double(a[i]) * to_double(b[i * stride]);
        sum.value += product;
        sum.magnitude += std::abs(product);
    }
    return sum;
}

// Relative to the product of the magnitudes, |a| |b|.
struct ProductError {
    double of_inputs = 0;  // of one product: of what a and b lose before they are multiplied
    double of_each_sum =
        0;  // of each of the k additions, in any order; 0: half an epsilon of c's type
};

enum class Elements { random, zeros };

// Matrices of one shape with random elements, in as many sets as launches rotate through. Floating-point: in
// [-1, 1); int: -100 to 100, so that no sum of up to 200,000 products overflows. T: of c; In: of a and b.
template <class T, class In = T>
class ProductData {
  public:
    struct Set {
        DeviceBuffer<In> a, b;
        DeviceBuffer<T> c;
    };

    // Nothing is allocated before the first use, and nothing filled by predicted launches. Throws
    // std::invalid_argument for a shape whose elements the kernels' int cannot count.
    explicit ProductData(ProductShape shape, ProductError error = {},
                         Elements elements = Elements::random)
        : shape_(shape), error_(error), elements_(elements) {
        if (error_.of_each_sum == 0)
            error_.of_each_sum = double(std::numeric_limits<T>::epsilon()) / 2;
        for (const std::size_t size : {a_size(), b_size(), c_size()}) {
            if (size == 0 || size > std::size_t{std::numeric_limits<int>::max()}) {
                throw std::invalid_argument("a matrix has to have 1 to 2^31 - 1 elements");
            }
        }
    }

    const ProductShape& shape() const { return shape_; }
    // Each element of a, b and c once: what no kernel can do without. Also the size of one set.
    std::size_t bytes() const { return (a_size() + b_size()) * sizeof(In) + c_size() * sizeof(T); }
    double multiply_adds() const { return double(shape_.m) * shape_.n * shape_.k; }

    Set& set(std::size_t index) {
        if (backend::is_predicting()) {
            while (sets_.size() <= index) {
                sets_.push_back({DeviceBuffer<In>(a_size()), DeviceBuffer<In>(b_size()),
                                 DeviceBuffer<T>(c_size())});
            }
            return sets_[index];
        }
        if (a_.empty()) {
            sets_.clear();  // what predicted launches have made
            a_ = elements(a_size(), of_a);
            b_ = elements(b_size(), of_b);
        }
        while (sets_.size() <= index) {
            sets_.push_back({DeviceBuffer<In>(std::span<const In>(a_)),
                             DeviceBuffer<In>(std::span<const In>(b_)), DeviceBuffer<T>(c_size())});
        }
        return sets_[index];
    }

    // The output of set 0 is right: each element of a small product, a sample of a large one, of
    // which each element has to be a number at least. Throws ValidationError.
    void check() {
        const std::vector<T> c = set(0).c.to_host();
        if (expected_.empty()) expect();
        std::size_t wrong = 0;
        std::string first;
        for (const Element& element : expected_) {
            const double error = std::abs(double(c[element.index]) - element.value);
            if (!(error <= element.tolerance) && ++wrong == 1) {
                first = at(element.index) + ": got " + std::to_string(c[element.index]) +
                        ", expected " + std::to_string(element.value) + ", tolerance " +
                        std::to_string(element.tolerance);
            }
        }
        if (wrong != 0) {
            throw ValidationError(std::to_string(wrong) + " of " +
                                  std::to_string(expected_.size()) +
                                  " elements wrong, the first at " + first);
        }
        for (std::size_t i = 0; std::is_floating_point_v<T> && i < c.size(); ++i) {
            if (c[i] != c[i]) throw ValidationError("not a number at " + at(i));
        }
    }

    // The error of the output of set 0 against the product of the elements before they were rounded to In, over the elements that
    // check() has looked at: root mean square, in billionths of that of the product.
    double billionths_of_error() {
        static_assert(std::is_floating_point_v<T>);
        if (elements_ != Elements::random) throw std::logic_error("an error of random elements");
        const std::vector<T> c = set(0).c.to_host();
        const std::vector<float> a = random_floats(a_size(), of_a),
                                 b = random_floats(b_size(), of_b);
        double errors = 0, products = 0;
        for (const Element& element : expected_) {
            const std::size_t row = element.index / shape_.n, column = element.index % shape_.n;
            const double exact =
                sum_of_products(&a[row * shape_.k], &b[column], std::size_t(shape_.n), shape_.k)
                    .value;
            errors += std::pow(double(c[element.index]) - exact, 2);
            products += exact * exact;
        }
        return 1e9 * std::sqrt(errors / products);
    }

  private:
    struct Element {
        std::size_t index;
        double value, tolerance;
    };

    static constexpr std::uint32_t of_a = 1, of_b = 2;  // seeds

    static constexpr double max_checked_multiply_adds = 1 << 25;
    static constexpr std::size_t sample_size = 512;

    std::size_t a_size() const { return std::size_t(shape_.m) * shape_.k; }
    std::size_t b_size() const { return std::size_t(shape_.k) * shape_.n; }
    std::size_t c_size() const { return std::size_t(shape_.m) * shape_.n; }

    std::vector<In> elements(std::size_t size, std::uint32_t seed) const {
        if (elements_ == Elements::zeros) return std::vector<In>(size, In(0.0f));
        const std::vector<float> values = random_floats(size, seed);
        const float scale = std::is_integral_v<In> ? 100 : 1;
        std::vector<In> all(size);
        for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<In>(scale * values[i]);
        return all;
    }

    void expect() {
        const bool all = multiply_adds() <= max_checked_multiply_adds;
        for (std::size_t i = 0; all && i < c_size(); ++i) expect_element(i);
        if (all) return;
        for (const std::size_t corner : {std::size_t{0}, std::size_t(shape_.n) - 1,
                                         c_size() - std::size_t(shape_.n), c_size() - 1}) {
            expect_element(corner);
        }
        std::mt19937_64 random(3);
        while (expected_.size() < sample_size) expect_element(random() % c_size());
    }

    void expect_element(std::size_t index) {
        const std::size_t row = index / shape_.n;
        const std::size_t column = index % shape_.n;
        const auto [value, magnitude] =
            sum_of_products(&a_[row * shape_.k], &b_[column], std::size_t(shape_.n), shape_.k);
        // Sums of k rounded products in any order err by at most k u / (1 - k u) (|a| |b|), where u is the error of each
        // (Higham: Accuracy and Stability of Numerical Algorithms, section 3.5).
        const double rounding = shape_.k * error_.of_each_sum;
        const double of_sums = rounding / (1 - rounding);
        const double whole = error_.of_inputs + of_sums * (1 + error_.of_inputs);
        expected_.push_back({index, value, whole * magnitude});
    }

    std::string at(std::size_t index) const {
        return "row " + std::to_string(index / shape_.n) + ", column " +
               std::to_string(index % shape_.n);
    }

    ProductShape shape_;
    ProductError error_;
    Elements elements_;
    std::vector<In> a_, b_;
    std::vector<Set> sets_;
    std::vector<Element> expected_;
};

// Copies share the matrices.
template <class T, class In = T>
class Product {
  public:
    using Set = typename ProductData<T, In>::Set;

    explicit Product(ProductShape shape, ProductError error = {},
                     Elements elements = Elements::random)
        : data_(std::make_shared<ProductData<T, In>>(shape, error, elements)) {}

    const ProductShape& shape() const { return data_->shape(); }
    std::size_t bytes() const { return data_->bytes(); }
    Set& set(std::size_t index) const { return data_->set(index); }
    void check() const { data_->check(); }
    double billionths_of_error() const { return data_->billionths_of_error(); }

    // A row that multiplies, "name/m:…/n:…/k:…/cache:cold": `launch` is called with a, b and c of a set, then `arguments`.
    template <class Launch, class... Arguments>
    Variant row(const std::string& name, Launch launch, Arguments... arguments) const {
        return {.name = product_name(name, shape()),
                .bytes = double(bytes()),
                .flops = 2 * data_->multiply_adds(),
                .working_set_bytes = bytes(),
                .cache = Cache::cold,
                .prepare = [data = data_] { data->set(0).c.poison(); },
                .launch =
                    [=, data = data_](std::size_t index) {
                        auto& set = data->set(index);
                        launch(set.a.get(), set.b.get(), set.c.get(), arguments...);
                    },
                .check = [data = data_] { data->check(); },
                .shape = shape_of(launch),
                .buffers = data_.get()};
    }
    // A row of a kernel that computes an element of c a thread, in blocks that cover c.
    Variant row(const std::string& name,
                void (*kernel)(const In* a, const In* b, T* c, int m, int n, int k),
                dim3 block) const {
        const auto [m, n, k] = shape();
        return row(name, launch(kernel, grid(block), block), m, n, k);
    }
    // The same, "name/block:…/m:…/n:…/k:…/cache:cold".
    Variant row_in_blocks(const std::string& name,
                          void (*kernel)(const T* a, const T* b, T* c, int m, int n, int k),
                          dim3 block) const {
        return row(variant_name(name, {{"block", block}}), kernel, block);
    }
    // Blocks that cover c.
    dim3 grid(dim3 block) const {
        return grid_over(std::size_t(shape().n), std::size_t(shape().m), block);
    }

  private:
    std::shared_ptr<ProductData<T, In>> data_;
};

}  // namespace lab
