# Left: squares of 4 to 32. Right: tiles of 16 x 16 elements of c, in phases of 8 to 192 steps.
# Above: operations a second, where time was measured. Below: occupancy.
load 'style.gp'
data = ARG1
set terminal svg size 820,760 dynamic font 'sans-serif,13' name 'matmul_tile_width' \
    background rgb 'white'
set output ARG2

is_there(value) = value == value ? 1 : 0
width(unused) = strcol('kernel') eq 'matmul_tiled_bounded' ? number('tile') : NaN
# "16x16x48": the depth is what follows "16x16x".
depth(tile) = tile[1:6] eq '16x16x' ? real(tile[7:*]) : NaN
kilobytes(unused) = strcol('kernel') eq 'matmul_rectangular_tiles' \
                    ? 4.0 * 32 * depth(strcol('tile')) / 1024 : NaN
# Below 1024 cubed a launch's overhead is what a time shows.
tflops(x) = is_there(x) && number('m') >= 1024 ? number('gflops') / 1000 : NaN
low(x) = is_there(x) && number('m') >= 1024 ? number('gflops_low') / 1000 : NaN
high(x) = is_there(x) && number('m') >= 1024 ? number('gflops_high') / 1000 : NaN
# It does not change with the size; one that every device has.
occupancy(x) = is_there(x) && number('m') == 192 ? number('theoretical_occupancy') : NaN

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
timed = ''
resident = ''
do for [i = 0 : STATS_blocks - 1] {
    stats data index i using (is_there(tflops(width(0)))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(occupancy(width(0)))) nooutput
    if (STATS_max > 0) { resident = resident.sprintf(' %d', i) }
}

set multiplot
set logscale x 2
set ylabel 'TFLOP/s'
set yrange [0:*]
set tmargin at screen 0.93
set bmargin at screen 0.61
set lmargin at screen 0.085
set rmargin at screen 0.47
set xrange [3.4:38]
set xtics (4, 8, 16, 32)
set xlabel 'width of square tiles, in elements'
# Narrower for gnuplot than it is: the names may reach beyond their panel.
set key width -25
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index int(word(timed, k)) \
        using (width(0)):(tflops(width(0))):(low(width(0))):(high(width(0))) \
        with yerrorlines linetype k title columnheader(1)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:1] NaN notitle
}
set lmargin at screen 0.58
set rmargin at screen 0.98
set xrange [0.85:28]
set xtics (1, 2, 4, 6, 12, 24)
set xlabel 'shared memory of a block, KB (depth × 1/8)'
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index int(word(timed, k)) \
        using (kilobytes(0)):(tflops(kilobytes(0))):(low(kilobytes(0))):(high(kilobytes(0))) \
        with yerrorlines linetype k notitle
} else {
    plot [][0:1] NaN notitle
    unset label 1
}

set key width 2
set ylabel 'theoretical occupancy, %'
set yrange [0:105]
set tmargin at screen 0.39
set bmargin at screen 0.075
set lmargin at screen 0.085
set rmargin at screen 0.47
set xrange [3.4:38]
set xtics (4, 8, 16, 32)
set xlabel 'width of square tiles, in elements'
if (words(resident) > 0) {
    # gnuplot looks at the first step of a loop even where there is none.
    block_of(k) = k <= words(resident) ? int(word(resident, k)) : int(word(resident, 1))
    # The left panel's key names one half of the devices, the right panel's the other.
    half = (words(resident) + 1) / 2
    plot for [k = 1 : half] data index block_of(k) \
            using (width(0)):(occupancy(width(0))) with linespoints linetype k title columnheader(2), \
         for [k = half + 1 : words(resident)] data index block_of(k) \
            using (width(0)):(occupancy(width(0))) with linespoints linetype k notitle
} else {
    set label 1 'No occupancy was counted.' at graph 0.5,0.5 center
    plot NaN notitle
}
set lmargin at screen 0.58
set rmargin at screen 0.98
set xrange [0.85:28]
set xtics (1, 2, 4, 6, 12, 24)
set xlabel 'shared memory of a block, KB (depth × 1/8)'
if (words(resident) > 0) {
    plot for [k = 1 : half] data index block_of(k) \
            using (kilobytes(0)):(occupancy(kilobytes(0))) with linespoints linetype k notitle, \
         for [k = half + 1 : words(resident)] data index block_of(k) \
            using (kilobytes(0)):(occupancy(kilobytes(0))) with linespoints linetype k \
            title columnheader(2)
} else {
    plot NaN notitle
}
unset multiplot
