// Kernels of chapter 14: transposes through shared memory, from the textbook's tile to what comes
// near a copy. `in` has `rows` x `columns` elements, row after row. Blocks lie in a grid whose x
// direction is the one that consecutive blocks walk; y and z together are the other one, because
// neither may exceed 65535.
#pragma once

#include <cstddef>

// A block of 32 x 8 threads turns a tile of 32 x 32: it reads rows and stores rows, and only shared
// memory is read down a column. All 32 lanes of such a read meet in one bank.
__global__ void transpose_tile(const float* in, float* out, std::size_t rows, std::size_t columns) {
    __shared__ float tile[32][32];
    const std::size_t x = std::size_t{blockIdx.x} * 32 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < columns && y + k < rows) {
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
        }
    }
    __syncthreads();
    const std::size_t to_x = std::size_t{blockIdx.y} * 32 + threadIdx.x;
    const std::size_t to_y = std::size_t{blockIdx.x} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (to_x < rows && to_y + k < columns) {
            out[(to_y + k) * rows + to_x] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}

// The step after it is chapter 09's transpose_tile_padded: a column more, and a column of the tile
// lies in 32 different banks.

// Against the padding: row r keeps its column c in place c ^ r. The 32 places of a column differ in
// every row, so there is no conflict either, and no shared memory goes unused.
__global__ void transpose_tile_swizzled(const float* in, float* out, std::size_t rows,
                                        std::size_t columns) {
    __shared__ float tile[32][32];
    const std::size_t x = std::size_t{blockIdx.x} * 32 + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < columns && y + k < rows) {
            const unsigned row = threadIdx.y + k;
            tile[row][threadIdx.x ^ row] = in[(y + k) * columns + x];
        }
    }
    __syncthreads();
    const std::size_t to_x = std::size_t{blockIdx.y} * 32 + threadIdx.x;
    const std::size_t to_y = std::size_t{blockIdx.x} * 32 + threadIdx.y;
    for (unsigned k = 0; k < 32; k += 8) {
        if (to_x < rows && to_y + k < columns) {
            out[(to_y + k) * rows + to_x] = tile[threadIdx.x][(threadIdx.y + k) ^ threadIdx.x];
        }
    }
}

// The way of consecutive blocks over the tiles of `in`: along a row of tiles, as is usual, or down a
// column of them, which is along a row of tiles of `out`; or down two columns at once, in turns, that
// lie 64 KiB apart in a row. Where a row ends before the second one, its blocks have nothing to do.
//
// Two, because rows of 128 KiB begin at the same place modulo 128 KiB, and so do all pieces of a
// column of tiles: on an H200 they lie in less than the whole of its memory (README.md).
// With its partner, which differs in the 65,536 of the address, a column uses all of it.
//
// Or down two neighbouring columns in turns: where rows begin anywhere, the two tiles of a pair share the sectors
// between them.
enum class Order { across, down, apart, pairs };

// The tile of a block: numbers of its column and row, in tiles of `row_bytes` bytes a row.
struct Tile {
    std::size_t column, row;
};
template <Order order>
__device__ Tile tile_of_block(std::size_t row_bytes) {
    const std::size_t along = blockIdx.x;
    const std::size_t beside = std::size_t{blockIdx.z} * gridDim.y + blockIdx.y;
    if (order == Order::across) return {along, beside};
    if (order == Order::down) return {beside, along};
    if (order == Order::pairs) return {beside * 2 + along % 2, along / 2};
    const std::size_t distance = 65536 / row_bytes;
    const std::size_t first = beside / distance * 2 * distance + beside % distance;
    return {first + along % 2 * distance, along / 2};
}

// Against transpose_tile_padded: the tile is 64 x 64, for the same threads. Each has 16 loads in
// flight before it needs the first. Elements of any type; matrices of any shape. A row
// is longer by a bank, or by an element where that is wider.
template <class T, Order order>
__global__ void __launch_bounds__(256)
    transpose_tile_unrolled(const T* in, T* out, std::size_t rows, std::size_t columns) {
    constexpr unsigned padding = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    __shared__ T tile[64][64 + padding];
    const Tile place = tile_of_block<order>(64 * sizeof(T));
    const std::size_t x = place.column * 64;
    const std::size_t y = place.row * 64;
    T element[16] = {};
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) {
        const std::size_t row = y + threadIdx.y + k / 2 * 8;
        const std::size_t column = x + threadIdx.x + k % 2 * 32;
        if (row < rows && column < columns) element[k] = in[row * columns + column];
    }
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) {
        tile[threadIdx.y + k / 2 * 8][threadIdx.x + k % 2 * 32] = element[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) {
        const unsigned column = threadIdx.y + k / 2 * 8, row = threadIdx.x + k % 2 * 32;
        if (y + row < rows && x + column < columns) {
            out[(x + column) * rows + y + row] = tile[row][column];
        }
    }
}

// One access moves a vector from here on.
template <class T>
struct alignas(16) Vector {
    T element[16 / sizeof(T)];
};

