// Calls functions of libcudart with hostile arguments, each call in a process of its own.
//
//     hostile_arguments LIBRARY FUNCTION…
//
// Prints a line for each call that ends in a signal, and the number of calls. NVIDIA's names are called through one
// type: what a function takes as pointer, size, handle or enumeration gets the same bits.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Word = std::uint64_t;
using Arguments = std::array<Word, 14>;
using Function = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                          Word, Word);

constexpr unsigned kinds = 40, mixed_kinds = 12, values = kinds - mixed_kinds;

Word value_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

[[noreturn]] void give_up(const char* name, const char* why) {
    std::fprintf(stderr, "%s %s\n", name, why);
    std::exit(2);
}

Function find(void* library, const char* name) {
    void* const address = dlsym(library, name);
    if (address == nullptr) give_up(name, "is not exported");
    return reinterpret_cast<Function>(address);
}

Word call(Function function, const Arguments& a) {
    return function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                    a[13]);
}

// What a call of the library puts into its first argument: a handle, or an address.
Word made_by(void* library, const char* name, Word second) {
    static Word made;
    if (call(find(library, name), {value_of(&made), second}) != 0) give_up(name, "fails");
    return made;
}

char* pages(std::size_t bytes, int access) {
    void* const memory = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) give_up("mmap", "fails");
    return static_cast<char*>(memory);
}

std::array<Word, values> hostile_values(void* library) {
    static char zeros[1 << 16], ones[1 << 16], text[] = "not a handle";
    std::memset(ones, 0xff, sizeof ones);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    char* const before_guard = pages(2 * page, PROT_READ | PROT_WRITE);
    mprotect(before_guard + page, page, PROT_NONE);
    const Word device = made_by(library, "cudaMalloc", 4096);
    const Word freed = made_by(library, "cudaMalloc", 4096);
    call(find(library, "cudaFree"), {freed});
    const Word most = UINT64_MAX;
    return {0,
            1,
            2,
            3,
            7,
            most,
            most - 1,
            INT32_MAX,
            static_cast<Word>(INT32_MIN),
            UINT32_MAX,
            Word{1} << 32,
            Word{1} << 40,
            Word{1} << 62,
            Word{1} << 63,
            0xdeadbeef,
            0x123456789abcdef0,
            value_of(zeros),
            value_of(ones),
            value_of(ones + 1),
            value_of(text),
            value_of(before_guard + page - 1),
            value_of(pages(page, PROT_NONE)),
            value_of(pages(page, PROT_READ)),
            device,
            device + 4095,
            freed,
            made_by(library, "cudaStreamCreate", 0),
            made_by(library, "cudaGraphCreate", 0)};
}

// The first kinds have one value everywhere, the others a pseudo-random mix of them.
Arguments arguments_of(unsigned kind, const std::array<Word, values>& value) {
    Arguments result{};
    Word state = kind;
    for (Word& argument : result) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        argument = value[kind < values ? kind : (state >> 33) % values];
    }
    return result;
}

// The signal that ends the call, or 0.
int try_call(Function function, const Arguments& arguments) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        const rlimit cpu_seconds = {20, 20};  // a call that does not return
        setrlimit(RLIMIT_CPU, &cpu_seconds);
        const rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        call(function, arguments);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) give_up("fork", "fails");
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

int main(int argc, char** argv) {
    void* const library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : nullptr;
    if (library == nullptr) give_up("usage:", "hostile_arguments LIBRARY FUNCTION...");
    const std::array<Word, values> value = hostile_values(library);
    unsigned calls = 0, crashes = 0;
    for (int i = 2; i < argc; ++i) {
        const Function function = find(library, argv[i]);
        for (unsigned kind = 0; kind < kinds; ++kind, ++calls) {
            const int signal = try_call(function, arguments_of(kind, value));
            if (signal == 0) continue;
            ++crashes;
            std::printf("%s, kind %u: %s\n", argv[i], kind, strsignal(signal));
        }
    }
    std::printf("%u calls, %u end in a signal\n", calls, crashes);
    return crashes == 0 ? 0 : 1;
}
