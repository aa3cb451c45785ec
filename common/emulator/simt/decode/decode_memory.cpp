// Loads, stores, atomics, and address arithmetic.
#include <algorithm>

#include "emulator/simt/decode/decode.hpp"
#include "emulator/simt/memory/atomics.hpp"
#include "emulator/simt/memory/whole_warp_access.hpp"
#include "emulator/simt/state/launch.hpp"

namespace emulator::simt {
namespace {

// Before Maxwell each atomic operation of shared memory is a loop that locks its word, so that lanes of one word go one
// after another.
bool has_shared_atomics(const Architecture& gpu) { return gpu.compute_major() >= 5; }

}  // namespace

using ptx::OperandKind;
using ptx::Space;

std::optional<Space> FunctionDecoder::space_of(const ptx::Instruction& instruction) const {
    for (const std::string& modifier : instruction.modifiers) {
        if (modifier.starts_with("param::")) return Space::param;
        if (modifier == "shared::cluster") return Space::shared;
        if (const auto space = ptx::space_named(modifier)) return space;
    }
    return std::nullopt;
}

CacheOperator FunctionDecoder::cache_operator_of(const ptx::Instruction& instruction) const {
    if (has(instruction, "nc")) return CacheOperator::read_only;
    if (has(instruction, "ca")) return CacheOperator::all_levels;
    if (has(instruction, "cg")) return CacheOperator::l2_only;
    if (has(instruction, "cs")) return CacheOperator::streaming;
    // Data that other threads may have written are read where they write them: in the L2.
    const bool strong = has(instruction, "relaxed") || has(instruction, "acquire");
    const bool past_l1 = has(instruction, "volatile") || has(instruction, "cv") ||
                         has(instruction, "mmio") || (strong && !has(instruction, "cta"));
    return past_l1 ? CacheOperator::l2_only : CacheOperator::standard;
}

void FunctionDecoder::add_site(MemoryDetail& detail, AccessSpace space, bool is_reduction,
                               CacheOperator cache_operator) {
    detail.instruction = at_;
    detail.policy = detail.kind == AccessKind::load
                        ? load_policy(module_.architecture, cache_operator, module_.l1_mode)
                        : LoadPolicy{LoadPath::l2, sector_bytes};
    detail.cost.space = space;
    detail.cost.kind = detail.kind;
    detail.cost.bytes_per_lane = detail.bytes;
    detail.cost.fetch_unit_bytes = detail.policy.fetch_unit_bytes;
    detail.cost.banks = &module_.banks;
    if (space == AccessSpace::global || space == AccessSpace::shared ||
        space == AccessSpace::constant) {
        detail.cost.issued = issued_->of(at_);
    }
    if (space == AccessSpace::local) detail.cost.issued = local_accesses_->of(at_);
    image_.accesses[&detail] = &detail;  // its first member, where it is part of another detail
    detail.site = static_cast<std::uint32_t>(image_.sites.size());
    image_.sites.push_back({&function_,
                            {at_, space, detail.kind, is_reduction, detail.bytes, cache_operator},
                            detail.cost});
}

void FunctionDecoder::fill_in_elements(MemoryDetail& detail, const ptx::Operand& operand,
                                       ptx::Type type, bool is_load) {
    const bool is_vector = operand.kind == OperandKind::vector;
    const std::size_t count = is_vector ? operand.elements.size() : 1;
    detail.element_bytes = static_cast<std::uint8_t>(ptx::bytes_of(type));
    if (count > max_elements || detail.element_bytes == 0) throw Refused{};
    detail.elements = static_cast<std::uint8_t>(count);
    detail.bytes = static_cast<std::uint32_t>(count * detail.element_bytes);
    unsigned bytes = std::max(2u, ptx::bytes_of(type));
    for (std::size_t i = 0; i < count; ++i) {
        const ptx::Operand& element = is_vector ? operand.elements[i] : operand;
        if (element.kind == OperandKind::reg) bytes = register_bytes(element);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const ptx::Operand& element = is_vector ? operand.elements[i] : operand;
        detail.registers[i] = is_load ? offset_of(element) : as_register(element, bytes);
    }
    detail.mover = is_load ? load_mover(type, bytes) : store_mover(type, bytes);
    if (detail.mover == nullptr) throw Refused{};
}

// Whatever guards the instruction: ptxas does not guard them.
void FunctionDecoder::spills() {
    for (const ptx::Spill& spill : local_accesses_->spills(at_)) {
        auto& detail = new_detail<MemoryDetail>();
        detail.kind = spill.is_load ? AccessKind::load : AccessKind::store;
        detail.bytes = spill.bytes;
        add_site(detail, AccessSpace::local, false, CacheOperator::standard);
        image_.sites.back().site.is_spill = true;
        detail.cost.issued = nullptr;
        Operation operation;
        operation.detail = &detail;
        operation.execute = execute_spill;
        blocks_.back().operations.push_back(operation);
    }
}

bool FunctionDecoder::memory(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    if (opcode == "ld" || opcode == "ldu") return load_or_store(instruction, true), true;
    if (opcode == "st") return load_or_store(instruction, false), true;
    return false;
}

void FunctionDecoder::load_or_store(const ptx::Instruction& instruction, bool is_load) {
    const ptx::Operand& place = instruction.operands[is_load ? 0 : 1];
    const ptx::Operand& at = instruction.operands[is_load ? 1 : 0];
    if (is_load && place.has_second) throw Refused{};
    Space space = space_of(instruction).value_or(Space::generic);
    const AddressForm form = address(at);
    auto& detail = new_detail<MemoryDetail>();
    detail.kind = is_load ? AccessKind::load : AccessKind::store;
    fill_in_elements(detail, place, type_of(instruction), is_load);
    detail.base = form.base;
    detail.base_is_64_bit = form.is_64_bit;
    detail.offset = form.offset;
    detail.is_frame_local = form.is_frame_local;
    Operation operation;
    operation.detail = &detail;
    if (space == Space::param) {
        const bool of_kernel =
            form.is_kernel_parameter || (source_.is_kernel && !form.is_parameter_of_call);
        if (of_kernel && !is_load) throw Refused{"kernel parameters cannot be written"};
        detail.instruction = at_;
        operation.execute = of_kernel ? execute_kernel_parameter : execute_parameter;
        if (of_kernel && detail.elements == 1 && detail.base == no_register) {
            operation.destination = detail.registers[0];
            emit_pure(operation);
        } else {
            emit(operation);
        }
        return;
    }
    const CacheOperator cache_operator = cache_operator_of(instruction);
    detail.is_release = has(instruction, "release");
    detail.is_strong = has(instruction, "volatile") || has(instruction, "relaxed") ||
                       has(instruction, "acquire") || has(instruction, "mmio") || detail.is_release;
    if (is_load && detail.is_strong && space != Space::shared && space != Space::local) {
        function_.traits.has_order_dependence = function_.traits.may_wait_for_blocks = true;
        detail.is_poll = true;
    }
    AccessSpace counted = AccessSpace::global;
    switch (space) {
        case Space::generic:
            operation.execute = execute_generic;
            detail.counts_generic_bytes = issued_->is_generic(at_);
            break;
        case Space::global:
            operation.execute = execute_global;
            break;
        case Space::shared:
            operation.execute = execute_shared;
            counted = AccessSpace::shared;
            break;
        case Space::local:
            operation.execute = execute_local;
            counted = AccessSpace::local;
            break;
        case Space::constant:
            operation.execute = execute_constant;
            counted = AccessSpace::constant;
            break;
        default:
            throw Refused{};
    }
    if (counted == AccessSpace::global || counted == AccessSpace::constant)
        use_array_address(detail);
    add_site(detail, counted, false, cache_operator);
    const bool is_whole = space == Space::global || space == Space::shared;
    if (is_whole && !detail.is_poll && detail.elements == 1) {
        const ptx::Operand& element = place.kind == OperandKind::vector ? place.elements[0] : place;
        const unsigned bytes =
            element.kind == OperandKind::reg ? register_bytes(element) : detail.element_bytes;
        const Handler faster = find_whole_warp_access(detail, bytes, space == Space::shared);
        if (faster != nullptr) operation.execute = faster;
    }
    emit(operation);
    if (has(instruction, "async")) complete_store(instruction, detail.bytes);
}

void FunctionDecoder::add_loop_load(AtomicDetail& atomic) {
    auto& load = new_detail<MemoryDetail>();
    load = atomic;
    load.kind = AccessKind::load;
    add_site(load, AccessSpace::shared, false, CacheOperator::standard);
    atomic.loop_load = &load;
    atomic.cost.bank_atomic = BankAtomic::spin;
}

bool FunctionDecoder::atomic(const ptx::Instruction& instruction) {
    const bool has_result = instruction.opcode == "atom";
    if (!has_result && instruction.opcode != "red") return false;
    static constexpr const char* names[] = {"add", "min",  "max", "and", "or",
                                            "xor", "exch", "cas", "inc", "dec"};
    const auto name =
        std::ranges::find_if(names, [&](const char* n) { return has(instruction, n); });
    if (name == std::end(names) || has(instruction, "async")) throw Refused{};
    std::string_view type_name = instruction.modifiers.back();
    for (const std::string& modifier : instruction.modifiers) {
        if (ptx::type_named(modifier) != ptx::Type::none) type_name = modifier;
    }
    const ptx::Type type = ptx::type_named(type_name);
    const std::size_t first = has_result ? 1 : 0;
    auto& detail = new_detail<AtomicDetail>();
    detail.kind = AccessKind::atomic;
    detail.apply = find_atomic(*name, type_name);
    if (detail.apply == nullptr) throw Refused{};
    const AddressForm form = address(instruction.operands[first]);
    detail.base = form.base;
    detail.base_is_64_bit = form.is_64_bit;
    detail.offset = form.offset;
    const unsigned bytes = ptx::bytes_of(type);
    const ptx::Operand& value = instruction.operands[instruction.operands.size() - 1];
    const ptx::Operand sink;
    const auto element = [](const ptx::Operand& operand, std::size_t i) -> const ptx::Operand& {
        return operand.kind == OperandKind::vector
                   ? operand.elements[i]
                   : operand;  // NOLINT(bugprone-return-const-ref-from-parameter): it outlives this
    };
    detail.element_bytes = static_cast<std::uint8_t>(bytes);
    detail.elements =
        static_cast<std::uint8_t>(value.kind == OperandKind::vector ? value.elements.size() : 1);
    if (detail.elements > max_elements) throw Refused{};
    detail.bytes = bytes * detail.elements;
    const bool reads_result = has_result && uses_.is_result_read(at_);
    detail.reads_result = reads_result;
    detail.is_floating = type_name.find('f') != std::string_view::npos;
    detail.overwrites = std::string_view(*name) == "exch" && !reads_result;
    detail.is_release = has(instruction, "release") || has(instruction, "acq_rel");
    for (std::size_t i = 0; i < detail.elements; ++i) {
        const ptx::Operand& result = has_result ? element(instruction.operands[0], i) : sink;
        detail.registers[i] = offset_of(result);
        detail.values[i] = as_register(element(value, i), bytes);
    }
    if (std::string_view(*name) == "cas") {
        detail.compare = as_register(instruction.operands[first + 1], bytes);
    }
    const Space space = space_of(instruction).value_or(Space::generic);
    Operation operation;
    operation.detail = &detail;
    operation.execute = space == Space::shared   ? execute_atomic_shared
                        : space == Space::global ? execute_atomic_global
                                                 : execute_atomic_generic;
    // The machine code's form: RED, unless the old value is used or the address is generic.
    const bool is_reduction = !reads_result && space != Space::generic &&
                              std::string_view(*name) != "cas" && std::string_view(*name) != "exch";
    if (space != Space::shared && reads_result) function_.traits.may_wait_for_blocks = true;
    if (space != Space::shared && (reads_result || depends_on_order(*name, type_name))) {
        function_.traits.has_order_dependence = true;
    }
    detail.cost.is_for_one_lane =
        issued_->is_for_one_lane(at_, reads_result) &&
        (space != Space::shared || has_shared_atomics(module_.architecture));
    const bool adds_one = std::string_view(*name) == "add" &&
                          value.kind == OperandKind::immediate && value.bits == 1 &&
                          type_name.ends_with("32") && type_name[0] != 'f';
    if (std::string_view(*name) == "cas") detail.cost.bank_atomic = BankAtomic::compare_and_swap;
    if (adds_one && !reads_result && has_shared_atomics(module_.architecture))
        detail.cost.bank_atomic = BankAtomic::count;
    if (space == Space::shared && has_shared_atomics(module_.architecture) &&
        is_loop_in_shared(*name, type_name))
        add_loop_load(detail);
    if (space != Space::shared) use_array_address(detail);
    add_site(detail, space == Space::shared ? AccessSpace::shared : AccessSpace::global,
             is_reduction, CacheOperator::standard);
    emit(operation);
    return true;
}

// cvta, isspacep: what a generic address means.
namespace {

std::uint64_t window_of(Space space) {
    return space == Space::shared ? shared_window : space == Space::local ? local_window : 0;
}

void is_in_space(Warp& warp, const Operation& operation) {
    const auto space = static_cast<Space>(operation.variant);
    const std::uint64_t* const addresses = warp.lanes<std::uint64_t>(operation.source[0]);
    std::uint32_t result = 0;
    for (int lane = 0; lane < warp_size; ++lane) {
        const Address address = addresses[lane];
        const bool shared = address - shared_window < window_bytes;
        const bool local = address - local_window < window_bytes;
        bool inside = !shared && !local;
        if (space == Space::shared) inside = shared;
        if (space == Space::local) inside = local;
        if (space == Space::constant || space == Space::param) {
            // The parameters and the variables of constant memory lie between other allocations.
            inside = context_of(warp).execution->is_constant(address);
        }
        result |= std::uint32_t{inside} << lane;
    }
    std::uint32_t& predicate = warp.predicate(operation.destination);
    predicate = (predicate & ~warp.mask) | (result & warp.mask);
}

}  // namespace

bool FunctionDecoder::address_arithmetic(const ptx::Instruction& instruction) {
    if (instruction.opcode == "isspacep") {
        Operation operation;
        operation.execute = is_in_space;
        operation.variant =
            static_cast<std::uint16_t>(space_of(instruction).value_or(Space::global));
        operation.destination = offset_of(instruction.operands[0]);
        operation.source[0] = as_register(instruction.operands[1], 8);
        emit(operation);
        return true;
    }
    if (instruction.opcode != "cvta") return false;
    const Space space = space_of(instruction).value_or(Space::global);
    std::uint64_t window = window_of(space);
    if (space == Space::param && source_.is_kernel) window = module_.parameter_buffer();
    ptx::Instruction as_sum = instruction;
    as_sum.opcode = has(instruction, "to") ? "sub" : "add";
    as_sum.modifiers = {"s64"};
    ptx::Operand immediate;
    immediate.kind = OperandKind::immediate;
    immediate.bits = window;
    immediate.literal = ptx::Type::s64;
    as_sum.operands.push_back(immediate);
    if (window == 0) {
        as_sum.opcode = "mov";
        as_sum.modifiers = {"b64"};
        as_sum.operands.pop_back();
    }
    return arithmetic(as_sum);
}

}  // namespace emulator::simt
