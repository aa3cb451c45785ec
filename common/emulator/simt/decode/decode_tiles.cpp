// wmma: tiles of 16 x 16, 32 x 8, 8 x 32 and 8 x 8 elements, as products and accesses of mma's fragments.
//
// PTX leaves open which elements a lane holds. Here it is what ptxas makes of them for compute capability 7.5 and later (machine
// code for sm_80 and sm_90): the fragments of mma, blocks of 16 rows one after another. 8 x 32 is the transpose of 32 x 8.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/tensor/matrix_access.hpp"
#include "emulator/simt/tensor/matrix_address.hpp"

namespace emulator::simt {

using ptx::Space;

namespace {

// The tile as D or its transpose: 16 x 16 as two products beside each other, 32 x 8 as two below each other.
struct Tile {
    bool is_transposed;  // A and B change places
    unsigned rows, blocks;
    bool blocks_are_rows;  // else columns

    explicit Tile(const TensorForm& form)
        : is_transposed(form.m == 8 && form.n == 32),
          rows(form.m == 8 && form.n == 8 ? 8 : 16),
          blocks(form.m == 8 && form.n == 8 ? 1 : 2),
          blocks_are_rows(form.m != form.n) {}
    unsigned groups() const { return rows / 8; }
    unsigned row_of(unsigned block, unsigned group) const {
        return 8 * group + (blocks_are_rows ? rows * block : 0);
    }
    unsigned column_of(unsigned block) const { return blocks_are_rows ? 0 : 8 * block; }
};

// One 8 x 8-like part of a matrix that a register holds: its first row and element along the row.
struct Part {
    unsigned row, element;
};

unsigned first_with_tile(MatrixType type) {
    switch (type) {
        case MatrixType::f16:
            return 70;
        case MatrixType::s8:
        case MatrixType::u8:
            return 72;
        case MatrixType::s4:
        case MatrixType::u4:
        case MatrixType::b1:
            return 75;
        default:
            return 80;
    }
}

// The places of A (of B with columns for rows), in the order of registers.
std::vector<Part> operand_parts(const Tile& tile, const TensorForm& form, bool is_a) {
    const bool is_rows = is_a != tile.is_transposed;
    const unsigned blocks = tile.blocks_are_rows == is_rows ? tile.blocks : 1;
    const unsigned groups = is_rows ? tile.groups() : 1;
    std::vector<Part> parts;
    for (unsigned block = 0; block < blocks; ++block) {
        for (unsigned piece = 0; piece < form.pieces(); ++piece) {
            for (unsigned group = 0; group < groups; ++group)
                parts.push_back(
                    {8 * (groups * block + group), piece * form.piece_bits() / form.bits()});
        }
    }
    return parts;
}

}  // namespace

void FunctionDecoder::multiply_tiles(const ptx::Instruction& instruction) {
    const auto form = product_form(instruction);
    const unsigned first = form ? first_with_product(*form, true) : 0;
    if (first == 0 || instruction.operands.size() != 4) throw Refused{};
    require_capability(first);
    const Tile tile(*form);
    const unsigned bytes = form->a == MatrixType::f64 ? 8 : 4;
    auto a = sources_of(instruction.operands[1], bytes),
         b = sources_of(instruction.operands[2], bytes);
    const auto c = sources_of(instruction.operands[3], std::max(4u, result_bytes(form->c))),
               d = results_of(instruction.operands[0], form->d);
    if (tile.is_transposed) std::swap(a, b);
    TensorForm product = *form;
    if (tile.is_transposed) std::swap(product.a, product.b);
    const unsigned of_a = tile.groups() * form->pieces(), of_b = form->pieces();
    const auto sums = [&](ResultType type) {
        return type == ResultType::f16 ? tile.groups() : 2 * tile.groups();
    };
    for (unsigned block = 0; block < tile.blocks; ++block) {
        const unsigned a_at = tile.blocks_are_rows ? block * of_a : 0,
                       b_at = tile.blocks_are_rows ? 0 : block * of_b;
        if (a.size() < a_at + of_a || b.size() < b_at + of_b ||
            c.size() != tile.blocks * sums(form->c) || d.size() != tile.blocks * sums(form->d))
            throw Refused{"the number of its registers"};
        MatrixProductDetail& detail = emit_product(instruction, product, tile.rows);
        // wmma of TF32 is two products with four elements of k each (machine code for sm_80 and sm_90).
        if (form->a == MatrixType::tf32) detail.sum.products = 4;
        std::copy_n(a.begin() + a_at, of_a, detail.a.begin());
        std::copy_n(b.begin() + b_at, of_b, detail.b.begin());
        std::copy_n(c.begin() + block * sums(form->c), sums(form->c), detail.c.begin());
        std::copy_n(d.begin() + block * sums(form->d), sums(form->d), detail.d.begin());
    }
}

// wmma.load.a.sync.aligned.row.m16n16k16{.space}.f16 {registers}, [address], stride; wmma.store.d has the address first.
void FunctionDecoder::access_tile(const ptx::Instruction& instruction) {
    const bool is_load = has(instruction, "load");
    const auto form = access_form(instruction);
    if (!form || instruction.operands.size() < 2) throw Refused{};
    require_capability(first_with_tile(form->a));
    TileAccess access;
    access.is_load = is_load;
    access.at = address(instruction.operands[is_load ? 1 : 0]);
    access.space = matrix_space(instruction);
    const bool is_a = has(instruction, "a"), is_b = has(instruction, "b");
    const bool is_row_major = !has(instruction, "col");
    if (instruction.operands.size() > 2) {
        access.stride = as_register(instruction.operands[2], 4);
    } else {
        const unsigned columns = is_a ? form->k : form->n, rows = is_b ? form->k : form->m;
        access.stride = constant(4, is_row_major ? columns : rows);
    }
    const auto registers =
        is_load ? results_of(instruction.operands[0], form->d)
                : sources_of(instruction.operands[1], std::max(4u, result_bytes(form->d)));
    if (is_a || is_b) {
        access.is_along = is_a ? is_row_major : !is_row_major;
        load_operand_tile(*form, is_a, access, registers);
    } else {
        access.is_along = is_row_major != Tile(*form).is_transposed;
        access_result_tile(*form, access, registers);
    }
}

namespace {

// Lane 4 g + t: row g, and so many elements from t on.
void spread(MatrixAddressDetail& detail, unsigned row, unsigned column, unsigned by_group_row,
            unsigned by_thread_row, unsigned by_group_column, unsigned by_thread_column) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        const unsigned group = lane / 4, thread = lane % 4;
        detail.row[lane] =
            static_cast<std::uint16_t>(row + by_group_row * group + by_thread_row * thread);
        detail.column[lane] = static_cast<std::uint16_t>(column + by_group_column * group +
                                                         by_thread_column * thread);
    }
}

}  // namespace

