// Codes, checksums, ciphers, text and sequences.
#include "../ordinary/launches.hpp"
#include "device_functions.cuh"
#include "themes.hpp"

namespace ordinary {
namespace {

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void base64_encode(const unsigned char* in, char4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, left = n - 3 * i;
    if (left <= 0) return;
    unsigned v = in[3 * i] << 16;
    if (left > 1) v |= in[3 * i + 1] << 8;
    if (left > 2) v |= in[3 * i + 2];
    char4 c;
    c.x = alphabet[v >> 18];
    c.y = alphabet[v >> 12 & 63];
    c.z = left > 1 ? alphabet[v >> 6 & 63] : '=';
    c.w = left > 2 ? alphabet[v & 63] : '=';
    out[i] = c;
}

__device__ int sextet(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : 63;
}

__global__ void base64_decode(const char4* in, uchar3* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    char4 c = in[i];
    int v = sextet(c.x) << 18 | sextet(c.y) << 12 | sextet(c.z) << 6 | sextet(c.w);
    out[i] = make_uchar3(static_cast<unsigned char>(v >> 16), static_cast<unsigned char>(v >> 8),
                         static_cast<unsigned char>(v));
}

// Each element looks for its run.
__global__ void run_length_decode(const int* ends, const char* letters, char* out, int runs,
                                  int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = runs;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends[middle] <= i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    out[i] = letters[low];
}

// Numbers of eleven bits one after another.
__global__ void pack_11_bits(const unsigned short* in, unsigned* out, int n, int words) {
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;
    unsigned word = 0;
    int first = w * 32 / 11;
    for (int i = first; i < n && i * 11 < w * 32 + 32; ++i) {
        int at = i * 11 - w * 32;
        word |= at < 0 ? static_cast<unsigned>(in[i]) >> -at : static_cast<unsigned>(in[i]) << at;
    }
    out[w] = word;
}

__global__ void unpack_bits(const unsigned* in, int* out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bit = i * width;
    unsigned v = __funnelshift_r(in[bit / 32], in[bit / 32 + 1], bit % 32);
    // The highest bit is the sign.
    out[i] = static_cast<int>(v << (32 - width)) >> (32 - width);
}

// Differences in seven bits a byte, the sign in the lowest bit; a row a thread.
__global__ void decode_varints(const unsigned char* bytes, const int* offsets, long long* sums,
                               int* counts, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int at = offsets[row], count = 0;
    long long last = 0, sum = 0;
    while (at < offsets[row + 1]) {
        unsigned long long v = 0;
        int shift = 0;
        unsigned char byte;
        do {
            byte = bytes[at++];
            v |= static_cast<unsigned long long>(byte & 127) << shift;
            shift += 7;
        } while (byte & 128);
        last += static_cast<long long>(v >> 1) ^ -static_cast<long long>(v & 1);
        sum += last;
        ++count;
    }
    sums[row] = sum;
    counts[row] = count;
}

// As many zeros as there are bits after the first one.
__global__ void decode_gamma(const unsigned* bits, const int* starts, int* out, int rows,
                             int each) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int at = starts[row];
    for (int i = 0; i < each; ++i) {
        unsigned v = __funnelshift_l(bits[at / 32 + 1], bits[at / 32], at % 32);
        int zeros = __clz(static_cast<int>(v));
        out[row * each + i] = static_cast<int>(v >> (31 - 2 * zeros));
        at += 2 * zeros + 1;
    }
}

// Code points of a line; what is no UTF-8 becomes U+FFFD.
__global__ void decode_utf8(const unsigned char* text, const int* lines, int* points, int* counts,
                            int n) {
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= n) return;
    int at = lines[line], end = lines[line + 1], to = at;
    while (at < end) {
        int c = text[at++], more = 0;
        if (c >= 0xf0) {
            more = 3;
            c &= 7;
        } else if (c >= 0xe0) {
            more = 2;
            c &= 15;
        } else if (c >= 0xc0) {
            more = 1;
            c &= 31;
        } else if (c >= 0x80) {
            c = 0xfffd;
        }
        for (; more > 0 && at < end; --more) c = c << 6 | (text[at++] & 63);
        points[to++] = c;
    }
    counts[line] = to - lines[line];
}

constexpr int PATTERN = 9;
__constant__ char pattern[PATTERN + 1];
__constant__ int borders[PATTERN];

// Knuth, Morris and Pratt: each thread finds what begins in its 64 letters.
__global__ void count_pattern(const char* text, int* counts, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    if (first >= n) return;
    int last = min(first + 64 + PATTERN - 1, n), matched = 0, count = 0;
    for (int i = first; i < last; ++i) {
        while (matched > 0 && pattern[matched] != text[i]) matched = borders[matched - 1];
        if (pattern[matched] == text[i]) ++matched;
        if (matched == PATTERN) {
            ++count;
            matched = borders[matched - 1];
        }
    }
    counts[first / 64] = count;
}

