// The rows of launches and of what waits for them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "lab/experiment/chapter.hpp"
#include "streams.hpp"

constexpr unsigned repeats = 1000;

// A row that the host's clock times: `run` does `items` of something, and the time is that of one.
inline lab::Variant host_row(const std::string& name, unsigned items, std::function<void()> run) {
    return {.name = name,
            .items = 1,
            .timed = [=] { return seconds_of(run) / items; },
            .evidence = lab::Evidence::measured};
}

inline void launch_empty(cudaStream_t stream) {
    do_nothing<<<1, 32, 0, stream>>>();
    LAB_CUDA_CHECK(cudaGetLastError());
}

// The host's cost of a launch while the queue has room: the device is not waited for.
inline double seconds_to_enqueue(cudaStream_t stream) {
    constexpr unsigned launches = 500;
    double seconds = 0;
    for (const bool timed : {false, true}) {
        const auto start = std::chrono::steady_clock::now();
        for (unsigned i = 0; i < launches; ++i) launch_empty(stream);
        const auto end = std::chrono::steady_clock::now();
        if (timed) seconds = std::chrono::duration<double>(end - start).count() / launches;
        LAB_CUDA_CHECK(cudaDeviceSynchronize());
    }
    return seconds;
}

// `name` with `each(i)` as what is repeated.
inline lab::Variant repeated_row(const std::string& name, std::function<void(unsigned i)> each) {
    return host_row(name, repeats, [=] {
        for (unsigned i = 0; i < repeats; ++i) each(i);
    });
}

inline std::vector<lab::Variant> empty_rows() {
    const auto one = std::make_shared<Streams>(1), four = std::make_shared<Streams>(4);
    const auto many = std::make_shared<Graph>([](cudaStream_t stream) {
        for (unsigned i = 0; i < repeats; ++i) launch_empty(stream);
    });
    const auto single = std::make_shared<Graph>(launch_empty);
    lab::Variant enqueue = host_row("empty/by:queue_alone", 1, [] {});
    enqueue.timed = [=] { return seconds_to_enqueue((*one)[0]); };
    return {
        enqueue,
        repeated_row("empty/by:stream", [=](unsigned) { launch_empty((*one)[0]); }),
        repeated_row("empty/by:four_streams", [=](unsigned i) { launch_empty((*four)[i]); }),
        host_row("empty/by:graph", repeats, [=] { many->launch((*one)[0]); }),
        repeated_row("empty/by:graph_each", [=](unsigned) { single->launch((*one)[0]); }),
        repeated_row("empty/by:device_sync_each",
                     [=](unsigned) {
                         launch_empty((*one)[0]);
                         LAB_CUDA_CHECK(cudaDeviceSynchronize());
                     }),
        repeated_row("empty/by:stream_sync_each",
                     [=](unsigned) {
                         launch_empty((*one)[0]);
                         LAB_CUDA_CHECK(cudaStreamSynchronize((*one)[0]));
                     }),
    };
}

// With nothing to wait for.
inline std::vector<lab::Variant> synchronise_rows() {
    const auto stream = std::make_shared<Streams>(1);
    return {repeated_row("synchronise/what:device",
                         [](unsigned) { LAB_CUDA_CHECK(cudaDeviceSynchronize()); }),
            repeated_row("synchronise/what:stream",
                         [=](unsigned) { LAB_CUDA_CHECK(cudaStreamSynchronize((*stream)[0])); }),
            repeated_row("synchronise/what:query",
                         [=](unsigned) { LAB_CUDA_CHECK(cudaStreamQuery((*stream)[0])); })};
}

// ---- Kernels on two arrays, again and again: `name` runs `kernels` of them and waits for the last.
struct TwoArrays {
    lab::DeviceBuffer<float> in, out;
    std::unique_ptr<Graph> graph = {};  // where the row has one
    Streams streams{1};

    cudaStream_t stream() const { return streams[0]; }
};

using Run = std::function<void(TwoArrays& arrays)>;

// `expected` makes of the input what `run` leaves in `in` (result_in_place) or `out`. `capture`: what a graph holds; empty
// where the row has none.
struct Repeated {
    std::string name;
    unsigned n, kernels, items;
    Run run;
    std::function<std::vector<float>(std::vector<float> in)> expected;
    bool result_in_place = false;
    std::function<void(TwoArrays& arrays, cudaStream_t stream)> capture = {};
};

