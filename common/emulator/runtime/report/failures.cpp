#include "emulator/runtime/report/failures.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <array>
#include <map>
#include <string_view>

#include "emulator/runtime/report/settings.hpp"

namespace emulator::runtime {
namespace {

constexpr std::size_t max_callers = 8;

struct State {
    std::uint64_t failures = 0;
    std::map<std::uint64_t, cudaError_t> unnoticed;  // by number
};
State& state() {
    static State& result = *new State;
    return result;
}

struct Place {
    const void* file_begin = nullptr;
    std::uintptr_t in_file = 0;
    bool is_in_program = false;
    const char* symbol = nullptr;
};

Place place_of(void* return_address) {
    // The call itself is before the address to which it returns.
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map),
                RTLD_DL_LINKMAP) == 0)
        return {};
    // The program itself has no name in the list of what is loaded.
    const bool is_program = map != nullptr && map->l_name != nullptr && *map->l_name == '\0';
    return {info.dli_fbase, address - (map == nullptr ? 0 : map->l_addr), is_program,
            info.dli_sname};
}

// cudaMemcpy for cudaMemcpy_ptds and __cudaLaunchKernel alike: names as programs write them.
std::string plain_function(std::string_view symbol) {
    if (symbol.starts_with("__")) symbol.remove_prefix(2);
    for (const std::string_view suffix : {"_ptds", "_ptsz"}) {
        if (symbol.ends_with(suffix)) symbol.remove_suffix(suffix.size());
    }
    return std::string(symbol);
}

// The outermost function of this library, and who called it. The library is compiled so that a function is one piece
// and has a frame (../meson.build).
void find_callers(Failure& failure) {
    std::array<void*, 64> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    const void* const here = place_of(frames[0]).file_begin;
    for (int i = 0; i < count && failure.callers.size() < max_callers; ++i) {
        const Place place = place_of(frames[static_cast<std::size_t>(i)]);
        if (place.file_begin == here) {
            if (failure.callers.empty() && place.symbol != nullptr)
                failure.function = plain_function(place.symbol);
        } else if (place.is_in_program) {
            failure.callers.push_back(place.in_file);
        }
    }
}

}  // namespace

Failure call_at_hand() {
    Failure call;
    find_callers(call);
    return call;
}

void note_failure(cudaError_t code, const std::string& detail, const std::string& function) {
    Failure failure{.number = ++state().failures,
                    .code = code,
                    .detail = detail,
                    .function = "",
                    .callers = {}};
    state().unnoticed[failure.number] = code;
    find_callers(failure);
    if (!function.empty()) failure.function = function;
    report_failed_call(failure);
}

void note_host_hazard(const std::string& text) {
    if (!settings().options.check_hazards) return;
    report_hazard(text, call_at_hand());
}

void notice_failures(cudaError_t code) {
    std::erase_if(state().unnoticed, [&](const auto& entry) { return entry.second == code; });
}

std::vector<std::uint64_t> unnoticed_failures() {
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, code] : state().unnoticed) numbers.push_back(number);
    return numbers;
}

}  // namespace emulator::runtime
