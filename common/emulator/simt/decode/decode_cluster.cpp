// barrier.cluster, mapa, getctarank.
#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/warp/clusters.hpp"

namespace emulator::simt {

// barrier.cluster.arrive{.release, .relaxed}{.aligned}, barrier.cluster.wait{.acquire}{.aligned}
void FunctionDecoder::cluster_barrier(const ptx::Instruction& instruction) {
    require_capability(90);
    branch_around();
    blocks_.back().instructions.push_back(at_);
    if (has(instruction, "wait")) {
        end_block(Control::cluster_wait);
        return;
    }
    Operation operation;
    operation.execute = execute_cluster_arrive;
    emit(operation);
    end_block(Control::next);
}

// mapa{.shared::cluster}.u32 address, own address, rank; getctarank{.shared::cluster}.u32 rank, address
bool FunctionDecoder::cluster_address(const ptx::Instruction& instruction) {
    const bool maps = instruction.opcode == "mapa";
    if (!maps && instruction.opcode != "getctarank") return false;
    require_capability(90);
    const bool is_wide = has(instruction, "u64");
    Operation operation;
    operation.destination = offset_of(instruction.operands[0]);
    operation.source[0] = as_register(instruction.operands[1], is_wide ? 8 : 4);
    if (maps) {
        operation.execute =
            is_wide ? execute_map_address<std::uint64_t> : execute_map_address<std::uint32_t>;
        operation.source[1] = as_register(instruction.operands[2], 4);
    } else {
        operation.execute = is_wide ? execute_rank_of_address<std::uint64_t>
                                    : execute_rank_of_address<std::uint32_t>;
    }
    emit(operation);
    return true;
}

}  // namespace emulator::simt
