# Roofline: every product of chapters 16 to 19 at 4096 cubed, a panel for each GPU. Arithmetic intensity
# from the bytes that were counted between L1 and L2, operations a second as measured; below the
# ceilings that were measured: the bandwidth of a read, and multiply-adds on registers.
# chapters: 16_matmul_naive 17_matmul_tiled 18_matmul_tile_width 19_matmul_fast
load 'style.gp'
data = ARG1

is_there(value) = value == value ? 1 : 0
kind_of(kernel) = kernel eq 'matmul_naive_down_columns' ? 2 \
    : kernel eq 'matmul_naive' || kernel eq 'matmul_grid_stride' \
      || kernel eq 'matmul_strip_mined' ? 1 \
    : kernel eq 'matmul_thread_tiles' ? 4 : kernel eq 'matmul_vectorised' ? 5 \
    : kernel eq 'matmul_double_buffered' ? 6 : kernel eq 'matmul_bulk' ? 7 \
    : kernel eq 'matmul_tiled' || kernel eq 'matmul_tiled_in_steps' \
      || kernel eq 'matmul_tiled_bounded' || kernel eq 'matmul_rectangular_tiles' ? 3 : NaN
kinds = "'naive' 'down columns' 'tiles' 'thread tiles' '16-byte accesses' 'double buffers' \
'bulk copies'"
# Only this kernel has a type.
is_int(kernel) = kernel eq 'matmul_tiled_bounded' && strcol('type') eq 'int'
is_shown(kind) = kind_of(strcol('kernel')) == kind && !is_int(strcol('kernel')) \
    && number('m') == 4096 && number('n') == 4096 && number('k') == 4096
tflops(kind) = is_shown(kind) ? number('gflops') / 1000 : NaN
intensity(unused) = 2 * number('m') * number('n') * number('k') \
    / (32 * (number('l2_read_sectors') + number('l2_write_sectors')))
placed(kind) = is_there(intensity(0)) ? tflops(kind) : NaN
ceiling(kernel, name) = strcol('kernel') eq kernel && number('m') == 4096 ? number(name) / 1000 : NaN

# The GPUs: the blocks of the data that hold products with their time and their traffic.
stats data using 0 nooutput
gpus = ''
array bandwidth[STATS_blocks]
array peak[STATS_blocks]
array kinds_of[STATS_blocks]
do for [i = 0 : STATS_blocks - 1] {
    found = ''
    do for [kind = 1 : 7] {
        stats data index i using (is_there(placed(kind))) nooutput
        if (STATS_max > 0) { found = found.sprintf(' %d', kind) }
    }
    bandwidth[i + 1] = NaN
    peak[i + 1] = NaN
    kinds_of[i + 1] = found
    if (words(found) > 0) {
        gpus = gpus.sprintf(' %d', i)
        stats data index i using (is_there(ceiling('add_operands', 'bandwidth_gbs'))) nooutput
        if (STATS_max > 0) {
            stats data index i using (ceiling('add_operands', 'bandwidth_gbs')) nooutput
            bandwidth[i + 1] = STATS_max
        }
        stats data index i using (is_there(ceiling('fma_chains', 'gflops'))) nooutput
        if (STATS_max > 0) {
            stats data index i using (ceiling('fma_chains', 'gflops')) nooutput
            peak[i + 1] = STATS_max
        }
    }
}
panels = words(gpus) > 0 ? words(gpus) : 1
set terminal svg size 820,(60 + 400 * panels) dynamic font 'sans-serif,13' name 'roofline' \
    background rgb 'white'
set output ARG2
set multiplot layout panels,1 margins 0.085,0.74,0.07 + 0.05 / panels,0.96 spacing 0.2
set key at graph 1.03,1 left top vertical maxrows 12 maxcols 1
set logscale xy
set grid xtics
set xlabel 'operations for each byte between L1 and L2'
set ylabel 'TFLOP/s'
set xrange [1:200]
set yrange [0.5:150]
roof(x, i) = x * bandwidth[i] < peak[i] ? x * bandwidth[i] : peak[i]
if (words(gpus) == 0) {
    set label 1 'No product was both timed and counted: this needs a GPU and its counters.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
do for [g = 1 : words(gpus)] {
    i = int(word(gpus, g))
    plot for [kind in kinds_of[i + 1]] data index i using (intensity(0)):(placed(int(kind))) \
            with points linetype int(kind) pointsize 1 title word(kinds, int(kind)), \
         roof(x, i + 1) with lines linecolor rgb '#888888' linewidth 1.5 dashtype 1 notitle, \
         data index i using (1e-9):(1e-9) with lines linecolor rgb '#888888' linewidth 1.5 dashtype 1 \
            title columnheader(2)
}
unset multiplot