// Rolling hashes of windows, 40 a thread; equal hashes are compared.
__global__ void rabin_karp(const unsigned char* text, const unsigned char* wanted,
                           unsigned char* found, int n, int length) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 40;
    int last = min(first + 40, n - length + 1);
    if (first >= last) return;
    unsigned target = 0, hash = 0, power = 1;
    for (int i = 0; i < length; ++i) {
        target = target * 257 + wanted[i];
        hash = hash * 257 + text[first + i];
        if (i > 0) power *= 257;
    }
    for (int at = first;; ++at) {
        bool same = hash == target;
        for (int i = 0; same && i < length; ++i) same = text[at + i] == wanted[i];
        found[at] = same;
        if (at + 1 == last) break;
        hash = (hash - power * text[at]) * 257 + text[at + length];
    }
}

// A bit a letter of the pattern; at most one letter may differ.
__global__ void shift_and(const unsigned char* rows, const unsigned long long* masks, int* counts,
                          int n, int length, int letters) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    unsigned long long exact = 0, near = 0, end = 1ull << (letters - 1);
    int count = 0;
    for (int i = 0; i < length; ++i) {
        unsigned long long mask = masks[rows[i * n + row]], longer = exact << 1 | 1;
        near = ((near << 1 | 1) & mask) | longer;
        exact = longer & mask;
        count += (near & end) != 0;
    }
    counts[row] = count;
}

// Myers' edit distance: a column of the table in one word.
__global__ void edit_distances(const unsigned char* a, const unsigned char* b, int* distances,
                               int n, int length_a, int length_b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long equal[4] = {}, plus = ~0ull, minus = 0, last = 1ull << (length_a - 1);
    for (int k = 0; k < length_a; ++k) equal[a[i * length_a + k]] |= 1ull << k;
    int distance = length_a;
    for (int k = 0; k < length_b; ++k) {
        unsigned long long eq = equal[b[i * length_b + k]], vertical = eq | minus;
        unsigned long long across = (((eq & plus) + plus) ^ plus) | eq;
        unsigned long long up = minus | ~(across | plus), down = plus & across;
        if (up & last) ++distance;
        if (down & last) --distance;
        up = up << 1 | 1;
        down <<= 1;
        plus = down | ~(vertical | up);
        minus = up & vertical;
    }
    distances[i] = distance;
}

// Local alignment along the diagonals, a row of the table a thread.
__global__ void smith_waterman(const char* a, const char* b, int* best, int length_a,
                               int length_b) {
    __shared__ int diagonals[3][97];
    __shared__ int highest;
    int i = threadIdx.x, left = 0, mine = 0;
    for (int k = 0; k < 3; ++k) diagonals[k][i + 1] = diagonals[k][0] = 0;
    if (i == 0) highest = 0;
    char letter = i < length_a ? a[blockIdx.x * length_a + i] : 0;
    for (int d = 0; d < length_a + length_b - 1; ++d) {
        __syncthreads();
        int j = d - i, score = 0;
        if (i < length_a && j >= 0 && j < length_b) {
            int match = letter == b[blockIdx.x * length_b + j] ? 3 : -2;
            int corner = diagonals[(d + 1) % 3][i], above = diagonals[(d + 2) % 3][i];
            score = max(max(0, corner + match), max(above, left) - 2);
            mine = max(mine, score);
        }
        left = score;
        diagonals[d % 3][i + 1] = score;
    }
    atomicMax(&highest, mine);
    __syncthreads();
    if (i == 0) best[blockIdx.x] = highest;
}

// Lines of numbers with two digits after the point, in hundredths.
__global__ void parse_lines(const char* text, const int* lines, int2* results, int n) {
    int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= n) return;
    int fields = 0, sum = 0, v = 0;
    bool is_negative = false;
    for (const char* p = text + lines[line];; ++p) {
        char c = *p;
        if (c >= '0' && c <= '9') {
            v = v * 10 + (c - '0');
        } else if (c == '-') {
            is_negative = true;
        } else if (c != '.') {
            sum += is_negative ? -v : v;
            ++fields;
            v = 0;
            is_negative = false;
            if (c == '\n') break;
        }
    }
    results[line] = make_int2(fields, sum);
}

struct Field {
    char text[12];
};

