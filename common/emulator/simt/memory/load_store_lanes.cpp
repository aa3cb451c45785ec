// Copies between registers and memory, for every pair of memory type and register size.
#include <bit>
#include <cstring>
#include <type_traits>

#include "emulator/simt/state/local_memory.hpp"
#include "emulator/simt/state/memory.hpp"

namespace emulator::simt {
namespace {

template <class T>
T read(const std::byte* place) {
    T value;
    std::memcpy(&value, place, sizeof(T));
    return value;
}

template <class F>
void for_lanes(std::uint32_t mask, F&& f) {
    for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

template <class Memory, class Register>
struct Load {
    static Register* lanes_of(std::byte* lanes) { return reinterpret_cast<Register*>(lanes); }
    static Register widen(Memory value) { return static_cast<Register>(value); }

    static void contiguous(std::byte* lanes, std::byte* place, std::uint32_t stride) {
        Register* const to = lanes_of(lanes);
        if (stride == sizeof(Memory)) {
            for (int lane = 0; lane < warp_size; ++lane) {
                to[lane] = widen(read<Memory>(place + std::size_t(lane) * sizeof(Memory)));
            }
            return;
        }
        for (int lane = 0; lane < warp_size; ++lane) {
            to[lane] = widen(read<Memory>(place + std::size_t(lane) * stride));
        }
    }
    static void uniform(std::byte* lanes, const std::byte* place, std::uint32_t mask) {
        const Register value = widen(read<Memory>(place));
        Register* const to = lanes_of(lanes);
        if (mask == 0xffffffffu) {
            for (int lane = 0; lane < warp_size; ++lane) to[lane] = value;
        } else {
            for_lanes(mask, [&](int lane) { to[lane] = value; });
        }
    }
    static void scattered(std::byte* lanes, std::byte* base, const std::uint32_t* offsets,
                          std::uint32_t mask) {
        Register* const to = lanes_of(lanes);
        if (mask == 0xffffffffu) {
            for (int lane = 0; lane < warp_size; ++lane) {
                to[lane] = widen(read<Memory>(base + offsets[lane]));
            }
        } else {
            for_lanes(mask,
                      [&](int lane) { to[lane] = widen(read<Memory>(base + offsets[lane])); });
        }
    }
    static void interleaved(std::byte* lanes, std::byte* base, std::uint32_t offset,
                            std::uint32_t mask) {
        Register* const to = lanes_of(lanes);
        if (mask == 0xffffffffu) {
            for (int lane = 0; lane < warp_size; ++lane) {
                to[lane] = widen(load_interleaved<Memory>(base, offset, lane));
            }
        } else {
            for_lanes(mask, [&](int lane) {
                to[lane] = widen(load_interleaved<Memory>(base, offset, lane));
            });
        }
    }
    static void interleaved_scattered(std::byte* lanes, std::byte* base,
                                      const std::uint32_t* offsets, std::uint32_t mask) {
        for_lanes(mask, [&](int lane) {
            lanes_of(lanes)[lane] = widen(load_interleaved<Memory>(base, offsets[lane], lane));
        });
    }
    static constexpr Mover mover{contiguous, uniform, scattered, interleaved,
                                 interleaved_scattered};
};

template <class Memory, class Register>
struct Store {
    static const Register* lanes_of(std::byte* lanes) {
        return reinterpret_cast<const Register*>(lanes);
    }
    static void write(std::byte* place, Register value) {
        const Memory narrow = static_cast<Memory>(value);
        std::memcpy(place, &narrow, sizeof(Memory));
    }
    static void contiguous(std::byte* lanes, std::byte* place, std::uint32_t stride) {
        const Register* const from = lanes_of(lanes);
        if (stride == sizeof(Memory)) {
            for (int lane = 0; lane < warp_size; ++lane) {
                write(place + std::size_t(lane) * sizeof(Memory), from[lane]);
            }
            return;
        }
        for (int lane = 0; lane < warp_size; ++lane) {
            write(place + std::size_t(lane) * stride, from[lane]);
        }
    }
    static void scattered(std::byte* lanes, std::byte* base, const std::uint32_t* offsets,
                          std::uint32_t mask) {
        const Register* const from = lanes_of(lanes);
        for_lanes(mask, [&](int lane) { write(base + offsets[lane], from[lane]); });
    }
    static void interleaved(std::byte* lanes, std::byte* base, std::uint32_t offset,
                            std::uint32_t mask) {
        const Register* const from = lanes_of(lanes);
        for_lanes(mask, [&](int lane) {
            store_interleaved<Memory>(base, offset, lane, static_cast<Memory>(from[lane]));
        });
    }
    static void interleaved_scattered(std::byte* lanes, std::byte* base,
                                      const std::uint32_t* offsets, std::uint32_t mask) {
        const Register* const from = lanes_of(lanes);
        for_lanes(mask, [&](int lane) {
            store_interleaved<Memory>(base, offsets[lane], lane, static_cast<Memory>(from[lane]));
        });
    }
    static constexpr Mover mover{contiguous, nullptr, scattered, interleaved,
                                 interleaved_scattered};
};

// Registers are as wide as memory elements or wider; a load then extends by the sign of its type.
template <template <class, class> class Direction, class Memory>
const Mover* for_register(unsigned register_bytes) {
    constexpr bool is_signed = std::is_signed_v<Memory>;
    if constexpr (sizeof(Memory) <= 2) {
        using Register = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
        if (register_bytes == 2) return &Direction<Memory, Register>::mover;
    }
    if constexpr (sizeof(Memory) <= 4) {
        using Register = std::conditional_t<is_signed, std::int32_t, std::uint32_t>;
        if (register_bytes == 4) return &Direction<Memory, Register>::mover;
    }
    using Register = std::conditional_t<is_signed, std::int64_t, std::uint64_t>;
    if (register_bytes == 8) return &Direction<Memory, Register>::mover;
    return nullptr;
}

template <template <class, class> class Direction>
const Mover* find(ptx::Type type, unsigned register_bytes) {
    using ptx::Type;
    switch (type) {
        case Type::s8:
            return for_register<Direction, std::int8_t>(register_bytes);
        case Type::s16:
            return for_register<Direction, std::int16_t>(register_bytes);
        case Type::s32:
            return for_register<Direction, std::int32_t>(register_bytes);
        default:
            break;
    }
    switch (ptx::bytes_of(type)) {
        case 1:
            return for_register<Direction, std::uint8_t>(register_bytes);
        case 2:
            return for_register<Direction, std::uint16_t>(register_bytes);
        case 4:
            return for_register<Direction, std::uint32_t>(register_bytes);
        case 8:
            return for_register<Direction, std::uint64_t>(register_bytes);
        default:
            return nullptr;
    }
}

}  // namespace

const Mover* load_mover(ptx::Type type, unsigned register_bytes) {
    return find<Load>(type, register_bytes);
}

const Mover* store_mover(ptx::Type type, unsigned register_bytes) {
    return find<Store>(type, register_bytes);
}

}  // namespace emulator::simt
