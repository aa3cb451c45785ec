// The launches of each file.
#pragma once

namespace ordinary {

class Launches;

void add_reductions(Launches& launches);
void add_scans(Launches& launches);
void add_histograms(Launches& launches);
void add_sparse_products(Launches& launches);
void add_stencils(Launches& launches);
void add_convolutions(Launches& launches);
void add_structures(Launches& launches);
void add_control_flow(Launches& launches);
void add_calls(Launches& launches);
void add_atomics(Launches& launches);
void add_cache_operators(Launches& launches);
void add_products(Launches& launches);
void add_local_memory(Launches& launches);
void add_shared_patterns(Launches& launches);
void add_warp_functions(Launches& launches);
void add_sorting(Launches& launches);
void add_graphs(Launches& launches);
void add_simulations(Launches& launches);
void add_text(Launches& launches);
void add_textures(Launches& launches);
void add_cooperative(Launches& launches);
void add_number_types(Launches& launches);
void add_grids(Launches& launches);

// All of them, in this order.
inline void add_all(Launches& launches) {
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
