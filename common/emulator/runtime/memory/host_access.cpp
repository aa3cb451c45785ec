#include "emulator/runtime/memory/host_access.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/memory/written_bytes.hpp"
#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/runtime/report/report.hpp"

namespace emulator::runtime {
namespace {

bool managed_is_closed = false;

// By launches that the host has not waited for, where hazards are checked.
WrittenBytes& written() {
    static WrittenBytes& result = *new WrittenBytes;
    return result;
}

bool has_page_faults() { return device_attribute(cudaDevAttrConcurrentManagedAccess) != 0; }

struct sigaction action_before;

// The process ends behind it, so calls that are not safe in other signal handlers do no harm.
void explain(const void* address) {
    const auto place = reinterpret_cast<Address>(address);
    const auto allocation = allocation_at_or_below(place);
    const bool is_inside = allocation && place < allocation->end();
    char where[128] = "no allocation";
    if (is_inside)
        std::snprintf(where, sizeof where, "byte %zu of an allocation of %zu bytes at %p",
                      static_cast<std::size_t>(place - allocation->begin), allocation->bytes,
                      reinterpret_cast<void*>(allocation->begin));
    const auto memory = memory_at(address);
    const bool is_managed = memory && memory->kind == MemoryKind::managed;
    const char* const what = is_managed ? "managed memory that a kernel may still use"
                                        : "memory of the GPU, which the host cannot access";
    const char* const remedy =
        is_managed ? "call cudaDeviceSynchronize() first; GPUs before Pascal need it"
                   : "copy it with cudaMemcpy, or use cudaMallocManaged";
    char line[512];
    const int length = std::snprintf(
        line, sizeof line, "emulated GPU: error: host code dereferences %p: %s (%s); %s\n", address,
        what, where, remedy);
    if (length > 0 && write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) return;
}

// Whether the access may go on: a GPU would let it. A fault in the program's code, where no lock of ours is held.
bool is_let_go_on(const void* address) {
    if (!managed_is_closed || !has_page_faults()) return false;
    const auto memory = memory_at(address);
    if (!memory || memory->kind != MemoryKind::managed) return false;
    const auto place = reinterpret_cast<Address>(address);
    if (written().contains(place)) {
        Failure call = call_at_hand();
        call.function = "host code";
        report_hazard(
            "accesses byte " + std::to_string(place - reinterpret_cast<Address>(memory->begin)) +
                " of " + std::to_string(memory->bytes) +
                " bytes of managed memory, which a kernel writes that the program has not "
                "waited for (cudaDeviceSynchronize)",
            call);
    }
    set_host_access(memory->begin, HostAccess::allowed);
    return true;
}

void on_fault(int, siginfo_t* info, void*) {
    if (is_let_go_on(info->si_addr)) return;
    // Afterwards the access faults again, with the program's own handler or none.
    sigaction(SIGSEGV, &action_before, nullptr);
    if (in_device_memory(reinterpret_cast<Address>(info->si_addr))) explain(info->si_addr);
}

[[gnu::constructor]] void catch_faults() {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &action_before);
}

}  // namespace

void close_managed_memory(const simt::LaunchRecord& record) {
    if (!has_page_faults()) {
        if (!managed_is_closed) set_managed_access(HostAccess::none);
        managed_is_closed = true;
    } else if (record.written != nullptr) {
        written().merge(*record.written);
        for (const Memory& memory : managed_memory()) {
            const auto begin = reinterpret_cast<Address>(memory.begin);
            if (memory.flags != cudaMemAttachGlobal ||
                record.written->sectors.lines_between(begin, begin + memory.bytes) == 0)
                continue;
            set_host_access(memory.begin, HostAccess::none);
            managed_is_closed = true;
        }
    }
}

void open_managed_memory() {
    if (!managed_is_closed) return;
    managed_is_closed = false;
    written() = {};
    set_managed_access(HostAccess::allowed);
}

}  // namespace emulator::runtime
