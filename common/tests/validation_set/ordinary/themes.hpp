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

}  // namespace ordinary
