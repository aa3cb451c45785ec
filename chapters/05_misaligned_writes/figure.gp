# Above: bandwidth against the offset of the stores, where time was measured. Below: what a request moves.
load 'style.gp'
data = ARG1
set terminal svg size 820,680 dynamic font 'sans-serif,13' name 'misaligned_writes' \
    background rgb 'white'
set output ARG2

# Offsets 64 and 128 are far off the scale: they stand apart, and no line leads to them.
near(offset) = offset <= 32 ? offset : NaN
far(offset) = offset == 64 ? 36 : offset == 128 ? 40 : NaN
set xrange [-1:42]
set xtics ('0' 0, '4' 4, '8' 8, '12' 12, '16' 16, '20' 20, '24' 24, '28' 28, '32' 32, '64' 36, \
           '128' 40)
set xlabel 'offset of the stores, in 4-byte elements'

is_there(value) = value == value ? 1 : 0
is_shown(n) = strcol('kernel') eq 'write_offset' && strcol('cache') eq 'cold' && n
shown(n, value) = is_shown(n) ? value : NaN
# Bandwidth at the size that no L2 holds; the counts of the smallest size stand for all sizes.
percent(name) = shown(number('n') >= 2**24, number(name))
a_request(name) = shown(number('n') == 2**20, number(name) / number('store_requests'))

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent('memcpy_percent'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(a_request('store_lines'))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}

set multiplot layout 2,1 margins 0.085,0.98,0.09,0.94 spacing 0.2

set ylabel 'bandwidth, % of memcpy'
# Never so narrow a range that noise looks like an effect.
set yrange [* < 60 : 105 < *]
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index int(word(timed, k)) \
            using (near(number('offset'))):(percent('memcpy_percent')): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorlines linetype k title columnheader(1), \
         for [k = 1 : words(timed)] data index int(word(timed, k)) \
            using (far(number('offset'))):(percent('memcpy_percent')): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorbars linetype k notitle
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

# What a store touches is the same on every generation: the oldest GPU that was counted stands for all.
set ylabel 'touched by a request'
set yrange [0:5.5]
if (words(counted) > 0) {
    oldest = int(word(counted, 1))
    plot data index oldest using (near(number('offset'))):(a_request('store_sectors')) \
            with linespoints linetype 2 title '32-byte sectors', \
         data index oldest using (far(number('offset'))):(a_request('store_sectors')) \
            with points linetype 2 notitle, \
         data index oldest using (near(number('offset'))):(a_request('store_lines')) \
            with linespoints linetype 3 title '128-byte lines', \
         data index oldest using (far(number('offset'))):(a_request('store_lines')) \
            with points linetype 3 notitle
} else {
    set label 1 'No stores were counted: scripts/lab run 05 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
