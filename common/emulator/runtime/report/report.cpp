#include "emulator/runtime/report/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "emulator/runtime/errors/messages.hpp"
#include "emulator/runtime/report/settings.hpp"

namespace emulator::runtime {
namespace {

std::FILE* open_report() {
    const std::string& path = settings().report_path;
    if (path.empty()) return nullptr;
    std::FILE* const file = std::fopen(path.c_str(), "we");
    if (file != nullptr) return file;
    std::fprintf(stderr, "emulated GPU: error: EMULATED_GPU_REPORT=%s: cannot be written: %s\n",
                 path.c_str(), std::strerror(errno));
    _exit(2);
}

std::FILE* report_file() {
    static std::FILE* const file = open_report();
    return file;
}

// Where the report cannot be written, the program does not start.
[[gnu::constructor]] void check_report() { report_file(); }

}  // namespace

bool is_reported() { return report_file() != nullptr; }

void write_report(const JsonLine& line) {
    std::fprintf(report_file(), "%s\n", line.text().c_str());
    std::fflush(report_file());
}

void report_note(const std::string& text) {
    static std::set<std::string>& reported = *new std::set<std::string>;
    if (!is_reported() || !reported.insert(text).second) return;
    JsonLine line;
    line.begin_object().field("note", text).end_object();
    write_report(line);
}

void report_failed_call(const Failure& failure) {
    if (!is_reported()) return;
    JsonLine line;
    line.begin_object().field("failed_call", failure.function).field("number", failure.number);
    line.field("error", error_text(failure.code)).field("detail", failure.detail);
    line.key("callers").begin_array();
    for (const std::uintptr_t address : failure.callers) line.value(std::uint64_t{address});
    line.end_array().end_object();
    write_report(line);
}

void report_hazard(const std::string& text, const Failure& call) {
    if (!is_reported()) return print_error("hazard: " + call.function + " " + text);
    JsonLine line;
    line.begin_object().field("hazard", text).field("function", call.function);
    line.key("callers").begin_array();
    for (const std::uintptr_t address : call.callers) line.value(std::uint64_t{address});
    line.end_array().end_object();
    write_report(line);
}

}  // namespace emulator::runtime
