// A PTX module as its text says it: names resolved, nothing interpreted. What an instruction does is
// decided where it is decoded (simt/decode).
// Source: NVIDIA, PTX ISA, chapters 4 (syntax), 5 (state spaces, types), 10 and 11 (directives).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/code/machine_flow.hpp"

namespace emulator::ptx {

enum class Space : std::uint8_t { generic, constant, global, local, param, shared };

// Types by what they hold; b8 to b128 hold bits of no particular kind.
enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    f32,
    f64,
    texref,
    surfref,
    samplerref,
};
unsigned bytes_of(Type type);  // 0 for pred and none

// A place in the CUDA C++ source, from .loc. `file` indexes Module::files; line 0: unknown. Of inlined
// code it is the place of the instruction itself; `inlined_at` leads outwards to the kernel.
struct SourceLocation {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::int32_t inlined_at = -1;  // index into Module::inlined_at, or -1
};

struct Register {
    std::string name;  // "%r12"
    Type type = Type::none;
};

enum class OperandKind : std::uint8_t {
    reg,        // registers[index]; `negated` for !%p
    immediate,  // `bits`: integers sign-extended to 64 bits, 0f... in the low 32 bits, 0d... in 64
    symbol,     // the address of a variable or function, `symbol` + `offset`
    label,      // `index` into Function::labels
    special,    // %tid.x and the like: `symbol` = "%tid.x"
    // [base + offset]: base in `elements[0]` (reg, symbol, immediate or special). What else stands in the
    // brackets follows: [tex, {x, y}], [tex, sampler, {x, y}], [map, {x, y}].
    address,
    vector,  // {a, b, ...}: elements
    sink,    // _
    // A list in parentheses: the arguments and results of a call.
    list,
};

struct Operand {
    OperandKind kind = OperandKind::sink;
    bool negated = false;
    std::uint32_t index = 0;
    std::uint64_t bits = 0;
    // The type of an immediate as it was written. A floating-point literal such as 1.5 is b64.
    Type literal = Type::none;
    // The part of a register that a video instruction selects, such as "b0" or "h1".
    std::string symbol;
    std::int64_t offset = 0;
    std::vector<Operand> elements;
    // a|b, the second destination of setp and shfl.
    bool has_second = false;  // then elements.back() is the second
};

// A whole number that stands in an instruction.
inline Operand immediate(std::int64_t value) {
    Operand operand;
    operand.kind = OperandKind::immediate;
    operand.bits = static_cast<std::uint64_t>(value);
    operand.literal = Type::s64;
    return operand;
}

struct Guard {
    std::int32_t reg = -1;  // registers index of the predicate; -1: none
    bool negated = false;
};

struct Instruction {
    std::string opcode;                  // "ld"
    std::vector<std::string> modifiers;  // "global", "nc", "L2::128B", "v4", "f32", in order
    std::vector<Operand> operands;       // in order, destination first where there is one
    Guard guard;
    SourceLocation location;
    std::uint32_t text_line = 0;  // of the PTX, from 1
    // The whole instruction as written, for messages.
    std::string text;
};

// A variable with its initial bytes. Addresses in them (pointers to other symbols, to functions) are
// filled in when the module is loaded.
struct Relocation {
    std::uint64_t at = 0;  // byte in the variable
    unsigned bytes = 8;
    std::string symbol;
    std::int64_t offset = 0;
    bool generic = false;    // generic(symbol)
    std::uint8_t shift = 0;  // mask operators such as 0xFF00(symbol): byte number
};

struct Variable {
    std::string name;
    Space space = Space::global;
    Type type = Type::none;
    std::uint32_t alignment = 1;
    std::uint64_t bytes = 0;            // 0: `extern` array of unknown size (dynamic shared memory)
    std::vector<std::uint8_t> initial;  // may be shorter than `bytes`: zeros follow
    std::vector<Relocation> relocations;
    bool is_extern = false, is_visible = false, is_managed = false, is_weak = false;
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;  // index of the one that follows; instructions.size() at the end
};

// name: .branchtargets l0, l1; or name: .calltargets f0, f1;
struct BranchTable {
    std::string name;
    std::vector<std::uint32_t> labels;   // indices into Function::labels
    std::vector<std::string> functions;  // of .calltargets
};

struct CallPrototype {
    std::string name;
    std::vector<Variable> results, parameters;
    bool no_return = false;
};

struct Function {
    std::string name;
    // is_extern: declared here, defined elsewhere (vprintf, malloc).
    bool is_kernel = false, is_extern = false, is_visible = false, is_weak = false,
         no_return = false;
    std::vector<Variable> results;  // space param
    std::vector<Variable>
        parameters;                   // space param; of kernels in order, as in the launch's buffer
    std::vector<Register> registers;  // all scopes; same name in two scopes: two registers
    // Declared inside: .shared (of kernels: static), .local, .param (arguments of calls). Names that
    // two scopes declare are made unique; operands refer to the unique name.
    // `.global` and `.const` ones are among Module::variables.
    std::vector<Variable> variables;
    std::vector<Label> labels;
    std::vector<BranchTable> branch_tables;
    std::vector<CallPrototype> call_prototypes;
    std::vector<Instruction> instructions;
    // .maxntid, .reqntid (x, y, z), .minnctapersm, .maxnreg, .reqnctapercluster ...; 0: not given.
    std::uint32_t max_threads[3] = {}, required_threads[3] = {};
    std::uint32_t min_blocks_per_sm = 0, max_registers = 0, required_cluster[3] = {};
    SourceLocation location;  // its first .loc
};

struct Module {
    std::string version;                                             // "9.0"
    std::string target;                                              // "sm_75"
    unsigned compute_capability = 0;                                 // 75
    std::vector<std::string> files;                                  // by .file number
    std::vector<std::pair<SourceLocation, std::string>> inlined_at;  // and the inlined function
    std::vector<Variable> variables;
    std::vector<Function> functions;  // definitions and extern declarations
    // The machine code by ptxas; empty: not known, or of several linked texts.
    MachineCode machine_code;
    MachineFlow machine_flow;  // likewise; also empty where its instructions are not counted
};

class ParseError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws ParseError, whose text is one line: "PTX line 12: ...".
Module parse(std::string_view text);

}  // namespace emulator::ptx