__global__ void format_numbers(const int* in, Field* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Field field;
    int v = in[i];
    unsigned rest = v < 0 ? -static_cast<unsigned>(v) : v;
    int at = 11;
    field.text[at--] = '\n';
    do {
        field.text[at--] = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (v < 0) field.text[at--] = '-';
    while (at >= 0) field.text[at--] = ' ';
    out[i] = field;
}

__constant__ char wildcard[16];

// The last star takes one letter more whenever the rest does not fit.
__global__ void match_wildcards(const char* words, bool* matches, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *word = words + 16 * i, *p = wildcard, *star = nullptr, *retry = nullptr;
    bool is_match = true;
    while (*word) {
        if (*p == '?' || *p == *word) {
            ++p;
            ++word;
        } else if (*p == '*') {
            star = p++;
            retry = word;
        } else if (star) {
            p = star + 1;
            word = ++retry;
        } else {
            is_match = false;
            break;
        }
    }
    while (*p == '*') ++p;
    matches[i] = is_match && *p == 0;
}

__device__ unsigned long long spread(unsigned v) {
    unsigned long long x = v & 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

__global__ void morton_codes(const uint3* points, unsigned long long* codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint3 p = points[i];
    codes[i] = spread(p.x) | spread(p.y) << 1 | spread(p.z) << 2;
}

// Where on Hilbert's curve each cell of a square lies.
__global__ void hilbert_places(unsigned short* places, int size) {
    int cx = blockIdx.x * blockDim.x + threadIdx.x, cy = blockIdx.y, x = cx, y = cy, place = 0;
    if (cx >= size) return;
    for (int s = size / 2; s > 0; s /= 2) {
        int rx = (x & s) > 0, ry = (y & s) > 0;
        place += s * s * ((3 * rx) ^ ry);
        if (ry == 0) {
            if (rx == 1) {
                x = size - 1 - x;
                y = size - 1 - y;
            }
            int t = x;
            x = y;
            y = t;
        }
    }
    places[cy * size + cx] = static_cast<unsigned short>(place);
}

// Four bits of data in seven, any one of which may be wrong.
__global__ void correct_hamming(const unsigned char* in, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = in[i], syndrome = 0;
    for (int bit = 1; bit <= 7; ++bit) {
        if (v >> (bit - 1) & 1) syndrome ^= bit;
    }
    if (syndrome) v ^= 1 << (syndrome - 1);
    out[i] = static_cast<unsigned char>((v >> 2 & 1) | (v >> 3 & 14));
}

// Four bytes a step by four tables in shared memory.
__global__ void crc32_sliced(const unsigned* tables, const unsigned* messages, unsigned* sums,
                             int n, int words) {
    __shared__ unsigned table[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) table[i / 256][i % 256] = tables[i];
    __syncthreads();
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= n) return;
    unsigned crc = ~0u;
    for (int w = 0; w < words; ++w) {
        crc ^= messages[m * words + w];
        crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^
              table[0][crc >> 24];
    }
    sums[m] = ~crc;
}

__global__ void adler32(const unsigned char* messages, unsigned* sums, int n) {
    __shared__ unsigned long long partial[2];
    if (threadIdx.x < 2) partial[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long a = 0, b = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = messages[blockIdx.x * n + i];
        a += v;
        b += static_cast<unsigned long long>(v) * (n - i);
    }
    a = warp_sum(a);
    b = warp_sum(b);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&partial[0], a);
        atomicAdd(&partial[1], b);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        auto low = static_cast<unsigned>((1 + partial[0]) % 65521);
        sums[blockIdx.x] = static_cast<unsigned>((n + partial[1]) % 65521) << 16 | low;
    }
}

__host__ __device__ unsigned turn_right(unsigned v, int by) { return v >> by | v << (32 - by); }

// One block of SHA-256; the message's words are replaced as they are used up.
__host__ __device__ void sha256_block(const unsigned* constants, unsigned* state, unsigned* w) {
    unsigned s[8];
    for (int i = 0; i < 8; ++i) s[i] = state[i];
    for (int round = 0; round < 64; ++round) {
        if (round >= 16) {
            unsigned x = w[(round + 1) % 16], y = w[(round + 14) % 16];
            w[round % 16] += (turn_right(x, 7) ^ turn_right(x, 18) ^ x >> 3) + w[(round + 9) % 16] +
                             (turn_right(y, 17) ^ turn_right(y, 19) ^ y >> 10);
        }
        unsigned e = s[4], a = s[0];
        unsigned t1 = s[7] + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) +
                      ((e & s[5]) ^ (~e & s[6])) + constants[round] + w[round % 16];
        unsigned t2 = (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int i = 7; i > 0; --i) s[i] = s[i - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

struct Digest {
    unsigned words[8];
};

__constant__ unsigned sha256_constants[64];

// Messages of 32 bytes with their padding.
__global__ void sha256_digests(const Digest* messages, Digest start, Digest* digests, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned w[16] = {};
    for (int k = 0; k < 8; ++k) w[k] = messages[i].words[k];
    w[8] = 0x80000000u;
    w[15] = 256;
    sha256_block(sha256_constants, start.words, w);
    digests[i] = start;
}

__host__ __device__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
    a += b;
    d = turn_right(d ^ a, 16);
    c += d;
    b = turn_right(b ^ c, 20);
    a += b;
    d = turn_right(d ^ a, 24);
    c += d;
    b = turn_right(b ^ c, 25);
}

// A block of key stream for a counter.
__host__ __device__ void chacha20(const unsigned* key, unsigned counter, unsigned* out) {
    unsigned in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int i = 0; i < 8; ++i) in[4 + i] = key[i];
    in[12] = counter;
    in[13] = 9;
    in[14] = 0x4a;
    in[15] = 0;
    for (int i = 0; i < 16; ++i) out[i] = in[i];
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 4; ++i) quarter(out[i], out[4 + i], out[8 + i], out[12 + i]);
        for (int i = 0; i < 4; ++i) {
            quarter(out[i], out[4 + (i + 1) % 4], out[8 + (i + 2) % 4], out[12 + (i + 3) % 4]);
        }
    }
    for (int i = 0; i < 16; ++i) out[i] += in[i];
}

