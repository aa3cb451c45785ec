#include "lab/device/tensor_map.hpp"

#include <cudaTypedefs.h>

#include <string>

#include "lab/device/cuda_check.hpp"
#include "lab/device/driver_function.hpp"
#include "lab/program/errors.hpp"

namespace lab {

namespace {

PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
    static const auto encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        LAB_CUDA_CHECK(find_driver_function("cuTensorMapEncodeTiled", &function, &found));
        if (found != cudaDriverEntryPointSuccess) {
            throw MissingError("the driver has no cuTensorMapEncodeTiled; it needs CUDA 12");
        }
        return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
    }();
    return encode;
}

}  // namespace

CUtensorMap tensor_map(const TensorMatrix& matrix) {
    const cuuint64_t sizes[2] = {matrix.columns, matrix.rows}, strides[1] = {matrix.stride_bytes};
    const cuuint32_t box[2] = {matrix.box_columns, matrix.box_rows}, element_strides[2] = {1, 1};
    CUtensorMap map{};
    const CUresult result =
        tensor_map_encoder()(&map, matrix.type, 2, const_cast<void*>(matrix.data), sizes, strides,
                             box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, matrix.swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        throw CudaError("cuTensorMapEncodeTiled: error " + std::to_string(int(result)));
    }
    return map;
}

}  // namespace lab
