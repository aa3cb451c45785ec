# Above: operations a second against the bound of the memory, where time was measured. Below: bytes
# for each multiply-add.
load 'style.gp'
data = ARG1
set terminal svg size 820,760 dynamic font 'sans-serif,13' name 'matmul_tiled' \
    background rgb 'white'
set output ARG2

# A place on the x axis for each variant that is shown; NaN for others.
place_of(kernel, block, tile, type) = kernel eq 'matmul_naive' \
        ? (block eq '16x16' ? 1 : block eq '32x32' ? 2 : NaN) \
    : kernel eq 'matmul_strip_mined' ? (tile == 16 ? 3 : 4) \
    : kernel eq 'matmul_tiled' ? (tile == 16 ? 5 : 6) \
    : kernel eq 'matmul_tiled_in_steps' ? (tile == 16 ? 7 : 8) \
    : kernel eq 'matmul_tiled_bounded' ? (type eq 'int' ? 11 : tile == 16 ? 9 : 10) : NaN
place(unused) = place_of(strcol('kernel'), strcol('block'), number('tile'), strcol('type'))
set xrange [0.4:11.6]
set xtics ("naive\n16" 1, "naive\n32" 2, "phases\n16" 3, "phases\n32" 4, "tiled\n16" 5, \
           "tiled\n32" 6, "steps\n16" 7, "steps\n32" 8, "bounds\n16" 9, "bounds\n32" 10, \
           "int\n16" 11) font ',11'

is_there(value) = value == value ? 1 : 0
# Below 1024 cubed a launch's overhead is what a time shows.
tflops(unused) = is_there(place(0)) && number('m') >= 1024 ? number('gflops') / 1000 : NaN
# How often a thread block uses what it loads.
reuse(place) = place <= 4 ? 1 : place == 6 || place == 8 || place == 10 ? 32 : 16
bytes(name) = is_there(place(0)) \
    ? 32 * number(name) / (number('m') * number('n') * number('k')) : NaN

# The blocks of the data (a device in a regime each) that have something to draw, and the bandwidth
# of the largest copy.
stats data using 0 nooutput
timed = ''
counted = ''
bandwidth = NaN
do for [i = 0 : STATS_blocks - 1] {
    stats data index i using (is_there(tflops(0))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(bytes('l2_read_sectors_most'))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
    stats data index i using (strcol('kernel') eq 'memcpy' ? 1 : 0) nooutput
    if (STATS_max > 0) {
        stats data index i using (number('bandwidth_gbs')) nooutput
        bandwidth = STATS_max
    }
}
# Points of one place stand side by side.
beside(k, of) = of > 1 ? 0.5 * ((k - 1.0) / (of - 1) - 0.5) : 0

set multiplot layout 2,1 margins 0.085,0.98,0.08,0.91 spacing 0.22
set logscale y
set ylabel 'TFLOP/s'
set yrange [0.1:200]
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index int(word(timed, k)) \
            using (place(0) + beside(k, words(timed))):(tflops(0)): \
                  (number('gflops_low') / 1000):(number('gflops_high') / 1000) \
            with yerrorbars linetype k title columnheader(1), \
         data index int(word(timed, 1)) \
            using (place(0)):(bandwidth / 4 * reuse(place(0)) / 1000):(0.4) with xerrorbars \
            pointtype 0 linewidth 1.5 linecolor rgb '#888888' title '(bandwidth / 4) × reuse'
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}

set ylabel 'bytes for a multiply-add'
set yrange [0.1:20]
if (words(counted) > 0) {
    plot data index int(word(counted, 1)) using (place(0)):(8.0 / reuse(place(0))) with points \
            pointtype 1 pointsize 1.2 linewidth 1.5 linecolor rgb '#444444' title 'threads load', \
         data index int(word(counted, 1)) using (place(0)):(bytes('load_sectors')) with points \
            pointtype 2 pointsize 1.2 linewidth 1.5 linecolor rgb '#444444' title 'in sectors', \
         for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (place(0) + beside(k, words(counted))):(bytes('l2_read_sectors_most')) \
            with points linetype k title columnheader(2)
} else {
    set label 1 'No loads were counted: scripts/lab run 17 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