__global__ void encrypt(const unsigned* __restrict__ key, uint4* text, int blocks) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    unsigned stream[16];
    chacha20(key, b, stream);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        uint4 v = text[4 * b + k];
        v.x ^= stream[4 * k];
        v.y ^= stream[4 * k + 1];
        v.z ^= stream[4 * k + 2];
        v.w ^= stream[4 * k + 3];
        text[4 * b + k] = v;
    }
}

// The smallest hash of eight letters in a row, letters of two bits.
__global__ void minimisers(const char* reads, unsigned* smallest, int n, int length) {
    int read = blockIdx.x * blockDim.x + threadIdx.x;
    if (read >= n) return;
    unsigned word = 0, best = ~0u;
    for (int i = 0; i < length; ++i) {
        unsigned code = 0;
        switch (reads[read * length + i]) {
            case 'C':
                code = 1;
                break;
            case 'G':
                code = 2;
                break;
            case 'T':
                code = 3;
                break;
        }
        word = (word << 2 | code) & 0xffff;
        if (i >= 7) best = min(best, pcg_hash(word));
    }
    smallest[read] = best;
}

// Letters and copies of what came before, which may overlap what they write.
__global__ void decode_copies(const uchar4* tokens, char* out, int streams, int each, int room) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams) return;
    char* text = out + s * room;
    int at = 0;
    for (int t = 0; t < each; ++t) {
        uchar4 token = tokens[t * streams + s];
        text[at++] = static_cast<char>(token.x);
        for (int k = 0; k < token.z; ++k, ++at) text[at] = text[at - token.y];
    }
    while (at < room) text[at++] = '.';
}

std::vector<char> letters_of(const std::vector<int>& numbers, const char* letters) {
    std::vector<char> text;
    for (int v : numbers) text.push_back(letters[v]);
    return text;
}

std::vector<char> base64_of(const std::vector<unsigned char>& bytes) {
    const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<char> text;
    unsigned rest = 0;
    int bits = 0;
    for (unsigned char byte : bytes) {
        rest = rest << 8 | byte;
        for (bits += 8; bits >= 6; bits -= 6) text.push_back(letters[rest >> (bits - 6) & 63]);
    }
    if (bits > 0) text.push_back(letters[rest << (6 - bits) & 63]);
    while (text.size() % 4 != 0) text.push_back('=');
    return text;
}

