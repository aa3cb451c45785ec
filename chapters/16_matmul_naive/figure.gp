# Above: operations a second, where time was measured. Below: bytes for each multiply-add.
load 'style.gp'
data = ARG1
set terminal svg size 820,760 dynamic font 'sans-serif,13' name 'matmul_naive' \
    background rgb 'white'
set output ARG2

# A place on the x axis for each variant that is shown; NaN for others.
key(kernel, block) = kernel eq 'matmul_naive' \
        ? (block eq '8x8' ? 1 : block eq '16x16' ? 2 : block eq '32x8' ? 3 \
                                                 : block eq '32x32' ? 4 : NaN) \
    : kernel eq 'matmul_naive_down_columns' \
        ? (block eq '16x16' ? 5 : block eq '32x32' ? 6 : NaN) : NaN
stride(kernel, grid) = kernel ne 'matmul_grid_stride' ? NaN \
    : grid eq '8x8' ? 7 : grid eq '16x16' ? 8 : grid eq '32x32' ? 9 : NaN
is_there(value) = value == value ? 1 : 0
place(unused) = is_there(stride(strcol('kernel'), strcol('grid'))) \
    ? stride(strcol('kernel'), strcol('grid')) \
    : strcol('kernel') eq 'multiply_add_in_registers' ? 10 : key(strcol('kernel'), strcol('block'))
set xrange [0.4:10.6]
set xtics ("naive\n8x8" 1, "naive\n16x16" 2, "naive\n32x8" 3, "naive\n32x32" 4, \
           "columns\n16x16" 5, "columns\n32x32" 6, "stride\n8x8" 7, "stride\n16x16" 8, \
           "stride\n32x32" 9, "registers\n16x16" 10) font ',11'

# Below 1024 cubed a launch's overhead is what a time shows.
tflops(unused) = is_there(place(0)) && number('m') >= 1024 ? number('gflops') / 1000 : NaN
steps(unused) = number('m') * number('n') * number('k')
loaded(unused) = place(0) <= 9 && number('m') >= 64 ? 4 * 2.0 : NaN
asked(unused) = place(0) <= 9 && number('m') >= 64 ? 32 * number('load_sectors') / steps(0) : NaN
from_l2(unused) = place(0) <= 9 && number('m') >= 64 \
            ? 32 * number('l2_read_sectors_most') / steps(0) : NaN

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
timed = ''
counted = ''
do for [i = 0 : STATS_blocks - 1] {
    stats data index i using (is_there(tflops(0))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(from_l2(0))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
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
        with yerrorbars linetype k title columnheader(1)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}

set ylabel 'bytes for a multiply-add'
set yrange [0.1:200]
if (words(counted) > 0) {
    first = int(word(counted, 1))
    plot data index first using (place(0)):(loaded(0)) with points pointtype 1 pointsize 1.2 \
            linewidth 1.5 linecolor rgb '#444444' title 'threads load', \
         data index first using (place(0)):(asked(0)) with points pointtype 2 pointsize 1.2 \
            linewidth 1.5 linecolor rgb '#444444' title 'in sectors', \
         for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (place(0) + beside(k, words(counted))):(from_l2(0)) with points linetype k \
            title columnheader(2)
} else {
    set label 1 'No loads were counted: scripts/lab run 16 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
