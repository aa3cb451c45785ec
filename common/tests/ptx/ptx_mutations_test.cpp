// Damaged PTX: each change of a valid text parses or throws a ParseError, whatever it is. Meant to run
// under AddressSanitizer too.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/result_uses.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "ptx_text.hpp"

namespace emulator::ptx {
namespace {

// Pieces of the grammar: they get further than random bytes.
const char* const pieces[] = {
    "{",   "}",   "(",    ")",       "[",      "]",    ";",     ",",        "|",   "!",
    "@",   ".",   ":",    "\"",      "/*",     "//",   "-",     "<<",       "?",   "%r1",
    "0x",  "0f",  "1e",   ".reg",    ".param", ".loc", "_",     "ret;",     "bra", "$L__BB0_2",
    "<9>", ".b8", "call", ".global", ".align", "= {",  ".func", "generic(", "\0",  "\xff",
};

std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t n) { return random() % n; };
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        const std::size_t at = below(text.size());
        const std::size_t length = std::min<std::size_t>(1 + below(12), text.size() - at);
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, pieces[below(std::size(pieces))]);
                break;
            case 3:
                text.insert(at, text.substr(below(text.size()), length));
                break;
            default:
                if (below(20) == 0) text.resize(at + 1);
        }
    }
    return text;
}

TEST(PtxMutations, ParseOrSayWhy) {
    std::mt19937 random(13);
    int parsed = 0, refused = 0;
    for (const std::string& sample : {inlined_function_ptx, corner_cases_ptx}) {
        for (int i = 0; i < 3000; ++i) {
            const std::string text = mutated(sample, random);
            try {
                const Module module = parse(text);
                ++parsed;
                for (const Function& function : module.functions) {
                    const ControlFlow flow = analyse_control_flow(function);
                    const ResultUses uses(function, flow);
                    for (std::uint32_t k = 0; k < function.instructions.size(); ++k) {
                        (void)uses.is_result_read(k);
                    }
                }
            } catch (const ParseError& error) {
                ++refused;
                const std::string message = error.what();
                ASSERT_EQ(message.rfind("PTX line ", 0), 0u) << message;
                ASSERT_EQ(message.find('\n'), std::string::npos) << message;
            }
        }
    }
    EXPECT_GT(parsed, 300);
    EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace emulator::ptx
