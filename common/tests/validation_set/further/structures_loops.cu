// Structures of odd sizes, unions and bit fields, loops with many exits, calls and templates.
#include <cuda_runtime.h>

#include <new>

#include "../ordinary/launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

struct Pixel {
    unsigned char r, g, b;
};

__device__ unsigned char add_saturated(unsigned char v, int change) {
    return static_cast<unsigned char>(min(max(v + change, 0), 255));
}

__global__ void brighten_triples(Pixel* pixels, int n, int change) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pixel p = pixels[i];
    p.r = add_saturated(p.r, change);
    p.g = add_saturated(p.g, change);
    p.b = add_saturated(p.b, -change);
    pixels[i] = p;
}

void run_brighten_triples(Outcome& outcome) {
    const int n = 70001, change = 60;
    const auto bytes = values<unsigned char>(3 * n, 256, 1);
    std::vector<Pixel> picture(n), expected(n);
    for (int i = 0; i < n; ++i) {
        picture[i] = {bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]};
        expected[i].r = static_cast<unsigned char>(std::min(255, picture[i].r + change));
        expected[i].g = static_cast<unsigned char>(std::min(255, picture[i].g + change));
        expected[i].b = static_cast<unsigned char>(std::max(0, picture[i].b - change));
    }
    const Array<Pixel> pixels(picture);
    brighten_triples<<<blocks_for(n, 192), 192>>>(pixels, n, change);
    outcome.equal(pixels, expected);
}

struct Ball {
    float position[3], speed[3];
    int bounces;
};

struct Room {
    float size[3];
    float fall;
};

// 28 bytes a ball: no vector loads.
__global__ void bounce_balls(Ball* balls, int n, Room room) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Ball ball = balls[i];
        ball.speed[2] -= room.fall;
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            float p = ball.position[d] + ball.speed[d];
            if (p < 0.0f) {
                p = -p;
                ball.speed[d] = -ball.speed[d];
                ++ball.bounces;
            } else if (p > room.size[d]) {
                p = 2.0f * room.size[d] - p;
                ball.speed[d] = -ball.speed[d];
                ++ball.bounces;
            }
            ball.position[d] = p;
        }
        balls[i] = ball;
    }
}

void run_bounce_balls(Outcome& outcome) {
    const int n = 9001;
    const Room room = {{100.0f, 90.0f, 80.0f}, 2.0f};
    const auto places = values<float>(3 * n, 81, 2), speeds = values<float>(3 * n, 41, 3);
    std::vector<Ball> start(n);
    for (int i = 0; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            start[i].position[d] = places[3 * i + d];
            start[i].speed[d] = speeds[3 * i + d] - 20.5f;
        }
        start[i].bounces = i % 5;
    }
    const Array<Ball> balls(start);
    bounce_balls<<<23, 128>>>(balls, n, room);
    for (Ball& ball : start) {
        ball.speed[2] -= room.fall;
        for (int d = 0; d < 3; ++d) {
            const float p = ball.position[d] + ball.speed[d];
            ball.position[d] = p < 0 ? -p : p > room.size[d] ? 2 * room.size[d] - p : p;
            if (p >= 0 && p <= room.size[d]) continue;
            ball.speed[d] *= -1.0f;
            ++ball.bounces;
        }
    }
    outcome.equal(balls, start);
}

struct Pupil {
    short id, marks[4];
};

struct Report {
    short id, best, total;
};

__global__ void report_marks(const Pupil* __restrict__ pupils, Report* __restrict__ reports,
                             int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Report report = {pupils[i].id, 0, 0};
    for (int k = 0; k < 4; ++k) {
        short mark = pupils[i].marks[k];
        if (mark < 0) continue;  // absent
        report.best = max(report.best, mark);
        report.total += mark;
    }
    reports[i] = report;
}

void run_report_marks(Outcome& outcome) {
    const int n = 20011;
    const auto marks = values<short>(4 * n, 120, 4);
    std::vector<Pupil> all(n);
    std::vector<Report> expected(n);
    for (int i = 0; i < n; ++i) {
        all[i].id = expected[i].id = static_cast<short>(i);
        for (int k = 0; k < 4; ++k) {
            const int mark = marks[4 * i + k] - 20;
            all[i].marks[k] = static_cast<short>(mark);
            expected[i].best = std::max(expected[i].best, static_cast<short>(mark));
            expected[i].total = static_cast<short>(expected[i].total + std::max(mark, 0));
        }
    }
    const Array<Pupil> pupils(all);
    const Array<Report> reports(n);
    report_marks<<<blocks_for(n, 130), 130>>>(pupils, reports, n);
    outcome.equal(reports, expected);
}

