#include "emulator/runtime/api/errors.hpp"

#include <new>
#include <set>

#include "emulator/runtime/report/failures.hpp"
#include "emulator/simt/state/gpu.hpp"

namespace emulator::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
cudaError_t sticky = cudaSuccess;
// A fault becomes visible with the first call that reports it, as on a GPU that runs asynchronously.
bool sticky_was_reported = false;

}  // namespace

std::recursive_mutex& api_mutex() {
    static std::recursive_mutex& mutex = *new std::recursive_mutex;
    return mutex;
}

void set_sticky_error(cudaError_t code) {
    sticky = code;
    sticky_was_reported = false;
}
void clear_sticky_error() { sticky = cudaSuccess; }
cudaError_t sticky_error() { return sticky; }

cudaError_t remember(cudaError_t code) {
    if (code != cudaSuccess) last_error = code;
    if (code == sticky) sticky_was_reported = true;
    return code;
}

cudaError_t record(cudaError_t code) {
    const std::lock_guard lock(api_mutex());
    if (code != cudaSuccess && code != sticky) note_failure(code, "");
    return remember(code);
}

cudaError_t record_exception() noexcept {
    try {
        throw;
    } catch (const ApiError& error) {
        if (!error.why.empty()) print_error(error.why);
        // A fault of a kernel is in the report already.
        if (error.code != sticky) note_failure(error.code, error.why + error.detail);
        return remember(error.code);
    } catch (const simt::Unsupported& error) {
        // Programs launch the same kernel again and again.
        static std::set<std::string>& printed = *new std::set<std::string>;
        if (printed.insert(error.what()).second) print_error(error.what());
        return remember(cudaErrorNotSupported);  // the launch is in the report as failed
    } catch (const std::bad_alloc&) {
        return record(cudaErrorMemoryAllocation);
    } catch (const std::exception& error) {
        print_error(error.what());
        return record(cudaErrorUnknown);
    }
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaGetLastError() {
    const std::lock_guard lock(api_mutex());
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() {
    const std::lock_guard lock(api_mutex());
    const cudaError_t error = sticky != cudaSuccess && sticky_was_reported ? sticky : last_error;
    notice_failures(error);
    return error;
}

const char* cudaGetErrorName(cudaError_t error) {
    const std::lock_guard lock(api_mutex());
    notice_failures(error);
    return error_name(error);
}

const char* cudaGetErrorString(cudaError_t error) {
    const std::lock_guard lock(api_mutex());
    notice_failures(error);
    return error_text(error);
}
