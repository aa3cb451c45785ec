# Above: time against the stride, where it was measured. In the middle: passes through the banks,
# counted. Below: occupancy against the shared memory of a block.
load 'style.gp'
data = ARG1
set terminal svg size 820,1020 dynamic font 'sans-serif,13' name 'bank_conflicts' \
    background rgb 'white'
set output ARG2

is_strided(element) = strcol('kernel') eq 'load_strided' && number('sharers') == 1 \
                      && number('element') == element
elapsed(element) = is_strided(element) ? number('time_us') : NaN
passes(element) = is_strided(element) \
                  ? number('shared_load_wavefronts') / number('shared_load_requests') : NaN
# It does not change with the size; one that every device has.
occupancy(unused) = strcol('kernel') eq 'copy_through_shared' && number('n') == 2**20 \
                    ? number('theoretical_occupancy') : NaN
is_there(value) = value == value ? 1 : 0

# The blocks of the data (a device in a regime each): those with times, those with occupancies, and
# one of each width of banks. Floats at stride 32 meet 32 in a 4-byte bank, 16 in an 8-byte one.
stats data using 0 nooutput
timed = ''
resident = ''
narrow = -1
wide = -1
do for [i = 0 : STATS_blocks - 1] {
    stats data index i using (is_there(elapsed(4))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    stats data index i using (is_there(occupancy(0))) nooutput
    if (STATS_max > 0) { resident = resident.sprintf(' %d', i) }
    stats data index i using (is_there(passes(4))) nooutput
    if (STATS_max > 0) {
        stats data index i using (passes(4)) nooutput
        if (STATS_max > 24) { narrow = i } else { wide = i }
    }
}

set key maxcols 5 width 0
set multiplot layout 3,1 margins 0.085,0.98,0.062,0.955 spacing 0.14
set xrange [0.5:32.5]
set xtics 1,1 font ',11'
set xlabel 'stride, in elements'
set logscale y 2

set ylabel 'time (4 bytes, stride 1: 1)'
set yrange [0.5:64]
if (words(timed) > 0) {
    i = int(word(timed, words(timed)))
    stats data index i using (number('stride') == 1 ? elapsed(4) : NaN) nooutput
    unit = STATS_max
    plot for [e = 1 : 4] data index i using (number('stride')):(elapsed(2**e) / unit) \
        with linespoints linetype e title sprintf('%d bytes', 2**e)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot for [e = 1 : 4] NaN with linespoints linetype e title sprintf('%d bytes', 2**e)
    unset label 1
}

set ylabel 'passes of one request'
if (narrow >= 0) {
    plot for [e = 1 : 4] data index narrow using (number('stride')):(passes(2**e)) \
            with linespoints linetype e notitle, \
         for [k = 1 : (wide >= 0)] data index (wide >= 0 ? wide : narrow) \
            using (number('stride')):(passes(4)) with linespoints linetype 6 \
            title '4 bytes in 8-byte banks'
} else {
    set label 1 'No passes were counted: scripts/lab run 15 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}

unset logscale y
set key maxcols 4 width 0
set ylabel 'theoretical occupancy, %'
set xlabel 'shared memory of a block of 256 threads, KB'
set xrange [0:50]
set yrange [0:105]
set xtics (4, 6, 8, 12, 16, 24, 32, 48) font ',12'
if (words(resident) > 0) {
    plot for [k = 1 : words(resident)] data index int(word(resident, k)) \
        using (number('shared_kb')):(occupancy(0)) \
        with linespoints linetype k title columnheader(2)
} else {
    set label 1 'No occupancy was counted: scripts/lab run 15 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
