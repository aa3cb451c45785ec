# Above: bandwidth against the size of a block, where time was measured. Below: theoretical occupancy.
load 'style.gp'
data = ARG1
set terminal svg size 820,700 dynamic font 'sans-serif,13' name 'block_size' background rgb 'white'
set output ARG2

set logscale x 2
set xrange [28:1200]
set xtics (32, 64, 128, 256, 512, 768, 1024)
set xlabel 'threads in a block'

is_there(value) = value == value ? 1 : 0
shown(n, value) = strcol('cache') eq 'cold' && n ? value : NaN
# Bandwidth at the size that no L2 holds; occupancy does not depend on the size.
percent(name) = shown(number('n') == 2**26, number(name))
is_limited(shared) = is_there(shared)
# A line for each kernel and offset, and for each kernel with fewer blocks on an SM.
of(kernel, offset, limited, value) = strcol('kernel') eq kernel && number('offset') == offset \
                                     && is_limited(number('shared_kb')) == limited ? value : NaN
line(k, value) = k == 1 ? of('read_offset', 0, 0, value) : k == 2 ? of('read_offset', 11, 0, value) \
               : k == 3 ? of('read_offset_unrolled', 0, 0, value) \
               : k == 4 ? of('read_offset_unrolled', 11, 0, value) \
               : k == 5 ? of('read_offset', 0, 1, value) : of('read_offset_unrolled', 0, 1, value)
array titles[6] = ['plain, offset 0', 'plain, offset 11', 'unrolled, offset 0', \
                   'unrolled, offset 11', 'plain, 48 KB a block', 'unrolled, 48 KB a block']
occupancy(name) = of('read_offset', 0, 0, shown(number('n') == 2**20, number(name)))

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
signature = -1
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent('memcpy_percent'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(occupancy('theoretical_occupancy'))) nooutput
    if (STATS_max > 0) {
        # The same occupancy at every block has the same sum: such a device would hide the one before.
        stats data index i using (occupancy('theoretical_occupancy') * number('block')) nooutput
        if (STATS_sum != signature) { counted = counted.sprintf(' %d', i) }
        signature = STATS_sum
    }
}

set multiplot layout 2,1 margins 0.085,0.98,0.09,0.87 spacing 0.2
set key maxcols 3 width -5 samplen 3

set ylabel 'bandwidth, % of memcpy'
# Never so narrow a range that noise looks like an effect.
set yrange [0 : 105 < *]
if (words(timed) > 0) {
    newest = int(word(timed, words(timed)))
    # The first entry names the device; its point is drawn over.
    plot data index newest using (40):(5) with points pointtype 0 linecolor rgb 'white' title columnheader(1), \
         for [k = 1 : 6] data index newest \
            using (number('block')):(line(k, percent('memcpy_percent'))): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorlines linetype k title titles[k]
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set key width 2 samplen 4
set ylabel 'theoretical occupancy, %'
set yrange [0:105]
if (words(counted) > 0) {
    set label 2 'A GPU that is not named has the occupancy of the one before it.' at graph 0.98,0.1 right
    plot for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (number('block')):(occupancy('theoretical_occupancy')) with linespoints linetype k title columnheader(2)
} else {
    set label 1 'No occupancy was counted: scripts/lab run 08 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
