// Fat binaries and the images in them: they are read, or a FatbinError says what is wrong.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "emulator/ptx/code/machine_code.hpp"
#include "emulator/ptx/code/machine_flow.hpp"
#include "emulator/ptx/image/fatbin.hpp"

using namespace emulator::ptx;

namespace {

template <class Read>
void read(Read read_it) {
    try {
        read_it();
    } catch (const FatbinError&) {  // it says what is wrong
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    read([&] {
        for (const Image& image : read_containers(bytes)) {
            read([&] {
                const std::string held = contents(image);
                if (image.kind == ImageKind::elf) (void)read_cubin(std::as_bytes(std::span(held)));
            });
        }
    });
    read([&] { (void)read_cubin(bytes); });
    read([&] { (void)read_machine_code(bytes); });
    read([&] { (void)read_machine_flow(bytes, 90); });
    return 0;
}
