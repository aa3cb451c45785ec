// All launches of this set, in their order.
#include "themes.hpp"

#include "launches.hpp"

namespace ordinary {

void add_all(Launches& launches) {
    add_reductions(launches);
    add_scans(launches);
    add_histograms(launches);
    add_sparse_products(launches);
    add_stencils(launches);
    add_convolutions(launches);
    add_structures(launches);
    add_control_flow(launches);
    add_calls(launches);
    add_atomics(launches);
    add_cache_operators(launches);
    add_products(launches);
    add_local_memory(launches);
    add_shared_patterns(launches);
    add_warp_functions(launches);
    add_sorting(launches);
    add_graphs(launches);
    add_simulations(launches);
    add_text(launches);
    add_textures(launches);
    add_cooperative(launches);
    add_number_types(launches);
    add_grids(launches);
}

}  // namespace ordinary
