// From a PTX function to basic blocks of operations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/result_uses.hpp"
#include "emulator/ptx/parse/types.hpp"
#include "emulator/ptxas/accesses/issued_accesses.hpp"
#include "emulator/ptxas/accesses/local_accesses.hpp"
#include "emulator/ptxas/accesses/stores_behind_loads.hpp"
#include "emulator/simt/alu/arithmetic.hpp"
#include "emulator/simt/decode/module.hpp"
#include "emulator/simt/decode/tensor_form.hpp"
#include "emulator/simt/memory/atomics.hpp"
#include "emulator/simt/state/memory.hpp"
#include "emulator/simt/state/program.hpp"

namespace emulator::simt {

struct MatrixAddressDetail;

// A kernel and what it can reach. What cannot be executed is noted in Traits::unsupported.
std::unique_ptr<Image> decode_kernel(Module& module, std::uint32_t number);

// The next multiple of the alignment.
constexpr std::uint32_t aligned(std::uint32_t value, std::uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

// The elements of a vector, or the operand itself.
inline std::vector<ptx::Operand> elements_of(const ptx::Operand& operand) {
    return operand.kind == ptx::OperandKind::vector ? operand.elements : std::vector{operand};
}

// The names that a function's instructions refer to, and what they become.
class FunctionDecoder {
  public:
    FunctionDecoder(Module& module, Image& image, Function& function);
    void decode();

  private:
    // An instruction needs what the emulated GPU cannot do: caught in `decode`.
    struct Refused : std::runtime_error {
        explicit Refused(const std::string& why = "") : std::runtime_error(why) {}
    };
    // A kernel that launches kernels: the instruction that shows it says nothing to its author.
    struct LaunchesKernels : std::runtime_error {
        LaunchesKernels()
            : std::runtime_error(
                  "launches kernels from the GPU (dynamic parallelism), which the "
                  "emulated GPU cannot execute: launch them from the host") {}
    };
    struct AddressForm {
        RegisterOffset base = no_register;
        bool is_64_bit = true;
        std::int64_t offset = 0;
        bool is_frame_local = false;
        bool is_parameter_of_call = false;  // a .param variable that is no kernel parameter
        bool is_kernel_parameter = false;
    };

    // ---- decode.cpp: the frame of it
    void lay_out_registers();
    void lay_out_variables();
    void find_issued_accesses();
    void note_pause();
    void note_group(const ptx::Instruction& instruction);
    void spills();
    void instruction(const ptx::Instruction& instruction);
    void finish_blocks();
    void find_reconvergence();
    void find_order();
    void find_reconvergence_points();
    void refuse(const ptx::Instruction& instruction, const std::string& why);

    // ---- decode_operands.cpp
    unsigned register_bytes(const ptx::Operand& operand) const;  // of a register; 0: a predicate
    RegisterOffset offset_of(const ptx::Operand& operand);       // of a register; `_`: no_register
    // As a register of `bytes` bytes, whatever it is written as.
    RegisterOffset as_register(const ptx::Operand& operand, unsigned bytes);
    RegisterOffset constant(unsigned bytes, std::uint64_t bits);
    RegisterOffset new_register(unsigned bytes);
    RegisterOffset special(const std::string& name, unsigned bytes);
    std::optional<std::uint64_t> constant_address(const std::string& symbol) const;
    AddressForm address(const ptx::Operand& operand);
    // Integers, and floating-point literals as the bits of a type of `bytes` bytes.
    static std::uint64_t immediate_bits(const ptx::Operand& operand, unsigned bytes);
    static ptx::Type type_of(
        const ptx::Instruction& instruction);  // the last type among its modifiers

    // ---- emission
    Operation& emit(const Operation& operation);
    // An operation whose results depend on its sources alone (and on the launch): of a kernel, where all
    // sources are the same in every block of a launch, it is run once for each warp.
    void emit_pure(const Operation& operation);
    // Before a quotient, where instructions of the machine code are counted.
    void note_rare_operands(const ptx::Instruction& instruction, const Operation& quotient);
    bool is_invariant(RegisterOffset offset) const;
    void count_definitions();
    bool is_uniform(RegisterOffset offset) const;  // an invariant that is the same in all lanes

    // ---- array_addresses.cpp: array[index], without 64-bit arithmetic for each lane
    struct ScaledIndex {
        RegisterOffset index = no_register;
        std::uint32_t scale = 1;
        bool is_signed = true;
        RegisterOffset array = no_register;  // none: the index alone
        std::int64_t offset = 0;
        // Where it was computed; whether it still holds there.
        std::size_t block = 0, operation = 0;
        unsigned index_version = 0, version = 0;
        RegisterOffset result = no_register, from = no_register;  // from: the one that it builds on
    };
    void note_definitions(const ptx::Instruction& instruction);
    void note_address(const ptx::Instruction& instruction, const Operation& operation);
    const ScaledIndex* scaled_index(RegisterOffset offset) const;
    bool still_holds(const ScaledIndex& scaled) const;
    void use_array_address(MemoryDetail& detail);
    void drop_unused_addresses();
    unsigned version_of(RegisterOffset offset) const;
    template <class T>
    T& new_detail() {
        auto detail = std::make_shared<T>();
        T& result = *detail;
        function_.details.push_back(std::move(detail));
        return result;
    }
    // Ends the block at the instruction at hand.
    BasicBlock& end_block(Control control);
    // A guarded control instruction that takes no guard itself becomes a branch around it.
    void branch_around();

    // ---- by family; each returns whether it knows the instruction
    bool arithmetic(const ptx::Instruction& instruction);
    bool address_arithmetic(const ptx::Instruction& instruction);
    bool memory(const ptx::Instruction& instruction);
    bool atomic(const ptx::Instruction& instruction);
    bool control(const ptx::Instruction& instruction);
    bool communication(const ptx::Instruction& instruction);
    bool barrier(const ptx::Instruction& instruction);
    bool call(const ptx::Instruction& instruction);
    bool hint(const ptx::Instruction& instruction);
    bool asynchronous(const ptx::Instruction& instruction);  // decode_asynchronous.cpp
    bool texture(const ptx::Instruction& instruction);       // decode_texture.cpp
    bool tensor(const ptx::Instruction& instruction);        // decode_tensor.cpp
    bool warpgroup(const ptx::Instruction& instruction);     // decode_warpgroup.cpp

    // ---- decode_tensor.cpp
    void converge_warp();
    void require_capability(unsigned first);  // times ten; throws
    void multiply_matrices(const ptx::Instruction& instruction);
    MatrixProductDetail& emit_product(const ptx::Instruction& instruction, const TensorForm& form,
                                      unsigned rows);
    // Registers of a vector; sinks get one.
    std::vector<RegisterOffset> results_of(const ptx::Operand& operand, ResultType type);
    std::vector<RegisterOffset> sources_of(const ptx::Operand& operand, unsigned bytes);
    void access_matrices(const ptx::Instruction& instruction);
    void emit_matrix_access(const MemoryDetail& at, bool is_load, bool is_generic,
                            std::span<const RegisterOffset> registers, bool is_transposed);
    ptx::Space matrix_space(const ptx::Instruction& instruction) const;

    // ---- decode_warpgroup.cpp
    void require_warpgroups();
    void multiply_in_warpgroup(const ptx::Instruction& instruction);

    // ---- decode_cluster.cpp
    void cluster_barrier(const ptx::Instruction& instruction);
    bool cluster_address(const ptx::Instruction& instruction);

    // ---- decode_tiles.cpp
    struct TileAccess {
        bool is_load = true;
        bool is_along =
            true;  // rows of A, columns of B, rows of D (of 8 x 32: columns) lie in a piece
        AddressForm at;
        ptx::Space space{};
        RegisterOffset stride = no_register;
    };
    void multiply_tiles(const ptx::Instruction& instruction);
    void access_tile(const ptx::Instruction& instruction);
    RegisterOffset emit_matrix_address(const TileAccess& access, unsigned bits,
                                       MatrixAddressDetail*& detail);
    void emit_tile_access(const TileAccess& access, RegisterOffset base, ptx::Type type,
                          unsigned register_bytes, std::span<const RegisterOffset> registers);
    void emit_transpose(RegisterOffset to, RegisterOffset from);
    void load_operand_tile(const TensorForm& form, bool is_a, const TileAccess& access,
                           const std::vector<RegisterOffset>& registers);
    void load_operand_part(const TensorForm& form, const TileAccess& access, unsigned row,
                           unsigned element, RegisterOffset to);
    void access_result_tile(const TensorForm& form, const TileAccess& access,
                            const std::vector<RegisterOffset>& registers);

    void surface(const ptx::Instruction& instruction);
    void texture_query(const ptx::Instruction& instruction);
    bool mbarrier(const ptx::Instruction& instruction);
    void copy_asynchronously(const ptx::Instruction& instruction);
    void complete_store(const ptx::Instruction& instruction, std::uint32_t bytes);
    void copy_in_bulk(const ptx::Instruction& instruction);
    // An operand that is an address, in `detail`; whether it is a generic one.
    void place(MemoryDetail& detail, const ptx::Operand& operand, std::uint32_t bytes,
               AccessKind kind);

    void load_or_store(const ptx::Instruction& instruction, bool is_load);
    void fill_in_elements(MemoryDetail& detail, const ptx::Operand& operand, ptx::Type type,
                          bool is_load);
    std::optional<ptx::Space> space_of(const ptx::Instruction& instruction) const;
    CacheOperator cache_operator_of(const ptx::Instruction& instruction) const;
    // An atomic operation of shared memory that the machine code has as a loop.
    void add_loop_load(AtomicDetail& atomic);
    void add_site(MemoryDetail& detail, AccessSpace space, bool is_reduction,
                  CacheOperator cache_operator);
    std::vector<std::uint32_t> parameter_areas(const ptx::Operand& list,
                                               std::vector<std::uint32_t>& bytes);

    Module& module_;
    Image& image_;
    Function& function_;
    const ptx::Function& source_;
    const ptx::ControlFlow flow_;
    const ptx::ResultUses uses_;
    std::vector<RegisterOffset> register_offsets_;
    std::map<std::pair<unsigned, std::uint64_t>, RegisterOffset> constants_;
    std::unordered_map<std::string, std::uint32_t> local_offsets_;      // .local variables
    std::unordered_map<std::string, std::uint32_t> parameter_offsets_;  // .param variables of calls
    std::unordered_map<std::string, std::uint32_t> variable_bytes_;
    std::unordered_map<std::string, std::uint32_t> kernel_parameters_;
    RegisterOffset carry_ = no_register;
    std::unordered_map<RegisterOffset, unsigned> definitions_;  // of each register of the PTX
    std::unordered_map<RegisterOffset, unsigned> use_counts_;
    std::unordered_set<RegisterOffset> invariants_, uniform_;
    std::unordered_map<RegisterOffset, unsigned> versions_;  // how often defined so far
    std::vector<ScaledIndex> scaled_;
    std::unordered_map<RegisterOffset, std::size_t> scaled_by_result_;
    std::unordered_map<RegisterOffset, unsigned> replaced_uses_;

    std::shared_ptr<const ptx::IssuedAccesses> issued_;
    std::shared_ptr<const ptx::LocalAccesses> local_accesses_;

    // The block at hand.
    struct OpenBlock {
        std::vector<Operation> operations;
        std::vector<std::uint32_t> instructions;
        BasicBlock block;
        const void* pauses_at = nullptr;  // the detail of an operation
        bool is_converged = false;        // all lanes of the warp execute it together
        std::uint32_t first_instruction = 0;
    };
    std::vector<OpenBlock> blocks_;
    std::vector<BranchTableDetail*> branch_tables_;
    std::vector<std::uint32_t> block_at_;  // by instruction, where one begins
    std::uint32_t at_ = 0;                 // the instruction at hand
    std::vector<bool> pauses_;             // by instruction
    bool guard_applied_ = false;           // the instruction's guard is a branch around it already
};

}  // namespace emulator::simt
