// mbarrier, cp.async, cp.async.bulk, cp.async.bulk.tensor.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/memory/asynchronous_copy.hpp"
#include "emulator/simt/memory/mbarrier.hpp"
#include "emulator/simt/record/hazard_checks.hpp"

namespace emulator::simt {

using ptx::OperandKind;

void FunctionDecoder::place(MemoryDetail& detail, const ptx::Operand& operand, std::uint32_t bytes,
                            AccessKind kind) {
    const AddressForm form = address(operand);
    detail.base = form.base;
    detail.base_is_64_bit = form.is_64_bit;
    detail.offset = form.offset;
    detail.bytes = bytes;
    detail.kind = kind;
    detail.instruction = at_;
}

namespace {

bool is_shared(const std::string& modifier) {
    return modifier == "shared" || modifier.starts_with("shared::");
}

struct NamedAction {
    const char* name;
    MbarrierAction action;
};

MbarrierAction action_of(const std::vector<std::string>& modifiers) {
    const auto has = [&](const char* name) {
        return std::ranges::find(modifiers, name) != modifiers.end();
    };
    if (has("arrive") && has("expect_tx")) return MbarrierAction::arrive_expect;
    if (has("arrive_drop") && has("expect_tx")) return MbarrierAction::arrive_drop_expect;
    if ((has("test_wait") || has("try_wait")) && has("parity")) return MbarrierAction::test_parity;
    static constexpr NamedAction names[] = {{"init", MbarrierAction::init},
                                            {"inval", MbarrierAction::invalidate},
                                            {"arrive", MbarrierAction::arrive},
                                            {"arrive_drop", MbarrierAction::arrive_drop},
                                            {"expect_tx", MbarrierAction::expect},
                                            {"complete_tx", MbarrierAction::complete},
                                            {"test_wait", MbarrierAction::test},
                                            {"try_wait", MbarrierAction::test},
                                            {"pending_count", MbarrierAction::pending_count}};
    const auto* const found =
        std::ranges::find_if(names, [&](const NamedAction& named) { return has(named.name); });
    return found == std::end(names) ? MbarrierAction::invalidate : found->action;
}

}  // namespace

bool FunctionDecoder::mbarrier(const ptx::Instruction& instruction) {
    if (instruction.opcode != "mbarrier") return false;
    auto& detail = new_detail<MbarrierDetail>();
    detail.action = action_of(instruction.modifiers);
    const auto& operands = instruction.operands;
    // [address] is the first operand or, behind a result, the second.
    std::size_t at = operands[0].kind == OperandKind::address ? 0 : 1;
    const bool is_test =
        detail.action == MbarrierAction::test || detail.action == MbarrierAction::test_parity;
    if (at == 1) detail.result = offset_of(operands[0]);
    if (detail.action == MbarrierAction::pending_count) {
        detail.value = as_register(operands[1], 8);
        detail.value_bytes = 8;
    } else {
        detail.is_generic = std::ranges::none_of(instruction.modifiers, is_shared);
        place(detail.place, operands[at], 8, AccessKind::atomic);
        if (at + 1 < operands.size()) {
            detail.value_bytes = detail.action == MbarrierAction::test ? 8 : 4;
            detail.value = as_register(operands[at + 1], detail.value_bytes);
        }
    }
    Operation operation;
    operation.execute = execute_mbarrier;
    operation.detail = &detail;
    if (is_test) {
        detail.place.role = AccessRole::barrier_test;
        image_.accesses[&detail] = &detail.place;
        branch_around();
    }
    blocks_.back().instructions.push_back(at_);
    emit(operation);
    if (is_test) end_block(Control::poll);
    return true;
}

// st.async: the store is made at once, and its bytes count at the mbarrier of the last operand.
void FunctionDecoder::complete_store(const ptx::Instruction& instruction, std::uint32_t bytes) {
    require_capability(90);
    auto& detail = new_detail<MbarrierDetail>();
    detail.action = MbarrierAction::complete;
    place(detail.place, instruction.operands.back(), 8, AccessKind::atomic);
    detail.value = constant(4, bytes);
    Operation operation;
    operation.execute = execute_mbarrier;
    operation.detail = &detail;
    emit(operation);
}

bool FunctionDecoder::asynchronous(const ptx::Instruction& instruction) {
    if (instruction.opcode != "cp") return false;
    if (!has(instruction, "async")) throw Refused{};
    if (has(instruction, "prefetch")) return true;
    // Copies are made at once: groups of them are complete when they are committed.
    for (const char* const name : {"commit_group", "wait_group", "wait_all"}) {
        if (!has(instruction, name)) continue;
        if (module_.checks_hazards && !has(instruction, "bulk")) note_group(instruction);
        return true;
    }
    if (has(instruction, "mbarrier") && module_.checks_hazards) {
        // Threads that wait for the barrier wait for the copies.
        Operation operation;
        operation.execute = execute_copy_wait;
        operation.immediate = all_copies;
        emit(operation);
    }
    if (has(instruction, "mbarrier") && has(instruction, "arrive")) {
        // Without .noinc the barrier expects one arrival more, and has it.
        if (!has(instruction, "noinc")) return true;
        auto& detail = new_detail<MbarrierDetail>();
        detail.action = MbarrierAction::arrive_after_copies;
        detail.is_generic = std::ranges::none_of(instruction.modifiers, is_shared);
        place(detail.place, instruction.operands[0], 8, AccessKind::atomic);
        Operation operation;
        operation.execute = execute_mbarrier;
        operation.detail = &detail;
        emit(operation);
        return true;
    }
    if (has(instruction, "bulk"))
        copy_in_bulk(instruction);
    else
        copy_asynchronously(instruction);
    return true;
}

void FunctionDecoder::note_group(const ptx::Instruction& instruction) {
    Operation operation;
    operation.execute = has(instruction, "commit_group") ? execute_copy_commit : execute_copy_wait;
    operation.immediate =
        has(instruction, "wait_group") ? instruction.operands[0].bits : all_copies;
    emit(operation);
}

// cp.async.ca.shared.global [to], [from], bytes{, bytes read}{, ignore}{, cache policy}
void FunctionDecoder::copy_asynchronously(const ptx::Instruction& instruction) {
    const auto& operands = instruction.operands;
    auto& detail = new_detail<CopyDetail>();
    if (operands.size() < 3 || operands[2].kind != OperandKind::immediate) throw Refused{};
    const auto bytes = static_cast<std::uint32_t>(operands[2].bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) throw Refused{};
    place(detail.to, operands[0], bytes, AccessKind::store);
    place(detail.from, operands[1], bytes, AccessKind::load);
    const bool has_policy = has(instruction, "L2::cache_hint");
    const std::size_t end = operands.size() - (has_policy ? 1 : 0);
    if (end > 3) {
        const bool is_predicate =
            operands[3].kind == OperandKind::reg && register_bytes(operands[3]) == 0;
        if (is_predicate) {
            detail.ignore = offset_of(operands[3]);
            detail.ignore_negated = operands[3].negated;
        } else if (operands[3].kind != OperandKind::immediate || operands[3].bits != bytes) {
            detail.read_bytes = as_register(operands[3], 4);
        }
    }
    add_site(detail.from, AccessSpace::global, false,
             has(instruction, "cg") ? CacheOperator::l2_only : CacheOperator::all_levels);
    // The GPU counts these as loads, but not their bytes.
    detail.from.cost.counts_bytes = false;
    image_.sites.back().cost.counts_bytes = false;
    detail.to.site = detail.from.site;
    Operation operation;
    operation.execute = execute_copy;
    operation.detail = &detail;
    emit(operation);
}

// cp.async.bulk{.tensor.Nd}.TO.FROM... [to], [from], bytes, [barrier]; of a tensor the global side is
// [map, {coordinates}] and no number of bytes is given.
void FunctionDecoder::copy_in_bulk(const ptx::Instruction& instruction) {
    for (const char* const name :
         {"reduce", "im2col", "im2col::w", "tile::gather4", "tile::scatter4", "cp_mask"}) {
        if (has(instruction, name)) throw Refused{"bulk copies with ." + std::string(name)};
    }
    const auto& modifiers = instruction.modifiers;
    const auto first_shared = std::ranges::find_if(modifiers, is_shared);
    const auto first_global = std::ranges::find(modifiers, "global");
    const auto& operands = instruction.operands;
    auto& detail = new_detail<BulkCopyDetail>();
    if (first_shared == modifiers.end()) throw Refused{};
    detail.from_own_shared = first_global == modifiers.end();
    detail.to_shared = detail.from_own_shared || first_shared < first_global;
    const ptx::Operand& global = operands[detail.to_shared ? 1 : 0];
    const ptx::Operand& shared = operands[detail.to_shared ? 0 : 1];
    const bool is_tensor = has(instruction, "tensor");
    place(detail.shared, shared, 16, detail.to_shared ? AccessKind::store : AccessKind::load);
    place(detail.global, global, 16, detail.to_shared ? AccessKind::load : AccessKind::store);
    std::size_t next = 2;
    if (is_tensor) {
        const ptx::Operand& coordinates = global.elements.back();
        if (coordinates.kind != OperandKind::vector) throw Refused{};
        detail.rank = static_cast<unsigned>(coordinates.elements.size());
        if (detail.rank > max_tensor_rank) throw Refused{};
        for (unsigned i = 0; i < detail.rank; ++i) {
            detail.coordinates[i] = as_register(coordinates.elements[i], 4);
        }
    } else {
        detail.bytes = as_register(operands[next++], 4);
    }
    if (detail.to_shared) place(detail.barrier, operands[next++], 8, AccessKind::atomic);
    if (has(instruction, "multicast::cluster")) detail.blocks = as_register(operands[next], 2);
    detail.global.site = static_cast<std::uint32_t>(image_.sites.size());
    // No request of a warp: counted are the sectors that it moves beyond the L1.
    add_site(detail.global, AccessSpace::surface, false, CacheOperator::l2_only);
    detail.global.role = AccessRole::bulk_copy;
    Operation operation;
    operation.execute = is_tensor ? execute_tensor_copy : execute_bulk_copy;
    operation.detail = &detail;
    emit(operation);
}

}  // namespace emulator::simt