inline lab::Variant two_arrays_row(const Repeated& what) {
    const auto arrays = std::make_shared<TwoArrays>();
    const auto values = [n = what.n] { return lab::random_floats(n, 6); };
    lab::Variant row =
        host_row(lab::variant_name(what.name, {{"n", what.n}}), what.items * 50, [=] {
            for (unsigned step = 0; step < 50; ++step) what.run(*arrays);
        });
    row.bytes = 8.0 * what.n;
    row.working_set_bytes = 8 * what.n;
    row.prepare = [=] {
        arrays->in = lab::DeviceBuffer<float>(what.n);
        arrays->out = lab::DeviceBuffer<float>(what.n);
        if (what.capture) {
            arrays->graph = std::make_unique<Graph>(
                [&](cudaStream_t stream) { what.capture(*arrays, stream); });
            arrays->out.poison();
        }
        const std::vector<float> in = values();
        lab::backend::copy_to_device(arrays->in.get(), in.data(), in.size() * sizeof(float));
    };
    row.launch = [=](std::size_t) { what.run(*arrays); };
    row.check = [=] {
        const auto& result = what.result_in_place ? arrays->in : arrays->out;
        lab::expect_equal<float>(result.to_host(), what.expected(values()));
    };
    row.buffers = arrays.get();
    row.kernels = static_cast<int>(what.kernels);
    row.evidence = lab::Evidence::counted;
    return row;
}

inline void launch_graph(TwoArrays& arrays) {
    arrays.graph->launch(arrays.stream());
    LAB_CUDA_CHECK(cudaStreamSynchronize(arrays.stream()));
}

// NVIDIA's 20 kernels on 500,000 floats.
inline std::vector<lab::Variant> scaling_rows(unsigned n) {
    constexpr unsigned kernels = 20, block = 512;
    const auto launch = [=](TwoArrays& arrays, cudaStream_t stream) {
        scale<<<lab::blocks_for(n, block), block, 0, stream>>>(arrays.in.get(), arrays.out.get(),
                                                               n);
        LAB_CUDA_CHECK(cudaGetLastError());
    };
    const auto launch_all = [=](TwoArrays& arrays, cudaStream_t stream) {
        for (unsigned i = 0; i < kernels; ++i) launch(arrays, stream);
    };
    const auto expected = [](std::vector<float> values) {
        for (float& value : values) value *= 1.23f;
        return values;
    };
    const auto row = [=](const char* by, Run run, bool captures = false) {
        Repeated what{
            lab::variant_name("scaling", {{"by", by}}), n, kernels, kernels, run, expected};
        if (captures) what.capture = launch_all;
        return two_arrays_row(what);
    };
    return {row("sync_each",
                [=](TwoArrays& arrays) {
                    for (unsigned i = 0; i < kernels; ++i) {
                        launch(arrays, arrays.stream());
                        LAB_CUDA_CHECK(cudaStreamSynchronize(arrays.stream()));
                    }
                }),
            row("stream",
                [=](TwoArrays& arrays) {
                    launch_all(arrays, arrays.stream());
                    LAB_CUDA_CHECK(cudaStreamSynchronize(arrays.stream()));
                }),
            row("graph", launch_graph, true)};
}

// 64 steps of an iteration on `n` floats, which one wave of blocks holds on every GPU.
inline std::vector<lab::Variant> iteration_rows(unsigned n) {
    constexpr unsigned steps = 64, block = 256;
    const unsigned grid = lab::blocks_for(n, block);
    const auto launch_all = [=](TwoArrays& arrays, cudaStream_t stream) {
        float* from = arrays.in.get();
        float* to = arrays.out.get();
        for (unsigned i = 0; i < steps; ++i) {
            step<<<grid, block, 0, stream>>>(from, to, n);
            LAB_CUDA_CHECK(cudaGetLastError());
            std::swap(from, to);
        }
    };
    const auto expected = [=](std::vector<float> values) {
        for (unsigned done = 0; done < steps; ++done) {
            std::vector<float> next(values.size());
            for (std::size_t i = 0; i < next.size(); ++i) {
                next[i] = 0.5f * (values[i] + values[(i + 1) % next.size()]);
            }
            values = next;
        }
        return values;
    };
    const auto row = [=](const char* by, unsigned kernels, Run run, bool captures = false) {
        Repeated what{
            lab::variant_name("iteration", {{"by", by}}), n, kernels, steps, run, expected, true};
        if (captures) what.capture = launch_all;
        return two_arrays_row(what);
    };
    lab::Variant persistent = row("persistent", 1, [=](TwoArrays& arrays) {
        float* one = arrays.in.get();
        float* other = arrays.out.get();
        unsigned elements = n, repeated = steps;
        void* arguments[] = {&one, &other, &elements, &repeated};
        LAB_CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(steps_persistent),
                                                   grid, block, arguments, 0, arrays.stream()));
        LAB_CUDA_CHECK(cudaStreamSynchronize(arrays.stream()));
    });
    persistent.needs = {6, "cooperative launches"};
    return {row("launches", steps,
                [=](TwoArrays& arrays) {
                    launch_all(arrays, arrays.stream());
                    LAB_CUDA_CHECK(cudaStreamSynchronize(arrays.stream()));
                }),
            row("graph", steps, launch_graph, true), persistent};
}
