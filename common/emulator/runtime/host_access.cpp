#include "emulator/runtime/host_access.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "emulator/device_memory.hpp"
#include "emulator/runtime/allocations.hpp"
#include "emulator/runtime/device_properties.hpp"

namespace emulator::runtime {
namespace {

bool managed_is_closed = false;
struct sigaction action_before;

// Of the host's code: the process ends here, so that what is not safe in other handlers does no harm.
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

void on_fault(int, siginfo_t* info, void*) {
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

void close_managed_memory() {
    if (managed_is_closed || device_attribute(cudaDevAttrConcurrentManagedAccess) != 0) return;
    managed_is_closed = true;
    set_managed_access(HostAccess::none);
}

void open_managed_memory() {
    if (!managed_is_closed) return;
    managed_is_closed = false;
    set_managed_access(HostAccess::allowed);
}

}  // namespace emulator::runtime
