# Above: each step's share of cuBLAS and of the FP32 peak at 4096 cubed, where time was measured. Below:
# passes through shared memory for 128 multiply-adds, what an SM of today does in the time of one.
load 'style.gp'
data = ARG1
set terminal svg size 820,760 dynamic font 'sans-serif,13' name 'matmul_fast' background rgb 'white'
set output ARG2

# A place on the x axis for each step: the tile that is picked where time counts, and the one that all
# steps have in common where accesses are counted.
step(kernel) = kernel eq 'matmul_tiled' ? 1 : kernel eq 'matmul_thread_tiles' ? 2 \
    : kernel eq 'matmul_vectorised' ? 3 : kernel eq 'matmul_double_buffered' ? 4 \
    : kernel eq 'matmul_bulk' ? 5 : kernel eq 'cublas_sgemm' ? 6 : NaN
chosen(kernel, tile, wanted) = step(kernel) == 4 || step(kernel) == 5 ? tile eq wanted : 1
set xrange [0.4:6.6]
set xtics ("tiles\n32 × 32" 1, "thread tiles\n8 × 8" 2, "16-byte\naccesses" 3, \
           "double\nbuffers" 4, "bulk\ncopies" 5, "cuBLAS" 6) font ',12'

is_there(value) = value == value ? 1 : 0
is_4096(unused) = number('m') == 4096 && number('n') == 4096 && number('k') == 4096
rate(unused) = is_4096(0) && chosen(strcol('kernel'), strcol('tile'), 'picked') \
    && is_there(step(strcol('kernel'))) ? number('gflops') : NaN
rate_of(name) = is_4096(0) && strcol('kernel') eq name ? number('gflops') : NaN
# In the time of a pass (a wavefront) an SM with 128 FP32 lanes does 128 multiply-adds.
passes(unused) = chosen(strcol('kernel'), strcol('tile'), '128x128') \
    && is_there(step(strcol('kernel'))) && number('m') == 256 \
    ? 128 * number('shared_load_wavefronts') / (number('m') * number('n') * number('k')) : NaN

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
array cublas[blocks]
array peak[blocks]
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(rate(0))) nooutput
    if (STATS_max > 0) {
        timed = timed.sprintf(' %d', i)
        cublas[i + 1] = NaN
        peak[i + 1] = NaN
        stats data index i using (is_there(rate_of('cublas_sgemm'))) nooutput
        if (STATS_max > 0) {
            stats data index i using (rate_of('cublas_sgemm')) nooutput
            cublas[i + 1] = STATS_max
        }
        stats data index i using (is_there(rate_of('fma_chains'))) nooutput
        if (STATS_max > 0) {
            stats data index i using (rate_of('fma_chains')) nooutput
            peak[i + 1] = STATS_max
        }
    }
    stats data index i using (is_there(passes(0))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}
# Points of one place stand side by side, and pairs of bars.
beside(k, of) = of > 1 ? 0.5 * ((k - 1.0) / (of - 1) - 0.5) : 0
width = words(timed) > 0 ? 0.8 / (2 * words(timed)) : 0.4
bar(k, second) = (2 * (k - 1) + second + 0.5 - words(timed)) * width
which(k) = int(word(timed, k))
high(unused) = number('gflops_high')
low(unused) = number('gflops_low')

set multiplot layout 2,1 margins 0.1,0.98,0.08,0.90 spacing 0.24
set style fill solid 0.75 border -1
set ylabel 'share, %'
set yrange [0:*<110]
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index which(k) \
            using (step(strcol('kernel')) + bar(k, 0)):(100 * rate(0) / cublas[which(k) + 1]): \
                  (100 * low(0) / cublas[which(k) + 1]):(100 * high(0) / cublas[which(k) + 1]): \
                  (width) \
            with boxerrorbars linetype 2 * k + 1 linewidth 1 dashtype 1 \
            title columnheader(2).': of cuBLAS', \
         for [k = 1 : words(timed)] data index which(k) \
            using (step(strcol('kernel')) + bar(k, 1)):(100 * rate(0) / peak[which(k) + 1]): \
                  (100 * low(0) / peak[which(k) + 1]):(100 * high(0) / peak[which(k) + 1]): \
                  (width) \
            with boxerrorbars linetype 2 * k + 2 linewidth 1 dashtype 1 \
            title columnheader(2).': of multiply-adds on registers'
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'passes for 128 multiply-adds'
set logscale y 2
set yrange [0.18:16]
if (words(counted) > 0) {
    plot for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (step(strcol('kernel')) + beside(k, words(counted))):(passes(0)) \
            with points linetype k pointsize 1 title columnheader(2), \
         1 with lines linecolor rgb '#888888' linewidth 1.5 dashtype 2 \
            title 'time of the arithmetic'
} else {
    set label 1 'No reads were counted: scripts/lab run 19 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
