#include "emulator/simt/warp/builtin_functions.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "emulator/memory/device_memory.hpp"
#include "emulator/simt/state/launch.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

// Longer texts are taken for a pointer to something else.
constexpr std::size_t max_text = 64 * 1024;

const CallDetail& call_of(const Operation& operation) {
    return *static_cast<const CallDetail*>(operation.detail);
}

template <class T>
T argument(WarpContext& context, const Operation& operation, std::size_t number, int lane) {
    return load_interleaved<T>(context.frame->parameters, call_of(operation).arguments[number],
                               lane);
}

template <class T>
void set_result(WarpContext& context, const Operation& operation, int lane, T value) {
    if (call_of(operation).results.empty()) return;
    store_interleaved(context.frame->parameters, call_of(operation).results[0], lane, value);
}

// Bytes at a generic address, as the lane sees them; false where there are none.
bool read_bytes(WarpContext& context, Address address, int lane, void* to, std::size_t bytes) {
    auto* const bytes_to = static_cast<std::byte*>(to);
    if (address - local_window < window_bytes) {
        const Address offset = address - local_window;
        if (offset + bytes > context.warp->local.bytes_per_thread()) return false;
        for (std::size_t i = 0; i < bytes; ++i) {
            bytes_to[i] = load_interleaved<std::byte>(context.warp->local.data(),
                                                      static_cast<std::uint32_t>(offset + i), lane);
        }
        return true;
    }
    if (address - shared_window < window_bytes) {
        const Address offset = address - shared_window;
        if (offset + bytes > context.shared_bytes) return false;
        std::memcpy(to, context.shared + offset, bytes);
        return true;
    }
    const Allocation* const allocation = context.execution->find_allocation(address);
    if (allocation == nullptr || address + bytes > allocation->end()) return false;
    std::memcpy(to, storage_of(address), bytes);
    return true;
}

std::string read_text(WarpContext& context, Address address, int lane) {
    std::string text;
    for (char c;
         text.size() < max_text && read_bytes(context, address + text.size(), lane, &c, 1);) {
        if (c == 0) return text;
        text += c;
    }
    return text;
}

// ---- printf --------------------------------------------------------------------------------------

