// Bytes and shorts: string search, letters, images in bytes, encodings.
#include "../launches.hpp"
#include "../themes.hpp"

namespace ordinary {
namespace {

__global__ void find_string(const char* text, int n, const char* pattern, int length, int* found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) return;
    int k = 0;
    while (k < length && text[i + k] == pattern[k]) ++k;
    found[i] = k == length;
}

__global__ void to_upper(char* text, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char letter = text[i];
    if (letter >= 'a' && letter <= 'z') text[i] = letter - 'a' + 'A';
}

__global__ void count_words(const char* text, int n, int* count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_start = i < n && text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    const int words = __syncthreads_count(is_start);
    if (threadIdx.x == 0) atomicAdd(count, words);
}

__global__ void grey(const uchar3* in, unsigned char* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar3 pixel = in[i];
    out[i] = static_cast<unsigned char>((77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8);
}

__global__ void swap_channels(const uchar4* in, uchar4* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 p = in[i];
    out[i] = make_uchar4(p.z, p.y, p.x, 255);
}

__global__ void add_shorts(const short* a, const short* b, short* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = static_cast<short>(a[i] + b[i]);
}

__global__ void scale_short2(const short2* in, short2* out, int factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_short2(in[i].x * factor, in[i].y * factor);
}

__device__ char hexadecimal(int digit) { return digit < 10 ? '0' + digit : 'a' + digit - 10; }

__global__ void encode_hexadecimal(const unsigned char* in, char* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[2 * i] = hexadecimal(in[i] >> 4);
    out[2 * i + 1] = hexadecimal(in[i] & 15);
}

__global__ void hash_lines(const char* text, const int* starts, unsigned* hashes, int lines) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    unsigned hash = 2166136261u;
    for (int k = starts[i]; k < starts[i + 1]; ++k) {
        hash = (hash ^ static_cast<unsigned char>(text[k])) * 16777619u;
    }
    hashes[i] = hash;
}

__global__ void copy_bytes_unaligned(const unsigned char* in, unsigned char* out, int offset,
                                     int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
}

std::vector<char> text_of(int n) {
    auto text = values<char>(n, 8, 50);
    for (auto& letter : text) letter = " abAcdeE"[static_cast<int>(letter)];
    return text;
}

void add_strings(Launches& launches) {
    const int n = 5000;
    const auto text = text_of(n);
    launches.add("find_string", [=](Outcome& outcome) {
        const std::vector<char> pattern = {'a', 'b', 'c'};
        const Array<char> input(text), wanted(pattern);
        const Array<int> found(n);
        find_string<<<blocks_of(n), 128>>>(input, n, wanted, 3, found);
        std::vector<int> expected(n, -1);
        for (int i = 0; i + 3 <= n; ++i) {
            expected[i] = std::equal(pattern.begin(), pattern.end(), text.begin() + i);
        }
        outcome.equal(found, expected);
    });
    launches.add("to_upper", [=](Outcome& outcome) {
        const Array<char> device(text);
        to_upper<<<blocks_of(n), 128>>>(device, n);
        auto expected = text;
        for (auto& c : expected) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        outcome.equal(device, expected);
    });
    launches.add("count_words", [=](Outcome& outcome) {
        const Array<char> input(text);
        const Array<int> count(1, 0);
        count_words<<<blocks_of(n), 128>>>(input, n, count);
        int expected = 0;
        for (int i = 0; i < n; ++i) expected += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
        outcome.equal(count, {expected});
    });
    launches.add("hash_lines", [=](Outcome& outcome) {
        const auto lengths = values<int>(300, 30, 3);
        std::vector<int> starts{0};
        for (const int length : lengths) starts.push_back(std::min(starts.back() + length, n));
        const Array<char> input(text);
        const Array<int> places(starts);
        const Array<unsigned> hashes(300);
        hash_lines<<<3, 128>>>(input, places, hashes, 300);
        std::vector<unsigned> expected(300, 2166136261u);
        for (int i = 0; i < 300; ++i) {
            for (int k = starts[i]; k < starts[i + 1]; ++k) {
                expected[i] = (expected[i] ^ static_cast<unsigned char>(text[k])) * 16777619u;
            }
        }
        outcome.equal(hashes, expected);
    });
    launches.add("encode_hexadecimal", [=](Outcome& outcome) {
        const auto in = values<unsigned char>(n, 256);
        const Array<unsigned char> input(in);
        const Array<char> out(2 * n);
        encode_hexadecimal<<<blocks_of(n), 128>>>(input, out, n);
        std::vector<char> expected(2 * n);
        for (int i = 0; i < 2 * n; ++i)
            expected[i] = "0123456789abcdef"[in[i / 2] >> 4 * (1 - i % 2) & 15];
        outcome.equal(out, expected);
    });
}

void add_pixels(Launches& launches) {
    const int n = 4000;
    const auto bytes = values<unsigned char>(4 * n, 256);
    launches.add("grey", [=](Outcome& outcome) {
        std::vector<uchar3> in(n);
        std::memcpy(in.data(), bytes.data(), 3 * n);
        const Array<uchar3> input(in);
        const Array<unsigned char> out(n);
        grey<<<blocks_of(n), 128>>>(input, out, n);
        std::vector<unsigned char> expected(n);
        for (int i = 0; i < n; ++i) {
            expected[i] =
                static_cast<unsigned char>((77 * in[i].x + 150 * in[i].y + 29 * in[i].z) >> 8);
        }
        outcome.equal(out, expected);
    });
    launches.add("swap_channels", [=](Outcome& outcome) {
        std::vector<uchar4> in(n), expected(n);
        std::memcpy(in.data(), bytes.data(), 4 * n);
        for (int i = 0; i < n; ++i) expected[i] = {in[i].z, in[i].y, in[i].x, 255};
        const Array<uchar4> input(in), out(n);
        swap_channels<<<blocks_of(n), 128>>>(input, out, n);
        outcome.equal(out, expected);
    });
    for (const int offset : {0, 13}) {
        launches.add("copy_bytes_unaligned/offset:" + std::to_string(offset),
                     [=](Outcome& outcome) {
                         const Array<unsigned char> input(bytes), out(n);
                         copy_bytes_unaligned<<<blocks_of(n), 128>>>(input, out, offset, n);
                         outcome.equal(out, {bytes.begin() + offset, bytes.begin() + offset + n});
                     });
    }
}

void add_numbers(Launches& launches) {
    const int n = 3001;
    const auto a = values<short>(2 * n, 30000, 1), b = values<short>(2 * n, 30000, 2);
    launches.add("add_shorts", [=](Outcome& outcome) {
        const Array<short> first(a), second(b), out(n);
        add_shorts<<<blocks_of(n), 128>>>(first, second, out, n);
        std::vector<short> expected(n);
        for (int i = 0; i < n; ++i) expected[i] = static_cast<short>(a[i] + b[i]);
        outcome.equal(out, expected);
    });
    launches.add("scale_short2", [=](Outcome& outcome) {
        std::vector<short2> in(n), expected(n);
        for (int i = 0; i < n; ++i) {
            in[i] = {a[2 * i], a[2 * i + 1]};
            expected[i] = {static_cast<short>(3 * a[2 * i]), static_cast<short>(3 * a[2 * i + 1])};
        }
        const Array<short2> input(in), out(n);
        scale_short2<<<blocks_of(n), 128>>>(input, out, 3, n);
        outcome.equal(out, expected);
    });
}

}  // namespace

void add_text(Launches& launches) {
    add_strings(launches);
    add_pixels(launches);
    add_numbers(launches);
}

}  // namespace ordinary