// The register of the addresses, whose rows and columns are for the caller to fill in.
RegisterOffset FunctionDecoder::emit_matrix_address(const TileAccess& access, unsigned bits,
                                                    MatrixAddressDetail*& detail) {
    detail = &new_detail<MatrixAddressDetail>();
    detail->base = access.at.base;
    detail->base_is_64_bit = access.at.is_64_bit;
    detail->offset = access.at.offset;
    detail->stride = access.stride;
    detail->bits = bits;
    Operation operation;
    operation.execute = execute_matrix_address;
    operation.detail = detail;
    operation.destination = new_register(8);
    emit(operation);
    return operation.destination;
}

// One load or store of `registers`, each of `type` in memory.
void FunctionDecoder::emit_tile_access(const TileAccess& access, RegisterOffset base,
                                       ptx::Type type, unsigned register_bytes,
                                       std::span<const RegisterOffset> registers) {
    auto& detail = new_detail<MemoryDetail>();
    detail.kind = access.is_load ? AccessKind::load : AccessKind::store;
    detail.base = base;
    detail.element_bytes = static_cast<std::uint8_t>(ptx::bytes_of(type));
    detail.elements = static_cast<std::uint8_t>(registers.size());
    detail.bytes = detail.element_bytes * detail.elements;
    std::ranges::copy(registers, detail.registers.begin());
    detail.mover =
        access.is_load ? load_mover(type, register_bytes) : store_mover(type, register_bytes);
    const bool is_shared = access.space == Space::shared;
    add_site(detail, is_shared ? AccessSpace::shared : AccessSpace::global, false,
             CacheOperator::standard);
    Operation operation;
    operation.execute = is_shared                       ? execute_shared
                        : access.space == Space::global ? execute_global
                                                        : execute_generic;
    operation.detail = &detail;
    emit(operation);
}

void FunctionDecoder::emit_transpose(RegisterOffset to, RegisterOffset from) {
    Operation operation;
    operation.execute = execute_matrix_transpose;
    operation.destination = to;
    operation.source[0] = from;
    emit(operation);
}

