// Ordinary CUDA, one launch a name: what a GPU's profiler counts for each launch is compared with
// what the emulated GPU counts for it.
//
//     ordinary_cuda            every launch, in a fixed order; prints "name hash exact|rounded"
//     ordinary_cuda TEXT...    only launches with one of these texts in their names
//
// The k-th line printed belongs to the k-th launch. Exit status 1: an output differs from its reference.
#include <cstdio>
#include <cstring>

#include "launches.hpp"

namespace {

bool is_wanted(const std::string& name, int argc, char** argv) {
    if (argc == 1) return true;
    for (int i = 1; i < argc; ++i) {
        if (std::strstr(name.c_str(), argv[i])) return true;
    }
    return false;
}

bool run(const ordinary::Launches::Launch& launch) {
    std::string message;
    ordinary::Outcome outcome;
    try {
        launch.body(outcome);
        ordinary::check(cudaGetLastError());
        if (!outcome.is_checked()) message = "nothing was compared";
    } catch (const std::exception& error) {
        message = error.what();
        cudaGetLastError();
    }
    if (message.empty()) {
        std::printf("%s %016llx %s\n", launch.name.c_str(),
                    static_cast<unsigned long long>(outcome.hash()),
                    outcome.is_exact() ? "exact" : "rounded");
    } else {
        std::printf("%s - failed\n", launch.name.c_str());
        std::fprintf(stderr, "%s: %s\n", launch.name.c_str(), message.c_str());
    }
    std::fflush(stdout);
    return message.empty();
}

}  // namespace

int main(int argc, char** argv) {
    ordinary::Launches launches;
    ordinary::add_all(launches);
    bool is_right = true;
    for (const auto& launch : launches.all()) {
        if (is_wanted(launch.name, argc, argv)) is_right = run(launch) && is_right;
    }
    return is_right ? 0 : 1;
}