void add_packing(Launches& launches) {
    launches.add("base64_encode", [](Outcome& outcome) {
        const int n = 1000, groups = ceil_div(n, 3);
        auto in = values<unsigned char>(n, 256);
        Array<unsigned char> d(in);
        Array<char> out(4 * groups);
        base64_encode<<<3, 128>>>(d, reinterpret_cast<char4*>(out.data()), n);
        outcome.equal(out, base64_of(in));
    });
    launches.add("base64_decode", [](Outcome& outcome) {
        const int groups = 410;
        auto bytes = values<unsigned char>(3 * groups, 256);
        Array<char> d(base64_of(bytes));
        Array<unsigned char> out(3 * groups);
        base64_decode<<<7, 64>>>(reinterpret_cast<char4*>(d.data()),
                                 reinterpret_cast<uchar3*>(out.data()), groups);
        outcome.equal(out, bytes);
    });
    launches.add("run_length_decode", [](Outcome& outcome) {
        const int runs = 90;
        std::vector<int> ends;
        std::vector<char> letters, expected;
        for (int r = 0; r < runs; ++r) {
            letters.push_back(static_cast<char>('a' + r % 26));
            expected.insert(expected.end(), 1 + pcg_hash(r) % 50, letters.back());
            ends.push_back(static_cast<int>(expected.size()));
        }
        const int n = ends.back();
        Array<int> d(ends);
        Array<char> dl(letters), out(n);
        run_length_decode<<<ceil_div(n, 160), 160>>>(d, dl, out, runs, n);
        outcome.equal(out, expected);
    });
    launches.add("pack_11_bits", [](Outcome& outcome) {
        const int n = 1300, words = ceil_div(n * 11, 32);
        auto in = values<unsigned short>(n, 2048);
        Array<unsigned short> d(in);
        Array<unsigned> out(words);
        pack_11_bits<<<ceil_div(words, 96), 96>>>(d, out, n, words);
        std::vector<unsigned> expected(words);
        for (int b = 0; b < n * 11; ++b) {
            expected[b / 32] |= static_cast<unsigned>(in[b / 11] >> b % 11 & 1) << b % 32;
        }
        outcome.equal(out, expected);
    });
    launches.add("unpack_bits", [](Outcome& outcome) {
        const int n = 900, width = 13;
        auto numbers = values<int>(n, 8192);
        std::vector<unsigned> words(n * width / 32 + 2);
        for (int& v : numbers) v -= 4096;
        for (int b = 0; b < n * width; ++b) {
            words[b / 32] |= static_cast<unsigned>(numbers[b / width] >> b % width & 1) << b % 32;
        }
        Array<unsigned> d(words);
        Array<int> out(n);
        unpack_bits<<<8, 128>>>(d, out, n, width);
        outcome.equal(out, numbers);
    });
    launches.add("decode_varints", [](Outcome& outcome) {
        const int rows = 200;
        std::vector<unsigned char> bytes;
        std::vector<int> offsets = {0}, numbers;
        std::vector<long long> expected;
        for (int r = 0; r < rows; ++r) {
            long long last = 0, sum = 0;
            numbers.push_back(static_cast<int>(pcg_hash(r) % 12));
            for (int i = 0; i < numbers.back(); ++i) {
                long long v = pcg_hash(r * 16 + i) >> pcg_hash(i) % 28, step = v - last;
                auto rest = step < 0 ? -2ull * step - 1 : 2ull * step;
                for (; rest >= 128; rest >>= 7) {
                    bytes.push_back(static_cast<unsigned char>(rest | 128));
                }
                bytes.push_back(static_cast<unsigned char>(rest));
                last = v;
                sum += v;
            }
            offsets.push_back(static_cast<int>(bytes.size()));
            expected.push_back(sum);
        }
        Array<unsigned char> d(bytes);
        Array<int> o(offsets), counts(rows);
        Array<long long> sums(rows);
        decode_varints<<<4, 64>>>(d, o, sums, counts, rows);
        outcome.equal(sums, expected);
        outcome.equal(counts, numbers);
    });
    launches.add("decode_gamma", [](Outcome& outcome) {
        const int rows = 150, each = 20;
        std::vector<int> starts, numbers;
        std::vector<bool> stream;
        for (int i = 0; i < rows * each; ++i) {
            if (i % each == 0) starts.push_back(static_cast<int>(stream.size()));
            int v = 1 + static_cast<int>(pcg_hash(i) >> (20 + pcg_hash(i + 1) % 12)), size = 0;
            while (v >> (size + 1)) ++size;
            stream.insert(stream.end(), size, false);
            for (int bit = size; bit >= 0; --bit) stream.push_back(v >> bit & 1);
            numbers.push_back(v);
        }
        std::vector<unsigned> words(stream.size() / 32 + 2);
        for (std::size_t b = 0; b < stream.size(); ++b) {
            words[b / 32] |= static_cast<unsigned>(stream[b]) << (31 - b % 32);
        }
        Array<unsigned> d(words);
        Array<int> ds(starts), out(rows * each);
        decode_gamma<<<3, 64>>>(d, ds, out, rows, each);
        outcome.equal(out, numbers);
    });
    launches.add("decode_copies", [](Outcome& outcome) {
        const int streams = 140, each = 18, room = 18 * 12;
        std::vector<unsigned char> tokens(4 * streams * each);
        std::vector<char> expected(streams * room, '.');
        for (int s = 0; s < streams; ++s) {
            std::string text;
            for (int t = 0; t < each; ++t) {
                unsigned hash = pcg_hash(s * each + t);
                unsigned char* token = &tokens[4 * (t * streams + s)];
                token[0] = static_cast<unsigned char>('a' + hash % 26);
                text += static_cast<char>(token[0]);
                token[1] = static_cast<unsigned char>(1 + (hash >> 8) % text.size());
                token[2] = static_cast<unsigned char>((hash >> 20) % 11);
                for (int k = 0; k < token[2]; ++k) text += text[text.size() - token[1]];
            }
            std::copy(text.begin(), text.end(), expected.begin() + s * room);
        }
        Array<unsigned char> d(tokens);
        Array<char> out(streams * room);
        decode_copies<<<3, 64>>>(reinterpret_cast<uchar4*>(d.data()), out, streams, each, room);
        outcome.equal(out, expected);
    });
    launches.add("morton_codes", [](Outcome& outcome) {
        const int n = 500;
        auto numbers = values<unsigned>(3 * n, 1 << 21);
        Array<unsigned> d(numbers);
        Array<unsigned long long> codes(n);
        morton_codes<<<4, 128>>>(reinterpret_cast<uint3*>(d.data()), codes, n);
        std::vector<unsigned long long> expected(n);
        for (int i = 0; i < 63 * n; ++i) {
            unsigned long long bit = numbers[i / 63 * 3 + i % 3] >> i % 63 / 3 & 1;
            expected[i / 63] |= bit << i % 63;
        }
        outcome.equal(codes, expected);
    });
    launches.add("hilbert_places", [](Outcome& outcome) {
        const int size = 64;
        Array<unsigned short> places(size * size);
        hilbert_places<<<dim3(2, size), 32>>>(places, size);
        std::vector<unsigned short> expected(size * size);
        for (int place = 0; place < size * size; ++place) {
            int x = 0, y = 0, rest = place;
            for (int s = 1; s < size; s *= 2) {
                int rx = rest / 2 & 1, ry = (rest ^ rx) & 1;
                if (ry == 0) {
                    if (rx == 1) {
                        x = s - 1 - x;
                        y = s - 1 - y;
                    }
                    std::swap(x, y);
                }
                x += s * rx;
                y += s * ry;
                rest /= 4;
            }
            expected[y * size + x] = static_cast<unsigned short>(place);
        }
        outcome.equal(places, expected);
    });
    launches.add("correct_hamming", [](Outcome& outcome) {
        const int n = 1000;
        auto data = values<unsigned char>(n, 16);
        std::vector<unsigned char> sent;
        for (int i = 0; i < n; ++i) {
            int a = data[i] & 1, b = data[i] >> 1 & 1, c = data[i] >> 2 & 1, d = data[i] >> 3;
            int word = (a ^ b ^ d) | (a ^ c ^ d) << 1 | a << 2 | (b ^ c ^ d) << 3 | b << 4 |
                       c << 5 | d << 6;
            if (i % 3 != 0) word ^= 1 << i % 7;
            sent.push_back(static_cast<unsigned char>(word));
        }
        Array<unsigned char> d(sent), out(n);
        correct_hamming<<<8, 128>>>(d, out, n);
        outcome.equal(out, data);
    });
}

