// Makes one system call of a process tree fail, or ends the tree there: LD_PRELOAD=fault.so, with
//   FAULT_COUNTER  a file of 8 bytes that all processes count in
//   FAULT_AT       the number of the call at which it happens; 0 only counts
//   FAULT_KIND     ENOSPC, EROFS, EDQUOT, EIO: the call fails so; KILL: the process group is killed
// Counted are writes to files (not to terminals and pipes), renames, fsyncs, files opened to be
// written, and programs started.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic unsigned long* counter;
static unsigned long at;
static int error;

__attribute__((constructor)) static void begin(void) {
    const char* path = getenv("FAULT_COUNTER");
    const char* kind = getenv("FAULT_KIND");
    if (!path || !kind || !getenv("FAULT_AT")) return;
    at = strtoul(getenv("FAULT_AT"), NULL, 10);
    error = !strcmp(kind, "ENOSPC")   ? ENOSPC
            : !strcmp(kind, "EROFS")  ? EROFS
            : !strcmp(kind, "EDQUOT") ? EDQUOT
            : !strcmp(kind, "EIO")    ? EIO
                                      : 0;
    int (*real_open)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
    const int file = real_open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void* shared = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED) counter = shared;
}

// Whether this call is the one that fails; errno is set then.
static int fails(void) {
    if (!counter || atomic_fetch_add(counter, 1) + 1 != at) return 0;
    if (!error) kill(0, SIGKILL);
    errno = error;
    return 1;
}

static int is_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (counter && is_file(descriptor) && fails()) return -1;
    return real(descriptor, bytes, size);
}

// SQLite's.
#define PWRITE(name, offset_type)                                                                 \
    ssize_t name(int descriptor, const void* bytes, size_t size, offset_type offset) {            \
        static ssize_t (*real)(int, const void*, size_t, offset_type);                            \
        if (!real) real = dlsym(RTLD_NEXT, #name);                                                \
        return counter && is_file(descriptor) && fails() ? -1                                     \
                                                         : real(descriptor, bytes, size, offset); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    return fails() ? -1 : real(from, to);
}

#define SYNC(name)                                 \
    int name(int descriptor) {                     \
        static int (*real)(int);                   \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        return fails() ? -1 : real(descriptor);    \
    }
SYNC(fsync)
SYNC(fdatasync)

static int opens_to_write(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }

#define OPEN(name)                                       \
    int name(const char* path, int flags, ...) {         \
        static int (*real)(const char*, int, ...);       \
        if (!real) real = dlsym(RTLD_NEXT, #name);       \
        va_list rest;                                    \
        va_start(rest, flags);                           \
        const mode_t mode = va_arg(rest, mode_t);        \
        va_end(rest);                                    \
        if (opens_to_write(flags) && fails()) return -1; \
        return real(path, flags, mode);                  \
    }
OPEN(open)
OPEN(open64)

int execve(const char* path, char* const arguments[], char* const environment[]) {
    static int (*real)(const char*, char* const[], char* const[]);
    if (!real) real = dlsym(RTLD_NEXT, "execve");
    return fails() ? -1 : real(path, arguments, environment);
}
