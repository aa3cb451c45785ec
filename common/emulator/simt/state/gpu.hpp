// The emulated GPU as the runtime sees it: load a module, launch its kernels, read what was counted.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/simt/state/launch_record.hpp"

namespace emulator::simt {

class Gpu {
  public:
    Gpu(const Architecture& architecture, const Options& options);
    ~Gpu();

    const Architecture& architecture() const;
    Options& options();

    // Decodes a module; variables get device memory. Functions of the module that use what cannot be
    // executed are refused when they are launched, not here. `l1_mode`: ptxas' -dlcm.
    std::shared_ptr<Module> load(ptx::Module module, L1Mode l1_mode);

    // `registers_per_thread`, as ptxas reports it: for the occupancy; nothing when it is not known.
    // `clocks`: what %clock and %globaltimer show; without them, 16 cycles a basic block and reading.
    // Blocks until the kernel has finished. Throws Fault, Unsupported.
    LaunchRecord launch(const Kernel& kernel, const LaunchShape& shape,
                        std::span<const std::byte> parameters,
                        std::optional<unsigned> registers_per_thread,
                        const timing::ClockReads* clocks = nullptr);

    // Texture and surface objects are indices into this table, from 1; 0 and others are invalid.
    std::vector<TextureDescriptor>& textures();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace emulator::simt