void add_checksums(Launches& launches) {
    launches.add("crc32_sliced", [](Outcome& outcome) {
        const int n = 260, words = 18;
        std::vector<unsigned> tables(1024);
        for (unsigned i = 0; i < 256; ++i) {
            tables[i] = i;
            for (int bit = 0; bit < 8; ++bit) {
                tables[i] = tables[i] & 1 ? tables[i] >> 1 ^ 0xedb88320u : tables[i] >> 1;
            }
        }
        for (int i = 256; i < 1024; ++i) {
            tables[i] = tables[i - 256] >> 8 ^ tables[tables[i - 256] & 255];
        }
        auto messages = values<unsigned>(n * words, 1 << 23);
        for (unsigned& v : messages) v *= 733;
        Array<unsigned> dt(tables), d(messages), sums(n);
        crc32_sliced<<<3, 96>>>(dt, d, sums, n, words);
        std::vector<unsigned> expected;
        for (int m = 0; m < n; ++m) {
            unsigned crc = ~0u;
            for (int b = 0; b < 32 * words; ++b) {
                unsigned bit = messages[m * words + b / 32] >> b % 32 & 1;
                crc = (crc ^ bit) & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
            }
            expected.push_back(~crc);
        }
        outcome.equal(sums, expected);
    });
    launches.add("adler32", [](Outcome& outcome) {
        const int n = 3001, messages = 5;
        auto in = values<unsigned char>(n * messages, 256);
        Array<unsigned char> d(in);
        Array<unsigned> sums(messages);
        adler32<<<messages, 128>>>(d, sums, n);
        std::vector<unsigned> expected;
        for (int m = 0; m < messages; ++m) {
            unsigned a = 1, b = 0;
            for (int i = 0; i < n; ++i) {
                a = (a + in[m * n + i]) % 65521;
                b = (b + a) % 65521;
            }
            expected.push_back(b << 16 | a);
        }
        outcome.equal(sums, expected);
    });
    launches.add("sha256_digests", [](Outcome& outcome) {
        const int n = 300;
        // The fractions of the roots of the first primes.
        std::vector<unsigned> constants;
        Digest start;
        for (int p = 2; constants.size() < 64; ++p) {
            bool is_prime = true;
            for (int q = 2; q * q <= p; ++q) is_prime = is_prime && p % q != 0;
            if (!is_prime) continue;
            auto fraction = [](long double v) {
                return static_cast<unsigned>((v - std::floor(v)) * 4294967296.0l);
            };
            if (constants.size() < 8) start.words[constants.size()] = fraction(std::sqrt(p * 1.0l));
            constants.push_back(fraction(std::cbrt(p * 1.0l)));
        }
        Digest abc = start;
        unsigned padded[16] = {0x61626380u};
        padded[15] = 24;
        sha256_block(constants.data(), abc.words, padded);
        if (abc.words[0] != 0xba7816bfu) throw std::runtime_error("the digest of abc is wrong");
        check(cudaMemcpyToSymbol(sha256_constants, constants.data(), 64 * sizeof(unsigned)));
        std::vector<Digest> messages(n), expected;
        for (int i = 0; i < 8 * n; ++i) messages[i / 8].words[i % 8] = pcg_hash(i);
        Array<Digest> d(messages), digests(n);
        sha256_digests<<<5, 64>>>(d, start, digests, n);
        for (const Digest& message : messages) {
            unsigned w[16] = {};
            std::copy(message.words, message.words + 8, w);
            w[8] = 0x80000000u;
            w[15] = 256;
            Digest digest = start;
            sha256_block(constants.data(), digest.words, w);
            expected.push_back(digest);
        }
        outcome.equal(digests, expected);
    });
    launches.add("encrypt", [](Outcome& outcome) {
        const int blocks = 230;
        auto key = values<unsigned>(8, 1 << 23), text = values<unsigned>(16 * blocks, 1 << 23, 2);
        Array<unsigned> dk(key), d(text);
        encrypt<<<4, 64>>>(dk, reinterpret_cast<uint4*>(d.data()), blocks);
        for (int b = 0; b < blocks; ++b) {
            unsigned stream[16];
            chacha20(key.data(), b, stream);
            for (int k = 0; k < 16; ++k) text[16 * b + k] ^= stream[k];
        }
        outcome.equal(d, text);
    });
}

