# Left: strides. Right: a warp's words scattered over lines. Above: bandwidth of the bytes that are used,
# where time was measured, beside what the load efficiency alone would make of it. Below: that efficiency.
load 'style.gp'
data = ARG1
set terminal svg size 1000,860 dynamic font 'sans-serif,13' name 'access_patterns' \
    background rgb 'white'
set output ARG2

kernels = 'copy_strided copy_scattered'
keys = 'stride lines'
array labels[2] = ['stride of the loads, in 4-byte elements', \
                   'lines that the 32 words of a warp are scattered over']
is_there(value) = value == value ? 1 : 0
of(panel, l1, value) = strcol('kernel') eq word(kernels, panel) && strcol('l1') eq l1 ? value : NaN
# Bandwidth at the size that no L2 holds; the counts of the smaller one stand for both.
percent(panel, l1) = strcol('cache') eq 'cold' ? of(panel, l1, number('memcpy_percent')) : NaN
efficiency(panel, l1) = number('n') == 2**20 ? of(panel, l1, number('load_efficiency')) : NaN
at(panel) = number(word(keys, panel))
# Where a marker at every place would hide the line below.
sparse(place, value) = 2 ** floor(log(place) / log(2) + 0.01) == place ? value : NaN
# gnuplot evaluates an entry once even where its loop is empty, and wants a number there.
block(list, k) = k <= words(list) ? int(word(list, k)) : 0
within(list, value) = words(list) > 0 ? value : 1
# As much is stored as is used of what is loaded, and all of that is moved: the share of what is used.
used(percentage) = 200 / (100 / percentage + 1)

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
counted_before = ''
measured = ''
predicting = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent(1, 'on'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(efficiency(1, 'on'))) nooutput
    if (STATS_max > 0) {
        stats data index i using (efficiency(2, 'on')) nooutput
        this = sprintf(' %.0f', STATS_sum)
        stats data index i using (number('emulated')) nooutput
        if (STATS_max == 0) {
            measured = measured.sprintf(' %d', i)
        } else {
            predicting = sprintf('%d', i)
            # A GPU that counts what one before it counts would only hide it.
            if (strstrt(counted_before, this) == 0) { counted = counted.sprintf(' %d', i) }
            counted_before = counted_before.this
        }
    }
}
lines = words(timed)
units = words(counted)

set multiplot
set key maxcols 2 width 0
set logscale x 2
set xrange [0.9:72]
do for [panel = 1 : 2] {
    left = panel == 1 ? 0.07 : 0.55
    set lmargin at screen left
    set rmargin at screen left + 0.43
    set xlabel labels[panel]
    if (panel == 2) { set xrange [0.94:34]; set key off; set ylabel '' }

    set tmargin at screen 0.915
    set bmargin at screen 0.60
    if (panel == 1) { set ylabel 'bandwidth of used bytes, % of memcpy' }
    set yrange [0 : 105 < *] noextend
    if (lines > 0) {
        plot for [k = 1 : words(predicting)] data index block(predicting, k) \
                using (within(predicting, at(panel))):(within(predicting, used(efficiency(panel, 'on')))) \
                with lines linewidth 4 linecolor rgb '#bbbbbb' title 'if only the fetched bytes counted', \
             for [k = 1 : lines] data index block(timed, k) \
                using (at(panel)):(percent(panel, 'on')): \
                      (number('memcpy_percent_low')):(number('memcpy_percent_high')) \
                with yerrorlines linetype 2 * k - 1 title columnheader(1).', L1 on', \
             for [k = 1 : lines] data index block(timed, k) \
                using (at(panel)):(percent(panel, 'off')): \
                      (number('memcpy_percent_low')):(number('memcpy_percent_high')) \
                with yerrorbars linetype 2 * k pointsize 0.8 title columnheader(1).', L1 off'
    } else {
        set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
        plot [][0:100] NaN notitle
        unset label 1
    }

    set tmargin at screen 0.405
    set bmargin at screen 0.075
    if (panel == 1) { set ylabel 'load efficiency, %' }
    set yrange [0:105]
    if (units + words(measured) > 0) {
        if (panel == 2) { set label 2 'A GPU that is not named counts what one of these does.' \
                              at graph 1,1.06 right }
        # Line types go on from the panel above, so that none stands for two things.
        before = 2 * lines
        plot for [k = 1 : units] data index block(counted, k) \
                using (within(counted, at(panel))):(within(counted, efficiency(panel, 'on'))) \
                with lines linetype before + k title columnheader(2).', L1 on', \
             for [k = 1 : (units > 0)] data index block(counted, 1) \
                using (within(counted, at(panel))):(within(counted, sparse(at(panel), efficiency(panel, 'off')))) \
                with points linetype before + units + 1 pointsize 0.9 title columnheader(2).', L1 off', \
             for [k = 1 : words(measured)] data index block(measured, k) \
                using (within(measured, at(panel))):(within(measured, efficiency(panel, 'on'))) \
                with points linetype before + units + 1 + k title columnheader(2).', L1 on'
    } else {
        set label 1 'No loads were counted: scripts/lab run 01 --device emulated:hopper does so.' \
            at graph 0.5,0.5 center
        plot [][0:100] NaN notitle
        unset label 1
    }
}
unset multiplot
