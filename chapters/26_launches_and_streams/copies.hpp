// The rows of copies between host and device, alone and beside kernels, and of allocations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "launches.hpp"
#include "streams.hpp"

constexpr std::size_t mib = 1 << 20, transfer_bytes = 64 * mib,
                      transfer_floats = transfer_bytes / 4;

inline const char* text(bool pinned) { return pinned ? "pinned" : "pageable"; }

// Arrays of the host and the device that copies go between. Made when the first row needs them.
struct Link {
    HostArray in, out;
    lab::DeviceBuffer<float> device{transfer_floats};
    lab::DeviceBuffer<float> second{lab::random_floats(transfer_floats, 8)};

    explicit Link(bool pinned) : in(transfer_floats, pinned), out(transfer_floats, pinned) {
        const std::vector<float> values = lab::random_floats(transfer_floats, 7);
        std::copy(values.begin(), values.end(), in.values().begin());
        lab::backend::copy_to_device(second.get(), values.data(), transfer_bytes);
    }
};
using SharedLink = std::shared_ptr<std::unique_ptr<Link>>;

inline Link& made(const SharedLink& link, bool pinned) {
    if (!*link) *link = std::make_unique<Link>(pinned);
    return **link;
}

inline lab::Variant link_row(const std::string& name, double bytes, std::function<void()> run,
                             std::function<void()> check) {
    lab::Variant row = host_row(name, 1, run);
    row.items = 0;
    row.bytes = bytes;
    row.working_set_bytes = 2 * transfer_bytes;
    row.check = check;
    return row;
}

inline void copy_async(float* to, const float* from, std::size_t floats, cudaMemcpyKind kind,
                       cudaStream_t stream) {
    LAB_CUDA_CHECK(cudaMemcpyAsync(to, from, floats * sizeof(float), kind, stream));
}

// 64 MiB to the device.
inline lab::Variant transfer_row(const SharedLink& link, bool pinned) {
    const auto run = [=] {
        Link& arrays = made(link, pinned);
        LAB_CUDA_CHECK(cudaMemcpy(arrays.device.get(), arrays.in.values().data(), transfer_bytes,
                                  cudaMemcpyHostToDevice));
    };
    return link_row(lab::variant_name("transfer", {{"memory", text(pinned)}}), transfer_bytes, run,
                    [=] {
                        run();
                        const std::span<float> in = made(link, pinned).in.values();
                        lab::expect_equal<float>((*link)->device.to_host(),
                                                 std::vector<float>(in.begin(), in.end()));
                    });
}

// 64 MiB in each direction: one after the other in one stream, or at the same time in two.
inline lab::Variant both_ways_row(const SharedLink& link, unsigned streams) {
    const auto used = std::make_shared<Streams>(streams);
    const auto run = [=] {
        Link& arrays = made(link, true);
        copy_async(arrays.device.get(), arrays.in.values().data(), transfer_floats,
                   cudaMemcpyHostToDevice, (*used)[0]);
        copy_async(arrays.out.values().data(), arrays.second.get(), transfer_floats,
                   cudaMemcpyDeviceToHost, (*used)[1]);
    };
    return link_row(lab::variant_name("both_ways", {{"streams", streams}}), 2.0 * transfer_bytes,
                    run, [=] {
                        run();
                        lab::backend::synchronise();
                        const std::span<float> out = made(link, true).out.values();
                        lab::expect_equal<float>(std::vector<float>(out.begin(), out.end()),
                                                 (*link)->second.to_host());
                    });
}

// 64 MiB in 8 chunks, each copied to the device, worked on, and copied back by the stream whose turn it is.
inline lab::Variant pipeline_row(const SharedLink& link, bool pinned, unsigned streams) {
    constexpr std::size_t chunks = 8, floats = transfer_floats / chunks;
    constexpr unsigned rounds = 1024, block = 256;
    const auto used = std::make_shared<Streams>(streams);
    const auto run = [=] {
        Link& arrays = made(link, pinned);
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            const cudaStream_t stream = (*used)[chunk];
            float* const values = arrays.device.get() + chunk * floats;
            copy_async(values, arrays.in.values().data() + chunk * floats, floats,
                       cudaMemcpyHostToDevice, stream);
            work_on<<<lab::blocks_for(floats, block), block, 0, stream>>>(values, floats, rounds);
            LAB_CUDA_CHECK(cudaGetLastError());
            copy_async(arrays.out.values().data() + chunk * floats, values, floats,
                       cudaMemcpyDeviceToHost, stream);
        }
    };
    // After these rounds of v / 2 + 1 every float is 2, the fixed point.
    const auto check = [=] {
        run();
        lab::backend::synchronise();
        const std::span<float> out = made(link, pinned).out.values();
        lab::expect_near<float>(std::vector<float>(out.begin(), out.end()),
                                std::vector<float>(out.size(), 2.0f), 1e-6);
    };
    return link_row(lab::variant_name("pipeline", {{"memory", text(pinned)}, {"streams", streams}}),
                    2.0 * transfer_bytes, run, check);
}

inline std::vector<lab::Variant> copy_rows() {
    const auto pageable = std::make_shared<std::unique_ptr<Link>>();
    const auto pinned = std::make_shared<std::unique_ptr<Link>>();
    std::vector<lab::Variant> rows = {transfer_row(pageable, false), transfer_row(pinned, true),
                                      both_ways_row(pinned, 1), both_ways_row(pinned, 2)};
    for (const unsigned streams : {1, 2, 4, 8}) {
        rows.push_back(pipeline_row(pinned, true, streams));
        rows.push_back(pipeline_row(pageable, false, streams));
    }
    return rows;
}

// 1 MiB, allocated and freed.
inline std::vector<lab::Variant> allocate_rows() {
    const auto stream = std::make_shared<Streams>(1);
    return {repeated_row("allocate/by:malloc",
                         [](unsigned) {
                             void* memory = nullptr;
                             LAB_CUDA_CHECK(cudaMalloc(&memory, mib));
                             LAB_CUDA_CHECK(cudaFree(memory));
                         }),
            repeated_row("allocate/by:pool", [=](unsigned) {
                void* memory = nullptr;
                LAB_CUDA_CHECK(cudaMallocAsync(&memory, mib, (*stream)[0]));
                LAB_CUDA_CHECK(cudaFreeAsync(memory, (*stream)[0]));
            })};
}
