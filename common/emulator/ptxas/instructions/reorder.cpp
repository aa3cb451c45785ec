#include "emulator/ptxas/instructions/reorder.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace timing {
namespace {

using Index = std::uint32_t;
constexpr Index nothing = 0xffffffffu;

bool is_load(const Instruction& instruction) {
    return instruction.unit == Unit::memory && instruction.reads_memory &&
           !instruction.writes_memory && !instruction.destinations.empty();
}

std::ptrdiff_t registers_of(const Instruction& load) {
    return static_cast<std::ptrdiff_t>(load.destinations.size());
}

// The instructions that have to come before each instruction.
class DependenceGraph {
  public:
    explicit DependenceGraph(const std::vector<Instruction>& block)
        : after(block.size()),
          before(block.size()),
          read(block.size()),
          readers(block.size()),
          replaces(block.size()) {
        for (Index i = 0; i < block.size(); ++i) {
            note_registers(block[i], i);
            note_memory(block[i], i);
        }
    }
    std::vector<std::vector<Index>> after, before;
    std::vector<std::vector<Index>> read;  // which makes what is read
    std::vector<unsigned> readers;         // of what each one makes
    // Those that read a value from before the block, which a load or a move in the block replaces: by value.
    std::vector<std::vector<Index>> last_readers;
    std::vector<bool> replaces;  // a value from before the block, by what it loads

  private:
    void order(Index first, Index second) {
        if (first == nothing || first == second) return;
        after[first].push_back(second);
        before[second].push_back(first);
    }
    void note_registers(const Instruction& instruction, Index i) {
        for (const Register each : instruction.sources) {
            Value& value = values_.try_emplace(each).first->second;
            order(value.definition, i);
            value.users.push_back(i);
            if (value.definition == nothing) continue;
            read[i].push_back(value.definition);
            ++readers[value.definition];
        }
        for (const Register each : instruction.destinations) {
            Value& value = values_.try_emplace(each).first->second;
            order(value.definition, i);
            for (const Index user : value.users) order(user, i);
            if (value.definition == nothing && !value.users.empty() &&
                (is_load(instruction) || instruction.moves)) {
                last_readers.push_back(std::move(value.users));
                replaces[i] = is_load(instruction);
            }
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
        Index definition = nothing;
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

// 0: a load from global memory or what one needs; 1: the same of shared memory; 2: all others.
std::vector<std::uint8_t> classes_of(const std::vector<Instruction>& block,
                                     const DependenceGraph& dependences) {
    std::vector<std::uint8_t> classes(block.size(), 2);
    for (std::size_t i = block.size(); i-- > 0;) {
        if (is_load(block[i]))
            classes[i] = std::min<std::uint8_t>(classes[i], block[i].space == Space::shared);
        for (const Index each : dependences.before[i])
            classes[each] = std::min(classes[each], classes[i]);
    }
    return classes;
}

class ListScheduler {
  public:
    ListScheduler(const std::vector<Instruction>& block, unsigned free_registers)
        : block_(block),
          dependences_(block),
          classes_(classes_of(block, dependences_)),
          room_(std::max<std::ptrdiff_t>(free_registers, 1)),
          missing_(block.size()),
          readers_left_(dependences_.readers),
          values_read_(block.size()) {
        for (const std::vector<Index>& readers : dependences_.last_readers) {
            for (const Index each : readers) values_read_[each].push_back(values_left_.size());
            values_left_.push_back(readers.size());
        }
        for (Index i = 0; i < block.size(); ++i) {
            missing_[i] = dependences_.before[i].size();
            if (missing_[i] == 0) offer(i);
        }
    }
    std::vector<Index> order() {
        while (order_.size() < block_.size()) place(next());
        return std::move(order_);
    }

  private:
    template <class T>
    using Queue = std::priority_queue<T, std::vector<T>, std::greater<>>;
    using Candidate = std::pair<std::uint8_t, Index>;  // class first

    void offer(Index i) {
        if (is_load(block_[i])) {
            loads_.push({classes_[i], i});
        } else if (classes_[i] < 2) {
            addresses_.push({classes_[i], i});
        } else {
            others_.push(i);
        }
    }
    template <class T>
    static Index take(Queue<T>& from) {
        const T first = from.top();
        from.pop();
        if constexpr (std::is_same_v<T, Index>)
            return first;
        else
            return first.second;
    }

    bool has_room() const {
        const std::ptrdiff_t wanted =
            loads_.empty() ? 1 : registers_of(block_[loads_.top().second]);
        return held_ + wanted <= room_;
    }
    // Loads and their addresses while there are registers for more; then what uses what has been loaded.
    Index next() {
        const bool has_address =
            !addresses_.empty() && (loads_.empty() || addresses_.top() < loads_.top());
        if (has_room()) {
            if (has_address) return take(addresses_);
            if (!loads_.empty()) return take(loads_);
        }
        if (!others_.empty()) return take(others_);
        return has_address ? take(addresses_) : take(loads_);
    }

    void place(Index next) {
        const Instruction& instruction = block_[next];
        order_.push_back(next);
        if (is_load(instruction) && (readers_left_[next] > 0 || dependences_.replaces[next]))
            held_ += registers_of(instruction);
        for (const Index each : dependences_.read[next]) {
            if (--readers_left_[each] == 0 && is_load(block_[each]) && !instruction.moves)
                held_ -= registers_of(block_[each]);
        }
        for (const std::size_t each : values_read_[next]) {
            if (--values_left_[each] == 0) --held_;
        }
        for (const Index each : dependences_.after[next]) {
            if (--missing_[each] == 0) offer(each);
        }
    }

    const std::vector<Instruction>& block_;
    const DependenceGraph dependences_;
    const std::vector<std::uint8_t> classes_;
    const std::ptrdiff_t room_;
    // Registers of loads that something has still to use, less those of values from before that nothing uses any more.
    std::ptrdiff_t held_ = 0;
    std::vector<std::size_t> missing_;  // that have to come before
    std::vector<unsigned> readers_left_;
    std::vector<std::size_t> values_left_;  // readers of a value from before
    std::vector<std::vector<std::size_t>> values_read_;
    Queue<Candidate> loads_, addresses_;
    Queue<Index> others_;
    std::vector<Index> order_;
};

std::vector<Instruction> reorder_freely(std::vector<Instruction> block, unsigned free_registers) {
    const std::vector<Index> order = ListScheduler(block, free_registers).order();
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

// Instructions between two readings of a clock are what a program wants to time.
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