// The arguments lie one behind the other, each aligned to its size.
class PrintedArguments {
  public:
    PrintedArguments(WarpContext& context, Address at, int lane)
        : context_(context), begin_(at), lane_(lane) {}
    template <class T>
    T next() {
        at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
        T value{};
        (void)read_bytes(context_, begin_ + at_, lane_, &value, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

  private:
    WarpContext& context_;
    Address begin_, at_ = 0;
    int lane_;
};

template <class... Values>
std::string formatted(const std::string& specification, Values... values) {
    std::array<char, 512> text;
    const int length = std::snprintf(text.data(), text.size(), specification.c_str(), values...);
    if (length < 0) return specification;
    if (static_cast<std::size_t>(length) < text.size()) {
        return {text.data(), static_cast<std::size_t>(length)};
    }
    std::string longer(static_cast<std::size_t>(length), ' ');
    std::snprintf(longer.data(), longer.size() + 1, specification.c_str(), values...);
    return longer;
}

// One conversion, from behind the '%' on: consumed from `format`.
std::string convert(WarpContext& context, const std::string& format, std::size_t& at,
                    PrintedArguments& arguments, int lane) {
    std::string flags = "%";
    for (; at < format.size() && std::strchr("-+ #0123456789.*", format[at]) != nullptr; ++at) {
        if (format[at] == '*') {
            flags += std::to_string(arguments.next<std::int32_t>());
        } else {
            flags += format[at];
        }
    }
    unsigned longs = 0;
    for (; at < format.size() && std::strchr("hlLqjzt", format[at]) != nullptr; ++at) {
        longs += format[at] != 'h' ? 1 : 0;
    }
    if (at == format.size()) return flags;
    const char conversion = format[at++];
    switch (conversion) {
        case '%':
            return "%";
        case 'd':
        case 'i':
            if (longs != 0) return formatted(flags + "lld", arguments.next<long long>());
            return formatted(flags + "d", arguments.next<std::int32_t>());
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (longs != 0) {
                return formatted(flags + "ll" + conversion, arguments.next<unsigned long long>());
            }
            return formatted(flags + conversion, arguments.next<std::uint32_t>());
        case 'c':
            return formatted(flags + "c", arguments.next<std::int32_t>());
        case 'p':
            return formatted(flags + "p", reinterpret_cast<void*>(arguments.next<Address>()));
        case 's': {
            const std::string text = read_text(context, arguments.next<Address>(), lane);
            return formatted(flags + "s", text.c_str());
        }
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A':
            return formatted(flags + conversion, arguments.next<double>());
        default:
            return flags + conversion;
    }
}

void print(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::string format =
            read_text(context, argument<Address>(context, operation, 0, lane), lane);
        PrintedArguments arguments(context, argument<Address>(context, operation, 1, lane), lane);
        std::int32_t converted = 0;
        std::string& to = context.block->printed;
        for (std::size_t at = 0; at < format.size();) {
            const char c = format[at++];
            if (c != '%') {
                to += c;
                continue;
            }
            to += convert(context, format, at, arguments, lane);
            ++converted;
        }
        set_result(context, operation, lane, converted);
    }
}

// ---- the others ----------------------------------------------------------------------------------

void fail_assertion(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    const int lane = std::countr_zero(warp.mask);
    const std::string message =
        read_text(context, argument<Address>(context, operation, 0, lane), lane);
    const std::string file =
        read_text(context, argument<Address>(context, operation, 1, lane), lane);
    const auto line = argument<std::uint32_t>(context, operation, 2, lane);
    throw fault_at(
        context, FaultKind::assertion, call_of(operation).instruction, lane,
        "assertion `" + message + "` failed (" + file + ":" + std::to_string(line) + ")");
}

// Once in a launch. Programs that do not look at the result fault next, at a null pointer.
void note_full_heap(Execution& execution, std::uint64_t bytes, std::size_t heap_bytes) {
    const Launch& launch = execution.launch;
    if (std::exchange(execution.heap_is_full, true) || !launch.options.say) return;
    launch.options.say("kernel " + launch.kernel_name + ": malloc(" + std::to_string(bytes) +
                       ") returns null: the heap of " + std::to_string(heap_bytes) +
                       " bytes is full (cudaDeviceSetLimit(cudaLimitMallocHeapSize) enlarges it)");
}

void allocate(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto bytes = argument<std::uint64_t>(context, operation, 0, lane);
        const std::size_t heap_bytes = context.execution->launch.options.heap_bytes;
        void* const memory = bytes == 0 ? nullptr : allocate_on_heap(bytes, heap_bytes);
        if (memory == nullptr && bytes != 0) note_full_heap(*context.execution, bytes, heap_bytes);
        set_result(context, operation, lane, reinterpret_cast<Address>(memory));
    }
}

void release(Warp& warp, const Operation& operation) {
    WarpContext& context = context_of(warp);
    for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto address = argument<Address>(context, operation, 0, lane);
        if (address == 0) continue;
        try {
            release_on_heap(reinterpret_cast<void*>(address));
        } catch (const std::invalid_argument&) {
            throw fault_at(context, FaultKind::illegal_address, call_of(operation).instruction,
                           lane, "frees a pointer that no malloc() of a kernel returned");
        }
        context.execution->forget_allocations();
    }
}

}  // namespace

BuiltinFunction find_builtin_function(const std::string& name) {
    if (name == "vprintf") return {print, false};
    if (name == "__assertfail") return {fail_assertion, false};
    if (name == "malloc") return {allocate, true};
    if (name == "free") return {release, true};
    return {};
}

}  // namespace emulator::simt
