// The launches of each file.
#pragma once

namespace ordinary {

class Launches;

void add_collectives(Launches& launches);
void add_sorting_searching(Launches& launches);
void add_linear_algebra(Launches& launches);
void add_images(Launches& launches);
void add_learning(Launches& launches);
void add_graphs_hashes(Launches& launches);
void add_language(Launches& launches);
void add_numbers(Launches& launches);
void add_everyday_simulations(Launches& launches);

}  // namespace ordinary
