# Above: bandwidth of what was asked for, against the record, where time was measured. Below: load
# efficiency, on the newest and on the oldest GPU that was counted.
load 'style.gp'
data = ARG1
set terminal svg size 820,860 dynamic font 'sans-serif,13' name 'aos_soa' background rgb 'white'
set output ARG2

# One place on the axis for each size of a record.
place(record) = record == 2 ? 1 : record == 3 ? 2 : record == 4 ? 3 : record == 8 ? 4 \
              : record == 12 ? 5 : record == 16 ? 6 : NaN
set xrange [0.7:6.3]
set xtics ('2 B, 2 fields' 1, '3 B, 3 fields' 2, '4 B, 4 fields' 3, '8 B, 2 fields' 4, \
           '12 B, 3 fields' 5, '16 B, 4 fields' 6)

kernels = 'aos_one_field aos_all_fields aos_whole_record soa_one_field soa_all_fields'
array titles[5] = ['AoS, one field', 'AoS, all fields', 'AoS, aligned, all fields', \
                   'SoA, one field', 'SoA, all fields']
is_there(value) = value == value ? 1 : 0
shown(n, value) = strcol('cache') eq 'cold' && n ? value : NaN
percent(name) = shown(number('n') == 2**24, number(name))
efficiency(name) = shown(number('n') == 2**20, number(name))
of(k, value) = strcol('kernel') eq word(kernels, k) ? value : NaN
# Side by side, so that what is equal does not hide.
beside(k) = place(number('record')) + (k - 3) * 0.09

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = ''
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent('memcpy_percent'))) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    # Lines are the emulator's counter.
    stats data index i using (is_there(shown(number('n') == 2**20, number('load_lines')))) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}

set multiplot layout 3,1 margins 0.085,0.98,0.05,0.91 spacing 0.12
# The first entry of each panel is its device: a point that the range clips.
set key maxcols 3 width -5 samplen 3

set ylabel 'bandwidth, % of memcpy'
set yrange [0 : 105 < *]
if (words(timed) > 0) {
    newest = int(word(timed, words(timed)))
    plot data index newest using (1):(-1) with points pointtype 0 title columnheader(1), \
         for [k = 1 : 5] data index newest \
            using (beside(k)):(of(k, percent('memcpy_percent'))): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorbars linetype k title titles[k]
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'load efficiency, %'
set yrange [0:105]
if (words(counted) > 0) {
    do for [panel = 1 : 2] {
        device = int(word(counted, panel == 1 ? words(counted) : 1))
        plot data index device using (1):(-1) with points pointtype 0 title columnheader(2), \
             for [k = 1 : 5] data index device \
                using (beside(k)):(of(k, efficiency('load_efficiency'))) \
                with points linetype k title titles[k]
    }
} else {
    set label 1 'No loads were counted: scripts/lab run 06 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