void add_texts(Launches& launches) {
    launches.add("decode_utf8", [](Outcome& outcome) {
        const int n = 160;
        std::vector<unsigned char> text;
        std::vector<int> lines = {0}, numbers, expected;
        for (int line = 0; line < n; ++line) {
            numbers.push_back(static_cast<int>(pcg_hash(line) % 15));
            for (int i = 0; i < numbers.back(); ++i) {
                unsigned hash = pcg_hash(line * 100 + i);
                int point = static_cast<int>(0x20 + (hash >> 4) % (hash % 4 == 0   ? 0x5f
                                                                   : hash % 4 == 1 ? 0x700
                                                                   : hash % 4 == 2 ? 0xd000
                                                                                   : 0x10f000));
                auto put = [&](int v) { text.push_back(static_cast<unsigned char>(v)); };
                if (hash % 23 == 0) {
                    point = 0xfffd;
                    put(0x85);
                } else if (point < 0x80) {
                    put(point);
                } else if (point < 0x800) {
                    put(0xc0 | point >> 6);
                    put(0x80 | (point & 63));
                } else if (point < 0x10000) {
                    put(0xe0 | point >> 12);
                    put(0x80 | (point >> 6 & 63));
                    put(0x80 | (point & 63));
                } else {
                    put(0xf0 | point >> 18);
                    put(0x80 | (point >> 12 & 63));
                    put(0x80 | (point >> 6 & 63));
                    put(0x80 | (point & 63));
                }
                expected.push_back(point);
            }
            lines.push_back(static_cast<int>(text.size()));
            expected.resize(text.size(), -1);
        }
        Array<unsigned char> d(text);
        Array<int> dl(lines), points(text.size()), counts(n);
        decode_utf8<<<3, 64>>>(d, dl, points, counts, n);
        outcome.equal(points, expected);
        outcome.equal(counts, numbers);
    });
    launches.add("count_pattern", [](Outcome& outcome) {
        const int n = 9000, chunks = ceil_div(n, 64);
        const std::string wanted = "abaababaa";
        std::vector<int> table(PATTERN);
        for (int i = 1, k = 0; i < PATTERN; ++i) {
            while (k > 0 && wanted[k] != wanted[i]) k = table[k - 1];
            if (wanted[k] == wanted[i]) ++k;
            table[i] = k;
        }
        check(cudaMemcpyToSymbol(pattern, wanted.c_str(), PATTERN + 1));
        check(cudaMemcpyToSymbol(borders, table.data(), sizeof borders));
        auto text = letters_of(values<int>(n, 3), "aba");
        Array<char> d(text);
        Array<int> counts(chunks);
        count_pattern<<<2, 96>>>(d, counts, n);
        std::vector<int> expected(chunks);
        for (int i = 0; i + PATTERN <= n; ++i) {
            expected[i / 64] += std::equal(wanted.begin(), wanted.end(), text.begin() + i);
        }
        outcome.equal(counts, expected);
    });
    launches.add("rabin_karp", [](Outcome& outcome) {
        const int n = 6000, length = 7;
        auto text = values<unsigned char>(n, 3);
        std::vector<unsigned char> wanted(text.begin() + 700, text.begin() + 700 + length);
        Array<unsigned char> d(text), dw(wanted), found(n - length + 1);
        rabin_karp<<<2, 96>>>(d, dw, found, n, length);
        std::vector<unsigned char> expected;
        for (int i = 0; i + length <= n; ++i) {
            expected.push_back(std::equal(wanted.begin(), wanted.end(), text.begin() + i));
        }
        outcome.equal(found, expected);
    });
    launches.add("shift_and", [](Outcome& outcome) {
        const int n = 300, length = 90, letters = 6;
        auto rows = values<unsigned char>(n * length, 4),
             wanted = values<unsigned char>(letters, 4, 5);
        std::vector<unsigned long long> masks(4);
        for (int k = 0; k < letters; ++k) masks[wanted[k]] |= 1ull << k;
        Array<unsigned char> d(rows);
        Array<unsigned long long> dm(masks);
        Array<int> counts(n);
        shift_and<<<5, 64>>>(d, dm, counts, n, length, letters);
        std::vector<int> expected(n);
        for (int r = 0; r < n; ++r) {
            for (int i = 0; i + letters <= length; ++i) {
                int wrong = 0;
                for (int k = 0; k < letters; ++k) wrong += rows[(i + k) * n + r] != wanted[k];
                expected[r] += wrong <= 1;
            }
        }
        outcome.equal(counts, expected);
    });
    launches.add("edit_distances", [](Outcome& outcome) {
        const int n = 130, la = 50, lb = 65;
        auto a = values<unsigned char>(n * la, 4), b = values<unsigned char>(n * lb, 4, 2);
        Array<unsigned char> da(a), db(b);
        Array<int> out(n);
        edit_distances<<<3, 64>>>(da, db, out, n, la, lb);
        std::vector<int> expected, row(lb + 1);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k <= lb; ++k) row[k] = k;
            for (int y = 0; y < la; ++y) {
                int corner = row[0]++;
                for (int x = 0; x < lb; ++x) {
                    int through = corner + (a[i * la + y] != b[i * lb + x]);
                    corner = row[x + 1];
                    row[x + 1] = std::min({through, corner + 1, row[x] + 1});
                }
            }
            expected.push_back(row[lb]);
        }
        outcome.equal(out, expected);
    });
    launches.add("smith_waterman", [](Outcome& outcome) {
        const int pairs = 7, la = 77, lb = 110;
        auto a = letters_of(values<int>(pairs * la, 4), "ACGT");
        auto b = letters_of(values<int>(pairs * lb, 4, 2), "ACGT");
        Array<char> da(a), db(b);
        Array<int> best(pairs);
        smith_waterman<<<pairs, 96>>>(da, db, best, la, lb);
        std::vector<int> expected;
        for (int p = 0; p < pairs; ++p) {
            std::vector<int> table((la + 1) * (lb + 1));
            for (int y = 1; y <= la; ++y) {
                for (int x = 1; x <= lb; ++x) {
                    int match = a[p * la + y - 1] == b[p * lb + x - 1] ? 3 : -2;
                    int* at = &table[y * (lb + 1) + x];
                    *at = std::max({0, at[-lb - 2] + match, at[-lb - 1] - 2, at[-1] - 2});
                }
            }
            expected.push_back(*std::max_element(table.begin(), table.end()));
        }
        outcome.equal(best, expected);
    });
    launches.add("parse_lines", [](Outcome& outcome) {
        const int n = 220;
        std::string text;
        std::vector<int> lines;
        std::vector<int2> expected;
        for (int line = 0; line < n; ++line) {
            lines.push_back(static_cast<int>(text.size()));
            int2 e = {1 + static_cast<int>(pcg_hash(line) % 7), 0};
            for (int i = 0; i < e.x; ++i) {
                int v = static_cast<int>(pcg_hash(line * 8 + i) % 200000) - 100000;
                e.y += v;
                if (v < 0) text += '-';
                text += std::to_string(std::abs(v) / 100) + "." +
                        std::to_string(std::abs(v) % 100 + 100).substr(1);
                text += i + 1 < e.x ? ',' : '\n';
            }
            expected.push_back(e);
        }
        Array<char> d(std::vector<char>(text.begin(), text.end()));
        Array<int> dl(lines);
        Array<int2> results(n);
        parse_lines<<<3, 96>>>(d, dl, results, n);
        outcome.equal(results, expected);
    });
    launches.add("format_numbers", [](Outcome& outcome) {
        const int n = 700;
        std::vector<int> numbers = {0, -1, 2147483647, -2147483647 - 1};
        while (numbers.size() < n) {
            unsigned hash = pcg_hash(static_cast<unsigned>(numbers.size()));
            numbers.push_back(static_cast<int>(hash) >> hash % 31);
        }
        Array<int> d(numbers);
        Array<Field> out(n);
        format_numbers<<<11, 64>>>(d, out, n);
        std::vector<Field> expected;
        for (int v : numbers) {
            std::string text = std::to_string(v) + "\n";
            text.insert(0, 12 - text.size(), ' ');
            Field field;
            std::copy(text.begin(), text.end(), field.text);
            expected.push_back(field);
        }
        outcome.equal(out, expected);
    });
    launches.add("match_wildcards", [](Outcome& outcome) {
        const int n = 420;
        const std::string wanted = "*a?b*c";
        check(cudaMemcpyToSymbol(wildcard, wanted.c_str(), wanted.size() + 1));
        std::vector<char> words(16 * n);
        std::vector<char> expected;
        for (int i = 0; i < n; ++i) {
            int length = static_cast<int>(pcg_hash(i) % 15);
            for (int k = 0; k < length; ++k) words[16 * i + k] = "abc"[pcg_hash(16 * i + k) % 3];
            // A word fits that ends with c and has b two places after an a, before that c.
            const char* word = &words[16 * i];
            bool fits = false;
            for (int k = 0; k + 3 < length; ++k) fits |= word[k] == 'a' && word[k + 2] == 'b';
            expected.push_back(fits && word[length - 1] == 'c');
        }
        Array<char> d(words), matches(n);
        match_wildcards<<<4, 128>>>(d, reinterpret_cast<bool*>(matches.data()), n);
        outcome.equal(matches, expected);
    });
    launches.add("minimisers", [](Outcome& outcome) {
        const int n = 250, length = 60;
        auto numbers = values<int>(n * length, 4);
        auto reads = letters_of(numbers, "ACGT");
        Array<char> d(reads);
        Array<unsigned> smallest(n);
        minimisers<<<4, 64>>>(d, smallest, n, length);
        std::vector<unsigned> expected(n, ~0u);
        for (int r = 0; r < n; ++r) {
            for (int i = 0; i + 8 <= length; ++i) {
                unsigned word = 0;
                for (int k = 0; k < 8; ++k) word = word * 4 + numbers[r * length + i + k];
                expected[r] = std::min(expected[r], pcg_hash(word));
            }
        }
        outcome.equal(smallest, expected);
    });
}

}  // namespace

void add_codes_text(Launches& launches) {
    add_packing(launches);
    add_checksums(launches);
    add_texts(launches);
}

}  // namespace ordinary
