# Above: the time of each phase at the largest size, where time was measured. Below: what crosses the
# link, as copied by the program or as the driver reports it.
load 'style.gp'
data = ARG1
set terminal svg size 820,700 dynamic font 'sans-serif,13' name 'unified_memory' \
    background rgb 'white'
set output ARG2

memories = 'explicit managed prefetched kept_on_host'
phases = 'initialise to_device first_touch kernel read_back total'
position(name, list) = sum [i = 1 : words(list)] (word(list, i) eq name ? i : 0)

# Series stand beside each other, so that none hides another.
beside(k, all) = (k - 0.5 * (all + 1)) * 0.7 / all
is_phase(m, n) = strcol('memory') eq word(memories, m) && number('rows') == n
time_ms(m, name) = is_phase(m, 6144) ? number(name) / 1000 : NaN
# Of the smallest size, which every device has; as many matrices cross at the others.
matrices(name) = strcol('phase') eq 'total' && number('rows') == 2**10 \
                 ? number(name) / (4 * number('rows') * number('columns')) : NaN

# The blocks of the data (a device in a regime each) that have something to draw. What copies move
# depends on no GPU: one emulated GPU stands for all.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
emulated_before = 0
is_there(value) = value == value ? 1 : 0
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(time_ms(1, 'time_us'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(matrices('bytes_to_device'))) nooutput
    is_counted = STATS_max > 0
    stats data index i using (number('emulated')) nooutput
    if (is_counted && !(STATS_max > 0 && emulated_before)) { counted = counted.sprintf(' %d', i) }
    if (is_counted && STATS_max > 0) { emulated_before = 1 }
}

set multiplot layout 2,1 margins 0.105,0.98,0.075,0.91 spacing 0.2

set ylabel 'time at 6144 x 6144, ms'
set xrange [0.5:6.5]
set xtics ('initialise' 1, 'to device' 2, 'first touch' 3, 'kernel' 4, 'read back' 5, 'total' 6)
if (words(timed) > 0) {
    set logscale y
    all = 4 * words(timed)
    plot for [k = 0 : all - 1] data index int(word(timed, 1 + k / 4)) \
            using (position(strcol('phase'), phases) + beside(k + 1, all)): \
                  (time_ms(1 + k % 4, 'time_us')): \
                  (time_ms(1 + k % 4, 'time_us_low')):(time_ms(1 + k % 4, 'time_us_high')) \
            with yerrorbars linetype k + 1 pointsize 1 \
            title columnheader(2).', '.word(memories, 1 + k % 4)
    unset logscale y
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'bytes over the link, in matrices'
set yrange [0:*]
set xrange [0.5:4.5]
set xtics ('explicit' 1, 'managed' 2, 'prefetched' 3, 'kept on host' 4)
set style fill pattern border
set boxwidth 0.35 / (words(counted) > 0 ? words(counted) : 1)
if (words(counted) > 0) {
    all = 2 * words(counted)
    plot for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (position(strcol('memory'), memories) + beside(2 * k - 1, all)): \
                  (matrices('bytes_to_device')) \
            with boxes linetype k fillstyle pattern 3 \
            title columnheader(2).', to the device', \
         for [k = 1 : words(counted)] data index int(word(counted, k)) \
            using (position(strcol('memory'), memories) + beside(2 * k, all)): \
                  (matrices('bytes_to_host')) \
            with boxes linetype k fillstyle pattern 1 \
            title columnheader(2).', to the host'
} else {
    set label 1 'Nothing was counted: scripts/lab run 20 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
