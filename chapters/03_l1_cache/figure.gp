# From above: bandwidth where time was measured; load efficiency; the share of sectors that the L1 had.
load 'style.gp'
data = ARG1
set terminal svg size 820,860 dynamic font 'sans-serif,13' name 'l1_cache' background rgb 'white'
set output ARG2

# Two places for each offset: loads through the L1 and past it.
place(offset, l1) = (offset == 0 ? 1 : offset == 11 ? 3 : offset == 128 ? 5 : NaN) + (l1 eq 'off')
set xrange [0.5:6.5]
set xtics ("offset 0\nL1 on" 1, "offset 0\nL1 off" 2, "offset 11\nL1 on" 3, "offset 11\nL1 off" 4, \
           "offset 128\nL1 on" 5, "offset 128\nL1 off" 6)
# Side by side, so that what is equal does not hide.
beside(k, all) = place(number('offset'), strcol('l1')) + (k - (all + 1) / 2.0) * 0.11

is_there(value) = value == value ? 1 : 0
shown(n, value) = strcol('kernel') eq 'read_offset' && strcol('cache') eq 'cold' && n ? value : NaN
# Bandwidth at the sizes that no L2 holds; the counts of the smallest size stand for all sizes.
percent(name) = shown(number('n') >= 2**24, number(name))
counted(value) = shown(number('n') == 2**20, value)
share = '100 * number("l1_hit_sectors") / number("load_sectors")'

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
shown_counts = ''
signature = -1
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent('memcpy_percent'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(counted(number('load_efficiency')))) nooutput
    if (STATS_max > 0) {
        # An emulated GPU that counts what the GPU before it counts would only hide it.
        stats data index i using \
            (counted(floor(number('load_efficiency')) * place(number('offset'), strcol('l1')))) nooutput
        this = STATS_sum
        stats data index i using (number('emulated')) nooutput
        if (this != signature || STATS_max == 0) { shown_counts = shown_counts.sprintf(' %d', i) }
        signature = this
    }
}
lines = words(timed)
points = words(shown_counts)
device(k) = int(word(shown_counts, k))

set multiplot layout 3,1 margins 0.085,0.98,0.07,0.96 spacing 0.15

set ylabel 'bandwidth, % of memcpy'
# Never so narrow a range that noise looks like an effect.
set yrange [* < 60 : 105 < *]
if (lines > 0) {
    plot for [k = 1 : lines] data index int(word(timed, k)) \
            using (beside(k, lines)):(percent('memcpy_percent')): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorbars linetype k title columnheader(1)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

if (points > 0) {
    # Line types go on from the panel above, so that none stands for two things.
    set ylabel 'load efficiency, %'
    set yrange [0:105]
    set label 2 'An emulated GPU that is not named counts what the one before it does.' \
        at graph 0.99,0.11 right
    plot for [k = 1 : points] data index device(k) \
            using (beside(k, points)):(counted(number('load_efficiency'))) \
            with points linetype lines + k pointsize 1 title columnheader(2)
    unset label 2
    set ylabel 'sectors found in the L1, %'
    set yrange [-3:105]
    plot for [k = 1 : points] data index device(k) \
            using (beside(k, points)):(counted(@share)) \
            with points linetype lines + k pointsize 1 title columnheader(2)
} else {
    set label 1 'No loads were counted: scripts/lab run 03 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
}
unset multiplot
