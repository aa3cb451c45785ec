// Chapter 03: does a misaligned read get faster without the L1?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Misaligned
// reads", with -Xptxas -dlcm=ca and -Xptxas -dlcm=cg. There: n = 2^20 and 2^24, offsets 0, 11, 128,
// blocks of 512 threads, a Fermi GPU.
//
// Variants: read_offset of chapter 02 with its loads through the L1 (l1:on) and past it (l1:off),
//           offsets 0, 11 and 128, blocks of 512 threads.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition; n - offset elements.
// Differs:  also n = 2^26 (805 MB, more than four times any L2 of today; GPU only); cold rows rotate
//           through buffer sets, because the source's sizes fit an L2 of today whole. "On" is
//           -dlcm=ca and not the default, which on some generations is "off".
#include <memory>
#include <string>

#include "kernels.cuh"
#include "l1.hpp"
#include "lab/array_sum.hpp"
#include "lab/experiment.hpp"
#include "lab/launch.hpp"
#include "lab/variant_name.hpp"

namespace {

constexpr unsigned block = 512;

lab::Variant variant(bool through_l1, std::shared_ptr<lab::ArraySum> arrays, std::size_t offset,
                     lab::Cache cache, std::size_t sets) {
    const std::size_t n = arrays->size();
    const std::string name = lab::variant_name("read_offset", {{"l1", through_l1 ? "on" : "off"},
                                                               {"offset", offset},
                                                               {"n", n},
                                                               {"cache", lab::text(cache)}});
    const auto launch = through_l1 ? l1_on::launch_read_offset : l1_off::launch_read_offset;
    return lab::array_sum_variant(name, std::move(arrays), offset, sets,
                                  [=](const float* a, const float* b, float* c) {
                                      launch(lab::blocks_for(n, block), block, a, b, c, n, offset);
                                  });
}

}  // namespace

int main(int argc, char** argv) {
    lab::Experiment experiment("03_l1_cache", argc, argv);
    for (const std::size_t n : {1 << 20, 1 << 24, 1 << 26}) {
        if (experiment.device().emulated && n > (1 << 20)) break;
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const bool through_l1 : {true, false}) {
            for (const std::size_t offset : {0, 11, 128}) {
                experiment.add(variant(through_l1, arrays, offset, lab::Cache::cold,
                                       experiment.cold_sets(arrays->bytes())));
                if (n != (1 << 20)) continue;
                experiment.add(variant(through_l1, arrays, offset, lab::Cache::warm, 1));
            }
        }
        experiment.add_memcpy(n * sizeof(float), lab::Cache::cold);
    }
    for (const std::size_t n : {1, 31, 1000003}) {
        const auto arrays = std::make_shared<lab::ArraySum>(n);
        for (const bool through_l1 : {true, false}) {
            for (const std::size_t offset : {0, 1, 11, 128}) {
                if (offset >= n) continue;
                experiment.add_validation(variant(through_l1, arrays, offset, lab::Cache::warm, 1));
            }
        }
    }
    return experiment.run();
}