enum class Form : int { Ball, Box, Path };

struct Solid {
    Form form;
    union {
        float radius;
        int sides[3];
        short steps[6];
    };
};

__global__ void measure_solids(const Solid* solids, int* sizes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Solid& solid = solids[i];
    int size = 0;
    if (solid.form == Form::Ball) {
        size = static_cast<int>(4.0f * solid.radius * solid.radius);
    } else if (solid.form == Form::Box) {
        size = solid.sides[0] * solid.sides[1] * solid.sides[2];
    } else {
        for (int k = 0; k < 6; ++k) size += abs(solid.steps[k]);
    }
    sizes[i] = size;
}

void run_measure_solids(Outcome& outcome) {
    const int n = 15003;
    const auto numbers = values<int>(7 * n, 100, 5);
    std::vector<Solid> all(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int* own = &numbers[7 * i];
        all[i].form = static_cast<Form>(own[0] % 3);
        if (all[i].form == Form::Ball) {
            all[i].radius = 0.5f * static_cast<float>(own[1]);
            expected[i] = own[1] * own[1];
        } else if (all[i].form == Form::Box) {
            for (int k = 0; k < 3; ++k) all[i].sides[k] = own[k + 1];
            expected[i] = own[1] * own[2] * own[3];
        } else {
            for (int k = 0; k < 6; ++k) {
                all[i].steps[k] = static_cast<short>(own[k + 1] - 50);
                expected[i] += std::abs(own[k + 1] - 50);
            }
        }
    }
    const Array<Solid> solids(all);
    const Array<int> sizes(n);
    measure_solids<<<blocks_for(n, 256), 256>>>(solids, sizes, n);
    outcome.equal(sizes, expected);
}

struct Date {
    unsigned day : 5, month : 4, year : 12, weekday : 3, serial : 8;
};

