# Above: bandwidth against the size of a block, where time was measured. Below: load efficiency.
load 'style.gp'
data = ARG1
set terminal svg size 820,680 dynamic font 'sans-serif,13' name '$name' background rgb 'white'
set output ARG2

set xlabel 'threads in a block'
set logscale x 2
set xrange [96:704]

is_there(value) = value == value ? 1 : 0
shown(name) = strcol('kernel') eq 'copy' ? number(name) : NaN

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(shown('bandwidth_gbs'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(shown('load_efficiency'))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}

set multiplot layout 2,1 margins 0.085,0.98,0.09,0.94 spacing 0.2

set ylabel 'bandwidth, GB/s'
set yrange [0:*]
if (words(timed) > 0) {
    plot for [k = 1 : words(timed)] data index int(word(timed, k)) \
            using (number('block')):(shown('bandwidth_gbs')): \
                  (shown('bandwidth_gbs_low')):(shown('bandwidth_gbs_high')) \
            with yerrorlines linetype k title columnheader(1)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'load efficiency, %'
set yrange [0:105]
if (words(counted) > 0) {
    # Line types go on from the panel above, so that none stands for two things.
    before = words(timed)
    plot for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (number('block')):(shown('load_efficiency')) \
            with linespoints linetype before + k title columnheader(1)
} else {
    set label 1 'No loads were counted: this needs an emulated GPU.' at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
