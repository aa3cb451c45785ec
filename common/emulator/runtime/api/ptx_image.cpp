#include "emulator/runtime/api/ptx_image.hpp"

#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {
namespace {

// PTX for sm_90a or sm_100f runs on its own compute capability (family) alone.
bool can_run(const ptx::Image& image, unsigned compute_capability) {
    if (image.is_architecture_specific) return image.compute_capability == compute_capability;
    if (image.is_family_specific) {
        return image.compute_capability / 10 == compute_capability / 10 &&
               image.compute_capability <= compute_capability;
    }
    return image.compute_capability <= compute_capability;
}

// Whether `a` is to be taken rather than `b`.
bool is_better(const ptx::Image& a, const ptx::Image& b, unsigned compute_capability) {
    const bool a_runs = can_run(a, compute_capability), b_runs = can_run(b, compute_capability);
    if (a_runs != b_runs) return a_runs;
    if (!a_runs) return a.compute_capability < b.compute_capability;
    if (a.compute_capability != b.compute_capability)
        return a.compute_capability > b.compute_capability;
    return a.is_architecture_specific && !b.is_architecture_specific;
}

[[noreturn]] void refuse_without_ptx() {
    throw ApiError(cudaErrorNoKernelImageForDevice,
                   "the program contains no PTX; compile it with "
                   "-gencode arch=compute_75,code=compute_75");
}

}  // namespace

const ptx::Image* choose_ptx(std::span<const ptx::Image> images, unsigned compute_capability) {
    const ptx::Image* chosen = nullptr;
    for (const ptx::Image& image : images) {
        if (image.kind != ptx::ImageKind::ptx) continue;
        if (chosen == nullptr || is_better(image, *chosen, compute_capability)) chosen = &image;
    }
    return chosen;
}

L1Mode l1_mode(std::string_view options) {
    for (const std::string_view name : {"-dlcm", "-def-load-cache"}) {
        const auto found = options.rfind(name);
        if (found == std::string_view::npos) continue;
        const std::string_view value = options.substr(found + name.size() + 1, 2);
        if (value == "cg") return L1Mode::bypass;
        if (value == "ca") return L1Mode::cached;
    }
    return L1Mode::standard;
}

LoadedPtx load_ptx(const void* wrapper, unsigned compute_capability) {
    try {
        const ptx::Fatbin fatbin = ptx::read_wrapper(wrapper);
        LoadedPtx result;
        const auto add = [&](std::span<const ptx::Image> images) {
            const ptx::Image* const chosen = choose_ptx(images, compute_capability);
            if (chosen == nullptr) return;
            result.texts.push_back(ptx::contents(*chosen));
            if (result.options.empty()) result.options = chosen->options;
        };
        add(fatbin.images);
        for (const std::vector<ptx::Image>& object : fatbin.linked_objects) add(object);
        if (result.texts.empty()) refuse_without_ptx();
        return result;
    } catch (const ptx::FatbinError& error) {
        throw ApiError(cudaErrorInvalidKernelImage, error.what());
    }
}

}  // namespace emulator::runtime
