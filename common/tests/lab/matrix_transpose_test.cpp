// The transpose chapters' check must pass a right output and nothing else: not one element unwritten
// or out of place, in matrices of any shape. The shapes are taller and lower than the number of rows
// after which the input repeats (509).
#include "problems/matrix_transpose.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "device_test_main.hpp"
#include "lab/program/errors.hpp"

namespace {

using Shape = std::pair<std::size_t, std::size_t>;

class MatrixTranspose : public testing::TestWithParam<Shape> {
  protected:
    const std::size_t rows = GetParam().first;
    const std::size_t columns = GetParam().second;
    lab::MatrixTranspose matrix{rows, columns};
    const std::vector<float> in = matrix.set(0).in.to_host();

    std::vector<float> transposed() const {
        std::vector<float> out(in.size());
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column) {
                out[column * rows + row] = in[row * columns + column];
            }
        }
        return out;
    }
    void output(const std::vector<float>& values) {
        lab::backend::copy_to_device(matrix.set(0).out.get(), values.data(),
                                     values.size() * sizeof(float));
    }
};

TEST_P(MatrixTranspose, PassesTheCopyAndTheTranspose) {
    output(in);
    EXPECT_NO_THROW(matrix.check_copy());
    output(transposed());
    EXPECT_NO_THROW(matrix.check_transpose());
}

TEST_P(MatrixTranspose, TakesNeitherForTheOther) {
    output(in);
    EXPECT_THROW(matrix.check_transpose(), lab::ValidationError);
    output(transposed());
    EXPECT_THROW(matrix.check_copy(), lab::ValidationError);
}

TEST_P(MatrixTranspose, RefusesAnUnwrittenElementAnywhere) {
    for (const std::size_t at : {std::size_t{0}, in.size() / 2, in.size() - 1}) {
        matrix.set(0).out.poison();
        auto& out = matrix.set(0).out;
        const std::vector<float> right = transposed();
        lab::backend::copy_to_device(out.get(), right.data(), at * sizeof(float));
        lab::backend::copy_to_device(out.get() + at + 1, right.data() + at + 1,
                                     (in.size() - at - 1) * sizeof(float));
        EXPECT_THROW(matrix.check_transpose(), lab::ValidationError);
    }
}

TEST_P(MatrixTranspose, RefusesTwoElementsThatChangedPlaces) {
    std::vector<float> values = transposed();
    std::swap(values.front(), values.back());
    output(values);
    EXPECT_THROW(matrix.check_transpose(), lab::ValidationError);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixTranspose,
                         testing::Values(Shape{2, 3}, Shape{31, 33}, Shape{509, 7}, Shape{510, 7},
                                         Shape{1700, 1100}));

TEST(MatrixTransposeShapes, OneRowIsItsOwnTranspose) {
    lab::MatrixTranspose matrix(1, 1009);
    const std::vector<float> in = matrix.set(0).in.to_host();
    lab::backend::copy_to_device(matrix.set(0).out.get(), in.data(), in.size() * sizeof(float));
    EXPECT_NO_THROW(matrix.check_copy());
    EXPECT_NO_THROW(matrix.check_transpose());
}

// Elements of other sizes: what is right passes, and so does nothing that differs in a single one.
template <class T>
class MatrixTransposeTypes : public testing::Test {};
using Types = testing::Types<std::uint16_t, double>;
TYPED_TEST_SUITE(MatrixTransposeTypes, Types);

TYPED_TEST(MatrixTransposeTypes, PassesTheTransposeAndRefusesOneWrongElement) {
    constexpr std::size_t rows = 1100, columns = 37;
    lab::MatrixTransposeOf<TypeParam> matrix(rows, columns);
    EXPECT_EQ(matrix.bytes(), 2 * sizeof(TypeParam) * rows * columns);
    const std::vector<TypeParam> in = matrix.set(0).in.to_host();
    std::vector<TypeParam> out(in.size());
    for (std::size_t at = 0; at < in.size(); ++at) {
        out[at % columns * rows + at / columns] = in[at];
    }
    const auto output = [&] {
        lab::backend::copy_to_device(matrix.set(0).out.get(), out.data(),
                                     out.size() * sizeof(TypeParam));
    };
    output();
    EXPECT_NO_THROW(matrix.check_transpose());
    for (const std::size_t at : {std::size_t{0}, out.size() / 2, out.size() - 1}) {
        const TypeParam right = out[at];
        std::memset(&out[at], lab::backend::poison_byte, sizeof(TypeParam));  // left unwritten
        output();
        EXPECT_THROW(matrix.check_transpose(), lab::ValidationError);
        out[at] = right;
    }
}

TYPED_TEST(MatrixTransposeTypes, TellsEveryByteOfAnElement) {
    lab::MatrixTransposeOf<TypeParam> matrix(251, 257);
    const std::vector<TypeParam> in = matrix.set(0).in.to_host();
    for (std::size_t byte = 0; byte < sizeof(TypeParam); ++byte) {
        std::set<unsigned char> values;
        for (const TypeParam& element : in) {
            values.insert(reinterpret_cast<const unsigned char*>(&element)[byte]);
        }
        EXPECT_GT(values.size(), 1u) << "byte " << byte;
    }
}

}  // namespace