__device__ int days_in_month(int month, int year) {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

__global__ void next_days(Date* dates, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Date date = dates[i];
    date.weekday = (date.weekday + 1) % 7;
    ++date.serial;
    if (date.day < days_in_month(date.month, date.year)) {
        ++date.day;
    } else {
        date.day = 1;
        if (date.month == 12) {
            date.month = 1;
            ++date.year;
        } else {
            ++date.month;
        }
    }
    dates[i] = date;
}

void run_next_days(Outcome& outcome) {
    const int n = 73000;
    // Every day of two centuries, in order: the next one is the reference.
    const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    std::vector<Date> all;
    unsigned day = 1, month = 1, year = 1850;
    for (int i = 0; i <= n; ++i) {
        Date date;
        date.day = day;
        date.month = month;
        date.year = year;
        date.weekday = i % 7;
        date.serial = i % 256;
        all.push_back(date);
        const bool is_leap = year % 400 == 0 || (year % 100 != 0 && year % 4 == 0);
        const unsigned length = month == 2 && is_leap ? 29 : lengths[month - 1];
        day = day == length ? 1 : day + 1;
        if (day == 1) month = month == 12 ? 1 : month + 1;
        if (day == 1 && month == 1) ++year;
    }
    const Array<Date> dates(std::vector<Date>(all.begin(), all.end() - 1));
    next_days<<<blocks_for(n, 224), 224>>>(dates, n);
    outcome.equal(dates, std::vector<Date>(all.begin() + 1, all.end()));
}

// The right-angled triangle of each perimeter that has the shortest side.
__global__ void first_triangles(const int* __restrict__ perimeters, short3* __restrict__ sides,
                                int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int perimeter = perimeters[i];
    short3 found = make_short3(0, 0, 0);
    for (int a = 1; a < perimeter / 3; ++a) {
        for (int b = a + 1; b < perimeter; ++b) {
            int c = perimeter - a - b;
            if (c <= b) break;
            if (a * a + b * b != c * c) continue;
            found = make_short3(a, b, c);
            break;
        }
        if (found.x != 0) break;
    }
    sides[i] = found;
}

void run_first_triangles(Outcome& outcome) {
    const int n = 1501;
    auto numbers = values<int>(n, 140, 6);
    for (int& v : numbers) v += 12;
    std::vector<short> expected(3 * n);
    for (int i = 0; i < n; ++i) {
        for (int a = numbers[i]; a > 0; --a) {
            for (int b = a + 1; a + b < numbers[i]; ++b) {
                const int c = numbers[i] - a - b;
                if (a * a + b * b != c * c) continue;
                expected[3 * i] = static_cast<short>(a);
                expected[3 * i + 1] = static_cast<short>(b);
                expected[3 * i + 2] = static_cast<short>(c);
            }
        }
    }
    const Array<int> perimeters(numbers);
    const Array<short> sides(3 * n);
    first_triangles<<<blocks_for(n, 64), 64>>>(perimeters, reinterpret_cast<short3*>(sides.data()),
                                               n);
    outcome.equal(sides, expected);
}

// From the given month down through the earlier ones.
__global__ void days_by_fallthrough(const uchar2* dates, unsigned short* days, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar2 date = dates[i];
    int day = date.x;
    switch (date.y) {
        case 12:
            day += 30;
            [[fallthrough]];
        case 11:
            day += 31;
            [[fallthrough]];
        case 10:
            day += 30;
            [[fallthrough]];
        case 9:
            day += 31;
            [[fallthrough]];
        case 8:
            day += 31;
            [[fallthrough]];
        case 7:
            day += 30;
            [[fallthrough]];
        case 6:
            day += 31;
            [[fallthrough]];
        case 5:
            day += 30;
            [[fallthrough]];
        case 4:
            day += 31;
            [[fallthrough]];
        case 3:
            day += 28;
            [[fallthrough]];
        case 2:
            day += 31;
            [[fallthrough]];
        case 1:
            break;
        default:
            day = 0;
    }
    days[i] = static_cast<unsigned short>(day);
}

void run_days_by_fallthrough(Outcome& outcome) {
    const int n = 30030;
    const auto day = values<unsigned char>(n, 28, 7), month = values<unsigned char>(n, 15, 8);
    const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    std::vector<uchar2> pairs(n);
    std::vector<unsigned short> expected(n);
    for (int i = 0; i < n; ++i) {
        pairs[i] = make_uchar2(day[i] + 1, month[i]);
        if (month[i] < 1 || month[i] > 12) continue;
        int total = day[i] + 1;
        for (int m = 1; m < month[i]; ++m) total += lengths[m - 1];
        expected[i] = static_cast<unsigned short>(total);
    }
    const Array<uchar2> dates(pairs);
    const Array<unsigned short> days(n);
    days_by_fallthrough<<<blocks_for(n, 128), 128>>>(dates, days, n);
    outcome.equal(days, expected);
}

__device__ __noinline__ char name_triangle(int a, int b, int c) {
    if (a <= 0 || b <= 0 || c <= 0) return '-';
    int longest = max(a, max(b, c)), sum = a + b + c;
    if (2 * longest > sum) return '?';
    if (2 * longest == sum) return 'f';
    if (a == b && b == c) return 'e';
    if (a == b || b == c || a == c) return 'i';
    int squares = a * a + b * b + c * c;
    if (2 * longest * longest == squares) return 'r';
    return 2 * longest * longest > squares ? 'o' : 'a';
}

__global__ void name_triangles(const int3* sides, char* names, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        names[i] = name_triangle(sides[i].x, sides[i].y, sides[i].z);
    }
}

void run_name_triangles(Outcome& outcome) {
    const int n = 25001;
    const auto numbers = values<int>(3 * n, 14, 9);
    std::vector<char> expected(n);
    for (int i = 0; i < n; ++i) {
        int s[3] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
        std::sort(s, s + 3);
        const int rest = s[0] * s[0] + s[1] * s[1] - s[2] * s[2];
        char name = rest == 0 ? 'r' : rest < 0 ? 'o' : 'a';
        if (s[0] == s[1] || s[1] == s[2]) name = 'i';
        if (s[0] == s[2]) name = 'e';
        if (s[0] + s[1] == s[2]) name = 'f';
        if (s[0] + s[1] < s[2]) name = '?';
        if (s[0] == 0) name = '-';
        expected[i] = name;
    }
    const Array<int> sides(numbers);
    const Array<char> names(n);
    name_triangles<<<31, 96>>>(reinterpret_cast<const int3*>(sides.data()), names, n);
    outcome.equal(names, expected);
}

