// Texture and surface instructions.
#include "emulator/simt/decode.hpp"

namespace emulator::simt {

bool FunctionDecoder::texture(const ptx::Instruction&) { return false; }

}  // namespace emulator::simt
