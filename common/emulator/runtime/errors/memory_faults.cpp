#include "emulator/runtime/errors/memory_faults.hpp"

#include <ucontext.h>

#include <array>
#include <csignal>
#include <sstream>

#include "emulator/memory/mapped_memory.hpp"
#include "emulator/runtime/errors/api_error.hpp"

namespace emulator::runtime {
namespace {

// In the memory that each thread gets at its start: a signal handler must not allocate it.
[[gnu::tls_model("initial-exec")]] thread_local FaultScope* innermost = nullptr;

constexpr std::array signals{SIGSEGV, SIGBUS};
std::array<struct sigaction, signals.size()> handlers_before;

const void* program_counter(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(machine.pc);
#else
    (void)machine;
    return nullptr;
#endif
}

void handle_as_before(int signal, siginfo_t* info, void* context) {
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (signals[i] != signal) continue;
        const struct sigaction& before = handlers_before[i];
        if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
        if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
            return before.sa_handler(signal);
        // The instruction that faulted is executed again, and ends the process.
        sigaction(signal, &before, nullptr);
    }
}

}  // namespace

struct FaultHandler {
    static void handle(int signal, siginfo_t* info, void* context) {
        FaultScope* const scope = innermost;
        const bool is_jump = program_counter(context) == info->si_addr;
        if (scope == nullptr || (scope->is_programs_code_ && !is_jump))
            return handle_as_before(signal, info, context);
        scope->address_ = info->si_addr;
        siglongjmp(scope->place, 1);
    }

    // Once. SA_NODEFER: the jump does not return from the handler, so the signal must not stay blocked.
    static bool install() {
        struct sigaction action{};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        for (std::size_t i = 0; i < signals.size(); ++i)
            sigaction(signals[i], &action, &handlers_before[i]);
        return true;
    }
};

FaultScope::FaultScope() : outer_(innermost) {
    [[maybe_unused]] static const bool is_installed = FaultHandler::install();
    innermost = this;
}

FaultScope::~FaultScope() { innermost = outer_; }

std::string FaultScope::reason(const char* function) const {
    std::ostringstream text;
    text << function << ": a pointer leads to memory that this process does not have, at "
         << address_;
    return text.str();
}

// An address that no process can have faults before the jump.
ProgramsCode::ProgramsCode(const void* function) {
    require(is_mapped(function, 1));
    innermost->is_programs_code_ = true;
}

ProgramsCode::~ProgramsCode() { innermost->is_programs_code_ = false; }

}  // namespace emulator::runtime