// Sums of the squares of the digits, until 1 or 4 comes.
__global__ void happy_numbers(const unsigned* numbers, unsigned char* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = numbers[i];
    int count = 0;
    while (v != 1 && v != 4) {
        unsigned sum = 0;
        do {
            unsigned digit = v % 10;
            sum += digit * digit;
            v /= 10;
        } while (v > 0);
        v = sum;
        ++count;
    }
    steps[i] = static_cast<unsigned char>(v == 1 ? count : 128 + count);
}

void run_happy_numbers(Outcome& outcome) {
    const int n = 20001;
    auto numbers = values<unsigned>(n, 1u << 22, 10);
    std::vector<unsigned char> expected(n);
    for (int i = 0; i < n; ++i) {
        numbers[i] = (numbers[i] >> i % 20) + 1;
        unsigned v = numbers[i];
        int count = 0;
        for (; v != 1 && v != 4; ++count) {
            unsigned sum = 0;
            for (char c : std::to_string(v)) sum += (c - '0') * (c - '0');
            v = sum;
        }
        expected[i] = static_cast<unsigned char>(count + (v == 4 ? 128 : 0));
    }
    const Array<unsigned> in(numbers);
    const Array<unsigned char> steps(n);
    happy_numbers<<<blocks_for(n, 160), 160>>>(in, steps, n);
    outcome.equal(steps, expected);
}

// A thread goes through a piece of 60 letters of source text; a comment ends with its piece.
__global__ void strip_comments(const char* __restrict__ text, char* __restrict__ out,
                               int* __restrict__ lengths, int pieces) {
    enum { Code, Slash, Line, Block, Star } state = Code;
    int piece = blockIdx.x * blockDim.x + threadIdx.x, length = 0;
    if (piece >= pieces) return;
    char* own = out + piece * 60;
    for (int i = 0; i < 60; ++i) {
        char c = text[piece * 60 + i];
        switch (state) {
            case Code:
                if (c == '/') {
                    state = Slash;
                } else {
                    own[length++] = c;
                }
                break;
            case Slash:
                state = c == '/' ? Line : c == '*' ? Block : Code;
                if (state == Code) {
                    own[length++] = '/';
                    own[length++] = c;
                }
                break;
            case Line:
                if (c == '\n') {
                    own[length++] = c;
                    state = Code;
                }
                break;
            case Block:
                if (c == '*') state = Star;
                break;
            case Star:
                if (c != '*') state = c == '/' ? Code : Block;
                break;
        }
    }
    if (state == Slash) own[length++] = '/';
    lengths[piece] = length;
}

std::string without_comments(const std::string& text) {
    std::string result;
    std::size_t i = 0;
    while (i < text.size()) {
        if (text.compare(i, 2, "//") == 0) {
            i = text.find('\n', i);
            if (i == std::string::npos) break;
        } else if (text.compare(i, 2, "/*") == 0) {
            i = text.find("*/", i + 2);
            if (i == std::string::npos) break;
            i += 2;
        } else {
            result += text[i++];
        }
    }
    return result;
}

void run_strip_comments(Outcome& outcome) {
    const int pieces = 1201;
    const char letters[] = "//***\nabcde";
    const auto picks = values<int>(pieces * 60, 11, 11);
    std::vector<char> source(pieces * 60), expected(pieces * 60, static_cast<char>(0xff));
    std::vector<int> expected_lengths(pieces);
    for (int i = 0; i < pieces * 60; ++i) source[i] = letters[picks[i]];
    for (int p = 0; p < pieces; ++p) {
        const auto rest = without_comments(std::string(&source[p * 60], 60));
        std::copy(rest.begin(), rest.end(), expected.begin() + p * 60);
        expected_lengths[p] = static_cast<int>(rest.size());
    }
    const Array<char> text(source), out(pieces * 60);
    const Array<int> lengths(pieces);
    strip_comments<<<blocks_for(pieces, 128), 128>>>(text, out, lengths, pieces);
    outcome.equal(out, expected);
    outcome.equal(lengths, expected_lengths);
}

