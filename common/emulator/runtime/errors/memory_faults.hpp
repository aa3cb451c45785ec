// Wrong pointers of a program: where following one faults, the API function ends with cudaErrorInvalidValue and one
// line, and the process goes on.
#pragma once

#include <csetjmp>
#include <string>

namespace emulator::runtime {

// While it lives, a fault of this thread jumps to `place`, where sigsetjmp returns again. What was constructed since
// then is not destroyed, so locks belong into the frame of the scope.
class FaultScope {
  public:
    FaultScope();
    ~FaultScope();
    FaultScope(const FaultScope&) = delete;
    FaultScope& operator=(const FaultScope&) = delete;

    // After a jump: one line about it.
    std::string reason(const char* function) const;

    sigjmp_buf place;

  private:
    friend class ProgramsCode;
    friend struct FaultHandler;
    FaultScope* const outer_;
    const void* address_ = nullptr;
    bool is_programs_code_ = false;
};

// While it lives, a function of the program is executed, whose faults are its own: only the jump to it is not.
class ProgramsCode {
  public:
    // Throws ApiError where there is no function.
    template <class... Arguments>
    explicit ProgramsCode(void (*function)(Arguments...))
        : ProgramsCode(reinterpret_cast<const void*>(function)) {}
    ~ProgramsCode();
    ProgramsCode(const ProgramsCode&) = delete;
    ProgramsCode& operator=(const ProgramsCode&) = delete;

  private:
    explicit ProgramsCode(const void* function);
};

}  // namespace emulator::runtime
