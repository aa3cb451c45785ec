// barrier.cluster, mapa, getctarank.
#pragma once

#include "emulator/simt/state/cluster.hpp"

namespace emulator::simt {

void execute_cluster_arrive(Warp& warp, const Operation& operation);
// Lets threads go that wait, where all threads of the cluster that have not finished have arrived.
void finish_cluster_barrier_if_complete(ClusterState& cluster);

// The address (source 0) in the block of a rank (source 1, 32-bit lanes).
template <class T>
void execute_map_address(Warp& warp, const Operation& operation);
// The rank of the block that an address (source 0) means.
template <class T>
void execute_rank_of_address(Warp& warp, const Operation& operation);

}  // namespace emulator::simt
