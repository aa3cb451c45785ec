// PTX text: whatever it holds, it parses or throws a ParseError, and what has parsed can be analysed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/ptx/flow/control_flow.hpp"
#include "emulator/ptx/flow/result_uses.hpp"
#include "emulator/ptx/parse/module.hpp"
#include "emulator/ptxas/accesses/issued_accesses.hpp"

using namespace emulator::ptx;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Module module = parse(std::string_view(reinterpret_cast<const char*>(data), size));
        for (const Function& function : module.functions) {
            const ControlFlow flow = analyse_control_flow(function);
            const ResultUses uses(function, flow);
            for (std::uint32_t at = 0; at < function.instructions.size(); ++at) {
                (void)uses.is_result_read(at);
            }
        }
    } catch (const ParseError&) {  // it says where the text is wrong
    }
    return 0;
}
