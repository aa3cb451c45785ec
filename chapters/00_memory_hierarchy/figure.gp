# Above: latency of a chase against its footprint, through the L1 and past it. Middle: bandwidth against the
# bytes in flight, with Little's law. Below: lines that a strided load touches, and what it costs in the L1.
load 'style.gp'
data = ARG1
set terminal svg size 820,980 dynamic font 'sans-serif,13' name 'memory_hierarchy' background rgb 'white'
set output ARG2

is_there(value) = value == value ? 1 : 0
of(kernel, value) = strcol('kernel') eq kernel ? value : NaN
nanoseconds(path) = of('chase', strcol('path') eq path ? 1000 / number('items_per_us') : NaN)
in_flight(bytes) = number('warps') * number('loads') * bytes
streamed_at(name) = of('read_in_flight', number(name))
lines_touched(name) = of('load_l1', number(name) / number('load_requests'))

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
chased = ''
streamed = ''
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(nanoseconds('l1'))) nooutput
    if (STATS_max > 0) { chased = chased.sprintf(' %d', i) }
    stats data index i using (is_there(streamed_at('bandwidth_gbs'))) nooutput
    if (STATS_max > 0) { streamed = streamed.sprintf(' %d', i) }
    stats data index i using (is_there(lines_touched('load_lines'))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}
needs_gpu = 'No time was measured: this needs a GPU.'

set multiplot layout 3,1 margins 0.085,0.98,0.06,0.97 spacing 0.11
set logscale xy 2
set xlabel 'footprint of the chase, bytes'
set ylabel 'latency of a load, ns'
set xtics ('2 KiB' 2**11, '32 KiB' 2**15, '512 KiB' 2**19, '8 MiB' 2**23, '64 MiB' 2**26)
set xrange [2**10 : 2**27]
if (words(chased) > 0) {
    plot for [k = 1 : words(chased)] data index int(word(chased, k)) \
            using (number('footprint')):(nanoseconds('l1')) with points linetype k title columnheader(1), \
         for [k = 1 : words(chased)] data index int(word(chased, k)) \
            using (number('footprint')):(nanoseconds('l2')) with points linetype k pointtype 4 notitle
} else {
    set label 1 needs_gpu at graph 0.5,0.5 center
    plot [][8:1024] NaN notitle
    unset label 1
}

set xlabel 'bytes in flight on an SM'
set ylabel 'bandwidth, GB/s'
set xtics auto
set xrange [96 : 20000]
if (words(streamed) > 0) {
    plot for [k = 1 : words(streamed)] data index int(word(streamed, k)) \
            using (in_flight(128)):(streamed_at('bandwidth_gbs')) with points linetype k title columnheader(1), \
         for [k = 1 : words(streamed)] data index int(word(streamed, k)) \
            using (in_flight(128)):(number('warps') == 1 && number('loads') == 1 ? streamed_at('bandwidth_gbs') : NaN): \
                  (5 * in_flight(128)):(5 * streamed_at('bandwidth_gbs')) with vectors nohead linetype k notitle
} else {
    set label 1 needs_gpu at graph 0.5,0.5 center
    plot [][16:4096] NaN notitle
    unset label 1
}

set xlabel 'stride of the lanes, words'
set ylabel 'lines that a load touches'
set xtics (1, 2, 4, 8, 16, 32, 64)
set xrange [0.9 : 72]
set yrange [0.9 : 40]
if (words(counted) > 0) {
    first = int(word(counted, 1))
    plot data index first using (number('stride')):(lines_touched('load_lines')) with points linetype 1 \
        title 'counted: the same for every generation'
} else {
    set label 1 'No loads were counted: scripts/lab run 00 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