using Fold = int (*)(int, int);

__device__ int fold_sum(int a, int b) { return a + b; }
__device__ int fold_difference(int a, int b) { return a - b; }
__device__ int fold_largest(int a, int b) { return max(a, b); }
__device__ int fold_mixed(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) * 31u) ^ b;
}

__device__ Fold folds[4] = {fold_sum, fold_difference, fold_largest, fold_mixed};

__global__ void fold_by_pointers(const int* __restrict__ in, const unsigned char* kinds, int* out,
                                 int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    Fold fold = folds[kinds[row]];
    int result = in[row];
    for (int c = 1; c < columns; ++c) result = fold(result, in[c * rows + row]);
    out[row] = result;
}

void run_fold_by_pointers(Outcome& outcome) {
    const int rows = 4003, columns = 6;
    const auto numbers = values<int>(rows * columns, 1000, 12);
    const auto choices = values<unsigned char>(rows, 4, 13);
    std::vector<int> expected(rows);
    for (int r = 0; r < rows; ++r) {
        int result = numbers[r];
        for (int c = 1; c < columns; ++c) {
            const int v = numbers[c * rows + r];
            if (choices[r] == 0) result += v;
            if (choices[r] == 1) result -= v;
            if (choices[r] == 2) result = std::max(result, v);
            if (choices[r] == 3) {
                result = static_cast<int>(static_cast<unsigned>(result) * 31u) ^ v;
            }
        }
        expected[r] = result;
    }
    const Array<int> in(numbers), out(rows);
    const Array<unsigned char> kinds(choices);
    fold_by_pointers<<<blocks_for(rows, 64), 64>>>(in, kinds, out, rows, columns);
    outcome.equal(out, expected);
}

// Ways to write n as a sum of parts of at most `largest`.
__device__ int count_partitions(int n, int largest) {
    if (n == 0) return 1;
    int ways = 0;
    for (int part = min(largest, n); part >= 1; --part) ways += count_partitions(n - part, part);
    return ways;
}

__global__ void partitions_by_recursion(const int2* in, int* ways, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ways[i] = count_partitions(in[i].x, in[i].y);
}

void run_partitions_by_recursion(Outcome& outcome) {
    const int n = 2000;
    const auto sums = values<int>(n, 8, 14), parts = values<int>(n, 6, 15);
    std::vector<int2> questions(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        questions[i] = make_int2(sums[i], parts[i] + 1);
        int ways[8] = {1};
        for (int part = 1; part <= parts[i] + 1; ++part) {
            for (int s = part; s <= sums[i]; ++s) ways[s] += ways[s - part];
        }
        expected[i] = ways[sums[i]];
    }
    const Array<int2> in(questions);
    const Array<int> ways(n);
    partitions_by_recursion<<<blocks_for(n, 128), 128>>>(in, ways, n);
    outcome.equal(ways, expected);
}

// Number of cycles and the longest one of permutations of 14.
__global__ void cycles_of_permutations(const unsigned char* in, short2* cycles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned char next[14];
    bool is_seen[14];
    for (int k = 0; k < 14; ++k) {
        next[k] = in[i * 14 + k];
        is_seen[k] = false;
    }
    int count = 0, longest = 0;
    for (int k = 0; k < 14; ++k) {
        int length = 0;
        for (int at = k; !is_seen[at]; at = next[at]) {
            is_seen[at] = true;
            ++length;
        }
        if (length == 0) continue;
        ++count;
        longest = max(longest, length);
    }
    cycles[i] = make_short2(count, longest);
}