// Rows of A, or columns of B.
void FunctionDecoder::load_operand_tile(const TensorForm& form, bool is_a, const TileAccess& access,
                                        const std::vector<RegisterOffset>& registers) {
    const std::vector<Part> parts = operand_parts(Tile(form), form, is_a);
    if (registers.size() < parts.size()) throw Refused{"the number of its registers"};
    const unsigned bits = form.bits();
    if (bits < 8 && !access.is_along) throw Refused{};
    const bool has_matrices = access.space == Space::shared &&
                              (bits == 16 || (bits == 8 && access.is_along)) &&
                              module_.architecture.compute_number() >= 75;
    MatrixAddressDetail* address = nullptr;
    if (has_matrices) {
        for (std::size_t i = 0; i < parts.size();) {
            const std::size_t count = parts.size() - i >= 4 ? 4 : parts.size() - i >= 2 ? 2 : 1;
            const RegisterOffset base = emit_matrix_address(access, bits, address);
            for (unsigned lane = 0; lane < warp_size; ++lane) {
                const Part part = parts[i + lane / 8 % count];
                const unsigned row = access.is_along ? part.row : part.element,
                               column = access.is_along ? part.element : part.row;
                address->row[lane] = static_cast<std::uint16_t>(row + lane % 8);
                address->column[lane] = static_cast<std::uint16_t>(column);
            }
            MemoryDetail place;
            place.base = base;
            emit_matrix_access(place, true, false, std::span(registers).subspan(i, count),
                               !access.is_along);
            i += count;
        }
    } else {
        for (std::size_t i = 0; i < parts.size(); ++i)
            load_operand_part(form, access, parts[i].row, parts[i].element, registers[i]);
    }
    // FP16 has more registers than its elements need: the others repeat them.
    for (std::size_t i = parts.size(); i < registers.size(); ++i) {
        emit_transpose(registers[i], registers[i % parts.size()]);
        emit_transpose(registers[i], registers[i]);
    }
}

void FunctionDecoder::load_operand_part(const TensorForm& form, const TileAccess& access,
                                        unsigned row, unsigned element, RegisterOffset to) {
    const unsigned bits = form.bits();
    const bool is_double = bits == 64;
    const ptx::Type whole = is_double ? ptx::Type::b64 : ptx::Type::b32;
    const unsigned in_register = (is_double ? 64 : 32) / bits;
    MatrixAddressDetail* address = nullptr;
    if (bits == 8 && !access.is_along) {
        std::array<RegisterOffset, 4> bytes{};
        for (unsigned j = 0; j < 4; ++j) {
            const RegisterOffset base = emit_matrix_address(access, bits, address);
            spread(*address, element + j, row, 0, 4, 1, 0);
            bytes[j] = new_register(4);
            emit_tile_access(access, base, ptx::Type::u8, 4, std::span(bytes).subspan(j, 1));
        }
        Operation join;
        join.execute = execute_join_bytes;
        join.destination = to;
        join.source = bytes;
        emit(join);
        return;
    }
    const RegisterOffset base = emit_matrix_address(access, bits, address);
    if (access.is_along)
        spread(*address, row, element, 1, 0, 0, in_register);
    else if (bits == 16)
        spread(*address, element, row, 1, 0, 0, 2);
    else
        spread(*address, element, row, 0, 1, 1, 0);
    emit_tile_access(access, base, whole, is_double ? 8 : 4, std::span(&to, 1));
    if (bits == 16 && !access.is_along) emit_transpose(to, to);
}

// C and D.
void FunctionDecoder::access_result_tile(const TensorForm& form, const TileAccess& access,
                                         const std::vector<RegisterOffset>& registers) {
    const Tile tile(form);
    const bool is_half = form.d == ResultType::f16;
    const unsigned of_part = is_half ? 1 : 2, bytes = result_bytes(form.d);
    const ptx::Type type = form.d == ResultType::f64 ? ptx::Type::b64 : ptx::Type::b32;
    const unsigned register_bytes = std::max(4u, bytes);
    if (registers.size() != of_part * tile.blocks * tile.groups())
        throw Refused{"the number of its registers"};
    MatrixAddressDetail* address = nullptr;
    for (unsigned i = 0; i < registers.size(); i += of_part) {
        const unsigned block = i / of_part / tile.groups(), group = i / of_part % tile.groups();
        const unsigned row = tile.row_of(block, group), column = tile.column_of(block);
        const std::span<const RegisterOffset> pair = std::span(registers).subspan(i, of_part);
        if (access.is_along) {
            const RegisterOffset base = emit_matrix_address(access, 8 * bytes, address);
            spread(*address, row, column, 1, 0, 0, 2);
            emit_tile_access(access, base, type, register_bytes, pair);
        } else if (is_half) {
            const RegisterOffset base = emit_matrix_address(access, 16, address);
            spread(*address, column, row, 1, 0, 0, 2);
            RegisterOffset value = registers[i];
            if (!access.is_load) emit_transpose(value = new_register(4), registers[i]);
            emit_tile_access(access, base, type, 4, std::span(&value, 1));
            if (access.is_load) emit_transpose(value, value);
        } else {
            for (unsigned j = 0; j < 2; ++j) {
                const RegisterOffset base = emit_matrix_address(access, 8 * bytes, address);
                spread(*address, column + j, row, 0, 2, 1, 0);
                emit_tile_access(access, base, type, register_bytes, pair.subspan(j, 1));
            }
        }
    }
}

}  // namespace emulator::simt
