#include "timing/reorder.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace timing {
namespace {

using Index = std::uint32_t;
constexpr Index nothing = 0xffffffffu;

// Which instructions have to come before which.
class Dependences {
  public:
    explicit Dependences(const std::vector<Instruction>& block)
        : after(block.size()), before(block.size()), read(block.size()), readers(block.size()) {
        for (Index i = 0; i < block.size(); ++i) {
            note_registers(block[i], i);
            note_memory(block[i], i);
        }
    }
    std::vector<std::vector<Index>> after, before;
    std::vector<std::vector<Index>> read;  // which makes what is read
    std::vector<unsigned> readers;         // of what each one makes

  private:
    void order(Index first, Index second) {
        if (first == nothing || first == second) return;
        after[first].push_back(second);
        before[second].push_back(first);
    }
    void note_registers(const Instruction& instruction, Index i) {
        for (const Register each : instruction.sources) {
            Value& value = values_.try_emplace(each).first->second;
            order(value.maker, i);
            value.users.push_back(i);
            if (value.maker == nothing) continue;
            read[i].push_back(value.maker);
            ++readers[value.maker];
        }
        for (const Register each : instruction.destinations) {
            Value& value = values_.try_emplace(each).first->second;
            order(value.maker, i);
            for (const Index user : value.users) order(user, i);
            value = {i, {}};
        }
    }
    // Loads do not pass stores to the same space, nor anything a fence.
    void note_memory(const Instruction& instruction, Index i) {
        if (instruction.orders_memory) {
            for (auto& [space, memory] : memories_) {
                order(memory.writer, i);
                for (const Index reader : memory.readers) order(reader, i);
                memory = {};
            }
            fence_ = i;
            return;
        }
        if (!instruction.reads_memory && !instruction.writes_memory) return;
        order(fence_, i);
        Memory& memory = memories_[instruction.space];
        order(memory.writer, i);
        if (!instruction.writes_memory) {
            memory.readers.push_back(i);
            return;
        }
        for (const Index reader : memory.readers) order(reader, i);
        memory = {i, {}};
    }

    struct Value {
        Index maker = nothing;
        std::vector<Index> users;
    };
    struct Memory {
        Index writer = nothing;
        std::vector<Index> readers;
    };
    std::unordered_map<Register, Value> values_;
    std::unordered_map<Space, Memory> memories_;
    Index fence_ = nothing;
};

bool is_load(const Instruction& instruction) {
    return instruction.unit == Unit::memory && instruction.reads_memory &&
           !instruction.writes_memory && !instruction.destinations.empty();
}

// 0: a load from global memory or what one needs; 1: the same of shared memory; 2: all others.
std::vector<std::uint8_t> classes_of(const std::vector<Instruction>& block,
                                     const Dependences& dependences) {
    std::vector<std::uint8_t> classes(block.size(), 2);
    for (std::size_t i = block.size(); i-- > 0;) {
        if (is_load(block[i]))
            classes[i] = std::min<std::uint8_t>(classes[i], block[i].space == Space::shared);
        for (const Index each : dependences.before[i])
            classes[each] = std::min(classes[each], classes[i]);
    }
    return classes;
}

std::vector<Instruction> reorder_freely(std::vector<Instruction> block, unsigned free_registers) {
    const Dependences dependences(block);
    const std::vector<std::uint8_t> classes = classes_of(block, dependences);
    using Candidate = std::pair<std::uint8_t, Index>;
    using Queue = std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>>;
    Queue loads, others;
    std::vector<std::size_t> missing(block.size());
    std::vector<unsigned> readers_left = dependences.readers;
    const auto offer = [&](Index i) { (is_load(block[i]) ? loads : others).push({classes[i], i}); };
    for (Index i = 0; i < block.size(); ++i) {
        missing[i] = dependences.before[i].size();
        if (missing[i] == 0) offer(i);
    }
    std::vector<Index> order;
    std::size_t held = 0;  // registers of loads that something has still to use
    while (order.size() < block.size()) {
        const bool has_room =
            !loads.empty() && held + block[loads.top().second].destinations.size() <=
                                  std::max<std::size_t>(free_registers, 1);
        const bool takes_load = others.empty() || (has_room && loads.top() < others.top());
        Queue& from = takes_load ? loads : others;
        const Index next = from.top().second;
        from.pop();
        if (is_load(block[next]) && readers_left[next] > 0) held += block[next].destinations.size();
        for (const Index each : dependences.read[next]) {
            if (--readers_left[each] == 0 && is_load(block[each]))
                held -= std::min(held, block[each].destinations.size());
        }
        for (const Index each : dependences.after[next]) {
            if (--missing[each] == 0) offer(each);
        }
        order.push_back(next);
    }
    std::vector<Instruction> ordered;
    ordered.reserve(order.size());
    for (const Index each : order) ordered.push_back(std::move(block[each]));
    return ordered;
}

}  // namespace

Register rename(std::vector<Instruction>& block, Register first_free) {
    std::unordered_map<Register, unsigned> definitions_left;
    for (const Instruction& instruction : block) {
        for (const Register each : instruction.destinations) ++definitions_left[each];
    }
    std::unordered_map<Register, Register> now_in;
    for (Instruction& instruction : block) {
        for (Register& each : instruction.sources) {
            const auto found = now_in.find(each);
            if (found != now_in.end()) each = found->second;
        }
        for (Register& each : instruction.destinations) {
            const bool is_last = --definitions_left[each] == 0;
            const Register place = is_last ? each : first_free++;
            now_in[each] = place;
            each = place;
        }
    }
    return first_free;
}

// What stands between two readings of a clock is what a program wants to time.
std::vector<Instruction> reorder(std::vector<Instruction> block, unsigned free_registers) {
    std::vector<Instruction> ordered;
    ordered.reserve(block.size());
    for (auto begin = block.begin(); begin != block.end();) {
        const auto clock = std::find_if(begin, block.end(), std::mem_fn(&Instruction::reads_clock));
        for (Instruction& each : reorder_freely({begin, clock}, free_registers))
            ordered.push_back(std::move(each));
        begin = clock;
        if (clock != block.end()) ordered.push_back(std::move(*begin++));
    }
    return ordered;
}

}  // namespace timing