struct PlainLoad {
    template <class T>
    __device__ Vector<T> operator()(const T* from) const {
        return *reinterpret_cast<const Vector<T>*>(from);
    }
    template <class T>
    __device__ static T element(const T* from, bool is_inside) {
        return is_inside ? *from : T{};
    }
};

// Against transpose_tile_unrolled: all accesses are of 16 bytes, V elements, also those to shared
// memory. A thread loads V rows of V elements, so V loads are in flight; it turns them in
// registers and leaves V vectors of the transpose in the tile, swizzled so that the eight lanes of a
// pass of 16-byte accesses use different banks. A block of height x width threads has a tile
// of V x height rows and V x width columns. `rows` and `columns` are multiples of V.
//
// With elements of 4 and 8 bytes the threads keep to 32 registers, so that an SM holds 2048 of them:
// fewer have too few loads in flight. 2-byte elements need twice as many to turn 8 x 8 of them.
template <class T, unsigned height, unsigned width, Order order, class Load = PlainLoad>
__global__ void __launch_bounds__(height* width, sizeof(T) < 4 ? 1 : 2048 / (height * width))
    transpose_vectors(const T* in, T* out, std::size_t rows, std::size_t columns) {
    constexpr unsigned V = 16 / sizeof(T);
    __shared__ Vector<T> tile[V * width][height];
    const Tile place = tile_of_block<order>(16 * width);
    const std::size_t x = place.column * V * width;
    const std::size_t y = place.row * V * height;
    const unsigned i = threadIdx.x / width, j = threadIdx.x % width;
    if (y + i * V < rows && x + j * V < columns) {
        const T* const from = in + (y + i * V) * columns + x + j * V;
        Vector<T> row[V];
#pragma unroll
        for (unsigned k = 0; k < V; ++k) row[k] = Load{}(from + k * columns);
#pragma unroll
        for (unsigned k = 0; k < V; ++k) {
            Vector<T> column;
#pragma unroll
            for (unsigned l = 0; l < V; ++l) column.element[l] = row[l].element[k];
            tile[j * V + k][i ^ j % 8] = column;
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < V; ++k) {
        const unsigned n = k * height * width + threadIdx.x;
        const unsigned column = n / height, vector = n % height;
        if (x + column < columns && y + vector * V < rows) {
            T* const to = out + (x + column) * rows + y + vector * V;
            *reinterpret_cast<Vector<T>*>(to) = tile[column][vector ^ column / V % 8];
        }
    }
}

// Rows and columns of transpose_sectors' tile where no others are given, and the elements of a sector of 32 bytes.
template <class T>
constexpr unsigned sector_rows = sizeof(T) < 8 ? 128 : 64;
constexpr unsigned sector_columns = 64;
template <class T>
constexpr unsigned sector = 32 / sizeof(T);

// Against transpose_tile_unrolled, for rows of `out` that begin anywhere. There blocks share the
// sectors at their edges, which reach the L2 twice, in parts. Here a block writes whole sectors: in column
// x of `in`, its part begins `skew` elements earlier, where a sector of `out` does. A block reads a
// sector's worth of rows more for that: the less, the taller the tile. Each lane stores one element: a lane's
// 16 bytes are rarely whole in such a row, and nvcc makes single stores of them all then.
template <class T, class Load = PlainLoad, Order order = Order::down,
          unsigned tile_rows = sector_rows<T>>
__global__ void __launch_bounds__(256, tile_rows > 128 ? 2 : 4)
    transpose_sectors(const T* in, T* out, std::size_t rows, std::size_t columns) {
    constexpr unsigned S = sector<T>, loaded = tile_rows + S, loads = loaded / 4;
    // A column of the tile is longer by a bank, or by an element where that is wider.
    __shared__ T tile[sector_columns][loaded + (sizeof(T) < 4 ? 4 / sizeof(T) : 1)];
    const Tile place = tile_of_block<order>(sector_columns * sizeof(T));
    const std::size_t y = place.row * tile_rows;
    const unsigned c = threadIdx.x % 64, first = threadIdx.x / 64;
    const std::size_t x = place.column * 64 + c;
    // The block's rows begin S above y. Of them, these lie in the matrix.
    const unsigned begin = y == 0 ? S : 0;
    const unsigned end = x < columns ? min(rows + S - y, std::size_t{loaded}) : 0;
    const T* const from = in + (y + first - S) * columns + x;
    T element[loads];
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        const unsigned row = first + k * 4;
        element[k] = Load::element(from + k * 4 * columns, begin <= row && row < end);
    }
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) tile[c][first + k * 4] = element[k];
    __syncthreads();
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned k = 0; k < sector_columns / 8; ++k) {
        const unsigned column = warp + k * 8;
        const std::size_t to = place.column * 64 + column;  // a row of `out`
        const unsigned skew = static_cast<unsigned>(to * rows % S);
#pragma unroll
        for (unsigned piece = 0; piece < tile_rows; piece += 32) {
            const std::size_t row = y + piece + lane - skew;  // below 0: beyond all rows
            if (to < columns && row < rows) {
                out[to * rows + row] = tile[column][S - skew + piece + lane];
            }
        }
    }
}