void run_cycles_of_permutations(Outcome& outcome) {
    const int n = 3002;
    const auto picks = values<int>(n * 14, 1 << 16, 16);
    std::vector<unsigned char> all(n * 14);
    std::vector<short> expected(2 * n);
    for (int i = 0; i < n; ++i) {
        unsigned char* own = &all[i * 14];
        for (int k = 0; k < 14; ++k) own[k] = static_cast<unsigned char>(k);
        for (int k = 13; k > 0; --k) std::swap(own[k], own[picks[i * 14 + k] % (k + 1)]);
        for (int k = 0; k < 14; ++k) {
            // A cycle is counted at its least element.
            int at = own[k], length = 1;
            for (; at > k; at = own[at]) ++length;
            if (at < k) continue;
            ++expected[2 * i];
            expected[2 * i + 1] = std::max(expected[2 * i + 1], static_cast<short>(length));
        }
    }
    const Array<unsigned char> in(all);
    const Array<short> cycles(2 * n);
    cycles_of_permutations<<<blocks_for(n, 96), 96>>>(in, reinterpret_cast<short2*>(cycles.data()),
                                                      n);
    outcome.equal(cycles, expected);
}

// Every k-th person leaves the circle.
__global__ void survivors_of_circles(const int2* circles, int* survivors, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int people[24], left = circles[i].x, k = circles[i].y, at = 0;
    for (int p = 0; p < left; ++p) people[p] = p;
    while (left > 1) {
        at = (at + k - 1) % left;
        --left;
        for (int p = at; p < left; ++p) people[p] = people[p + 1];
    }
    survivors[i] = people[0];
}

void run_survivors_of_circles(Outcome& outcome) {
    const int n = 2500;
    const auto sizes = values<int>(n, 24, 17), steps = values<int>(n, 9, 18);
    std::vector<int2> all(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        all[i] = make_int2(sizes[i] + 1, steps[i] + 1);
        for (int left = 2; left <= all[i].x; ++left) {
            expected[i] = (expected[i] + all[i].y) % left;
        }
    }
    const Array<int2> circles(all);
    const Array<int> survivors(n);
    survivors_of_circles<<<blocks_for(n, 128), 128>>>(circles, survivors, n);
    outcome.equal(survivors, expected);
}

template <int N, class T>
__device__ T power(T v) {
    if constexpr (N == 0) {
        return T(1);
    } else if constexpr (N % 2 == 1) {
        return v * power<N - 1>(v);
    } else {
        T half = power<N / 2>(v);
        return half * half;
    }
}

template <int... N, class T>
__device__ T sum_of_powers(T v) {
    return (power<N>(v) + ...);
}

template <class T, int... N>
__global__ void powers_by_template(const T* in, T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum_of_powers<N...>(in[i]);
}

void run_powers_by_template(Outcome& outcome) {
    const int n = 40001;
    const auto numbers = values<unsigned long long>(n, 1u << 22, 19);
    std::vector<unsigned long long> expected(n);
    for (int i = 0; i < n; ++i) {
        unsigned long long v = 1;
        for (int k = 0; k <= 13; ++k, v *= numbers[i]) {
            if (k == 0 || k == 3 || k == 6 || k == 13) expected[i] += v;
        }
    }
    const Array<unsigned long long> in(numbers), out(n);
    powers_by_template<unsigned long long, 0, 3, 6, 13><<<blocks_for(n, 256), 256>>>(in, out, n);
    outcome.equal(out, expected);
}

template <class A, class B, class R, class F>
__global__ void zip_with(const A* a, const B* b, R* out, int n, F f) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = f(a[i], b[i]);
}

void run_zip_with_lambda(Outcome& outcome) {
    const int n = 30007;
    const auto points = values<double>(2 * n, 1000, 20);
    const auto weights = values<short>(n, 50, 21);
    const double x0 = 500.0, y0 = 250.0;
    std::vector<double> expected(n);
    for (int i = 0; i < n; ++i) {
        expected[i] =
            weights[i] * (std::fabs(points[2 * i] - x0) + std::fabs(points[2 * i + 1] - y0));
    }
    const Array<double> a(points), out(n);
    const Array<short> b(weights);
    const auto distance = [x0, y0] __device__(double2 p, short weight) {
        return weight * (fabs(p.x - x0) + fabs(p.y - y0));
    };
    zip_with<<<40, 192>>>(reinterpret_cast<const double2*>(a.data()),
                          static_cast<const short*>(b.data()), out.data(), n, distance);
    outcome.equal(out, expected);
}

class Account {
  public:
    __device__ virtual int after_a_year(int money) const = 0;
};

class Savings : public Account {
  public:
    __device__ explicit Savings(int rate) : rate_(rate) {}
    __device__ int after_a_year(int money) const override { return money + money * rate_ / 100; }

