// Until simt/ has them.
#include "emulator/simt/gpu.hpp"
namespace emulator::simt {
class Module {};
class Kernel {};
struct Gpu::State { const Architecture& architecture; Options options; std::vector<TextureDescriptor> textures; };
Gpu::Gpu(const Architecture& a, const Options& o) : state_(new State{a, o, {}}) {}
Gpu::~Gpu() = default;
const Architecture& Gpu::architecture() const { return state_->architecture; }
Options& Gpu::options() { return state_->options; }
std::shared_ptr<Module> Gpu::load(ptx::Module, L1Mode) { throw Unsupported("kernels cannot be executed yet"); }
LaunchRecord Gpu::launch(const Kernel&, const LaunchShape&, std::span<const std::byte>, std::optional<unsigned>) { return {}; }
std::vector<TextureDescriptor>& Gpu::textures() { return state_->textures; }
const Kernel* find_kernel(const Module&, const std::string&) { return nullptr; }
const KernelAttributes& attributes(const Kernel&) { static KernelAttributes a; return a; }
std::optional<Symbol> find_symbol(const Module&, const std::string&) { return {}; }
const ptx::Module& source_of(const Module&) { static ptx::Module m; return m; }
std::string text(const Module&, const ptx::SourceLocation&) { return ""; }
}
