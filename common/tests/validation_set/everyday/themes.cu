// All launches of this set, in their order.
#include "themes.hpp"

#include "../ordinary/launches.hpp"

namespace ordinary {

void add_all(Launches& launches) {
    add_collectives(launches);
    add_sorting_searching(launches);
    add_linear_algebra(launches);
    add_images(launches);
    add_learning(launches);
    add_graphs_hashes(launches);
    add_language(launches);
    add_numbers(launches);
    add_everyday_simulations(launches);
}

}  // namespace ordinary