  private:
    int rate_;
};

class Current : public Account {
  public:
    __device__ int after_a_year(int money) const override { return max(money - 12, 0); }
};

class Bonus : public Account {
  public:
    __device__ Bonus(int limit, int bonus) : limit_(limit), bonus_(bonus) {}
    __device__ int after_a_year(int money) const override {
        return money >= limit_ ? money + bonus_ : money;
    }

  private:
    int limit_, bonus_;
};

struct Customer {
    int kind, money, years;
};

__global__ void virtual_accounts(const Customer* customers, int* money, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    alignas(8) unsigned char storage[16];
    Customer customer = customers[i];
    const Account* account;
    if (customer.kind == 0) {
        account = new (storage) Savings(3);
    } else if (customer.kind == 1) {
        account = new (storage) Current();
    } else {
        account = new (storage) Bonus(500, 40);
    }
    int sum = customer.money;
    for (int year = 0; year < customer.years; ++year) sum = account->after_a_year(sum);
    money[i] = sum;
}

void run_virtual_accounts(Outcome& outcome) {
    const int n = 6007;
    const auto numbers = values<int>(3 * n, 3000, 22);
    std::vector<Customer> all(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        all[i] = {numbers[3 * i] % 3, numbers[3 * i + 1], numbers[3 * i + 2] % 12};
        int sum = all[i].money;
        for (int year = 0; year < all[i].years; ++year) {
            if (all[i].kind == 0) sum += sum * 3 / 100;
            if (all[i].kind == 1) sum = std::max(0, sum - 12);
            if (all[i].kind == 2 && sum >= 500) sum += 40;
        }
        expected[i] = sum;
    }
    const Array<Customer> customers(all);
    const Array<int> money(n);
    virtual_accounts<<<blocks_for(n, 128), 128>>>(customers, money, n);
    outcome.equal(money, expected);
}

template <class T>
__device__ long long min_of(T v) {
    return v;
}

template <class T, class... Rest>
__device__ long long min_of(T v, Rest... rest) {
    long long others = min_of(rest...);
    return v < others ? v : others;
}

template <class... T>
__global__ void min_of_arrays(long long* out, int n, const T*... arrays) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = min_of(arrays[i]...);
}

void run_min_of_arrays(Outcome& outcome) {
    const int n = 33333;
    const auto bytes = values<signed char>(n, 128, 23);
    const auto shorts = values<short>(n, 300, 24);
    const auto integers = values<int>(n, 250, 25);
    const auto wide = values<long long>(n, 200, 26);
    std::vector<long long> expected(n);
    for (int i = 0; i < n; ++i) {
        expected[i] = std::min<long long>({bytes[i], shorts[i], integers[i], wide[i]});
    }
    const Array<signed char> a(bytes);
    const Array<short> b(shorts);
    const Array<int> c(integers);
    const Array<long long> d(wide), out(n);
    min_of_arrays<signed char, short, int, long long>
        <<<blocks_for(n, 320), 320>>>(out, n, a, b, c, d);
    outcome.equal(out, expected);
}

// Newton's method from above, in whole numbers.
__device__ unsigned cube_root(unsigned long long v) {
    if (v == 0) return 0;
    int bits = 64 - __clzll(static_cast<long long>(v));
    unsigned long long root = 1ull << (bits + 2) / 3;
    while (true) {
        unsigned long long next = (2 * root + v / (root * root)) / 3;
        if (next >= root) break;
        root = next;
    }
    return static_cast<unsigned>(root);
}

__global__ void whole_cube_roots(const unsigned long long* in, unsigned* roots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) roots[i] = cube_root(in[i]);
}

void run_whole_cube_roots(Outcome& outcome) {
    const int n = 8009;
    const auto numbers = values<unsigned long long>(n, 1u << 22, 27);
    std::vector<unsigned long long> cubes(n);
    std::vector<unsigned> expected(n);
    for (int i = 0; i < n; ++i) {
        // Just below, at and just above a cube.
        const unsigned long long root = numbers[i] % 2000000 >> i % 22;
        expected[i] = static_cast<unsigned>(root);
        cubes[i] = root * root * root + i % 2;
        if (i % 3 == 0 && root > 0) {
            cubes[i] = root * root * root - 1;
            --expected[i];
        }
        if (cubes[i] == 1) expected[i] = 1;
    }
    const Array<unsigned long long> in(cubes);
    const Array<unsigned> roots(n);
    whole_cube_roots<<<blocks_for(n, 96), 96>>>(in, roots, n);
    outcome.equal(roots, expected);
}

