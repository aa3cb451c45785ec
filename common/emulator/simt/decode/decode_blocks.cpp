// The end of decoding a function: its basic blocks in their places, and where diverged lanes reconverge.
#include <algorithm>
#include <numeric>

#include "emulator/simt/decode/decode.hpp"

namespace emulator::simt {

// Operations and blocks in their places; targets are blocks now.
void FunctionDecoder::finish_blocks() {
    drop_unused_addresses();
    block_at_.assign(source_.instructions.size() + 2, no_block);
    std::size_t operations = 0;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        // A branch around an instruction and that instruction both begin there: the first one counts.
        std::uint32_t& at = block_at_[blocks_[i].first_instruction];
        if (at == no_block) at = i;
        operations += blocks_[i].operations.size();
    }
    function_.operations.reserve(operations);
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        OpenBlock& open = blocks_[i];
        const std::size_t begin = function_.operations.size();
        function_.operations.insert(function_.operations.end(), open.operations.begin(),
                                    open.operations.end());
        BasicBlock& block = open.block;
        block.begin = function_.operations.data() + begin;
        block.end = block.begin + open.operations.size();
        if (open.pauses_at != nullptr) {
            block.pause = std::find_if(block.begin, block.end, [&](const Operation& operation) {
                return operation.detail == open.pauses_at;
            });
        }
        block.next = i + 1 < blocks_.size() ? i + 1 : no_block;
        if (i > 0 && open.first_instruction == source_.instructions.size())  // behind the last one
            block.control_instruction = static_cast<std::uint32_t>(source_.instructions.size() - 1);
        if (block.control == Control::branch) block.target = block_at_[block.target];
        block.counter = static_cast<std::uint32_t>(image_.counters.size());
        image_.counters.push_back({&function_, i});
        function_.blocks.push_back(block);
        function_.block_instructions.push_back(std::move(open.instructions));
    }
    for (BranchTableDetail* const table : branch_tables_) {
        for (std::uint32_t& target : table->targets) target = block_at_[target];
    }
    find_reconvergence();
    find_order();
    find_reconvergence_points();
}

void FunctionDecoder::find_order() {
    std::vector<std::uint32_t> sequence(blocks_.size());
    std::iota(sequence.begin(), sequence.end(), 0u);
    std::ranges::stable_sort(sequence, {}, [&](std::uint32_t block) {
        const std::uint32_t first = blocks_[block].first_instruction;
        const bool is_end = first >= flow_.block_of.size();
        return is_end ? ptx::exit_block : flow_.blocks[flow_.block_of[first]].order;
    });
    for (std::uint32_t i = 0; i < sequence.size(); ++i) function_.blocks[sequence[i]].order = i;
}

// Where lanes that diverge at a block's end reconverge. A branch around one guarded instruction ends behind it.
void FunctionDecoder::find_reconvergence() {
    for (BasicBlock& block : function_.blocks) {
        if (block.control != Control::branch && block.control != Control::branch_indexed) continue;
        const std::string& opcode = source_.instructions[block.control_instruction].opcode;
        if (opcode != "bra" && opcode != "brx") {
            block.reconvergence = block.target;
            continue;
        }
        const auto& at_end = flow_.blocks[flow_.block_of[block.control_instruction]];
        if (at_end.loop_exit != ptx::exit_block) {
            block.loop_exit = block_at_[flow_.blocks[at_end.loop_exit].first];
            function_.blocks[block.loop_exit].is_way_out = true;
        }
        if (at_end.reconvergence == ptx::exit_block) continue;
        block.reconvergence = block_at_[flow_.blocks[at_end.reconvergence].first];
    }
}

}  // namespace emulator::simt