struct Frame {
    int top, left, bottom, right;
};

// A thread reads a small matrix along its spiral, inwards and clockwise.
__global__ void spirals_of_matrices(const short* in, const uchar2* sizes, short* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const short* matrix = in + i * 36;
    short* next = out + i * 36;
    int columns = sizes[i].y;
    Frame frame = {0, 0, sizes[i].x - 1, columns - 1};
    while (frame.top <= frame.bottom && frame.left <= frame.right) {
        for (int c = frame.left; c <= frame.right; ++c) *next++ = matrix[frame.top * columns + c];
        ++frame.top;
        for (int r = frame.top; r <= frame.bottom; ++r) *next++ = matrix[r * columns + frame.right];
        --frame.right;
        if (frame.top > frame.bottom || frame.left > frame.right) break;
        for (int c = frame.right; c >= frame.left; --c) {
            *next++ = matrix[frame.bottom * columns + c];
        }
        --frame.bottom;
        for (int r = frame.bottom; r >= frame.top; --r) *next++ = matrix[r * columns + frame.left];
        ++frame.left;
    }
}

void run_spirals_of_matrices(Outcome& outcome) {
    const int n = 1502;
    const auto numbers = values<short>(n * 36, 30000, 28);
    const auto lengths = values<unsigned char>(2 * n, 6, 29);
    std::vector<uchar2> shapes(n);
    std::vector<short> expected(n * 36, -1);
    for (int i = 0; i < n; ++i) {
        const int rows = lengths[2 * i] + 1, columns = lengths[2 * i + 1] + 1;
        shapes[i] = make_uchar2(rows, columns);
        // Straight on, and to the right at a border or a visited place.
        std::vector<char> is_visited(rows * columns);
        int r = 0, c = 0, dr = 0, dc = 1;
        for (int k = 0; k < rows * columns; ++k) {
            expected[i * 36 + k] = numbers[i * 36 + r * columns + c];
            is_visited[r * columns + c] = 1;
            const int nr = r + dr, nc = c + dc;
            const bool is_free = nr >= 0 && nr < rows && nc >= 0 && nc < columns &&
                                 is_visited[nr * columns + nc] == 0;
            if (!is_free) {
                const int old = dr;
                dr = dc;
                dc = -old;
            }
            r += dr;
            c += dc;
        }
    }
    const Array<short> in(numbers), out(n * 36);
    const Array<uchar2> sizes(shapes);
    spirals_of_matrices<<<blocks_for(n, 64), 64>>>(in, sizes, out, n);
    outcome.equal(out, expected);
}

}  // namespace

void add_more_structures_loops(Launches& launches) {
    launches.add("brighten_triples", run_brighten_triples);
    launches.add("bounce_balls", run_bounce_balls);
    launches.add("report_marks", run_report_marks);
    launches.add("measure_solids", run_measure_solids);
    launches.add("next_days", run_next_days);
    launches.add("first_triangles", run_first_triangles);
    launches.add("days_by_fallthrough", run_days_by_fallthrough);
    launches.add("name_triangles", run_name_triangles);
    launches.add("happy_numbers", run_happy_numbers);
    launches.add("strip_comments", run_strip_comments);
    launches.add("fold_by_pointers", run_fold_by_pointers);
    launches.add("partitions_by_recursion", run_partitions_by_recursion);
    launches.add("cycles_of_permutations", run_cycles_of_permutations);
    launches.add("survivors_of_circles", run_survivors_of_circles);
    launches.add("powers_by_template", run_powers_by_template);
    launches.add("zip_with_lambda", run_zip_with_lambda);
    launches.add("virtual_accounts", run_virtual_accounts);
    launches.add("min_of_arrays", run_min_of_arrays);
    launches.add("whole_cube_roots", run_whole_cube_roots);
    launches.add("spirals_of_matrices", run_spirals_of_matrices);
}

}  // namespace ordinary
