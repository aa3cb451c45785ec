# Above: time against unrolling, where it was measured. In the middle: requests and sectors, counted.
# Below: the steps from the textbook kernel to the limit, over a cudaMemcpy timed beside each.
load 'style.gp'
data = ARG1
set terminal svg size 820,1060 dynamic font 'sans-serif,13' name 'unroll4' background rgb 'white'
set output ARG2

is_there(value) = value == value ? 1 : 0
kernel_is(name) = strcol('kernel') eq name
# One place on the axis for each kernel and number of elements a thread.
is_unrolled(dummy) = kernel_is('read_offset_unrolled') || kernel_is('read_offset_loads_first')
place(dummy) = kernel_is('read_offset') ? 1 : kernel_is('read_offset_quarter') ? 5 \
             : kernel_is('read_offset_wide') || kernel_is('read_offset_overlapping') ? 6 \
             : kernel_is('read_offset_shuffled') ? 7 : !is_unrolled(0) ? NaN \
             : number('unroll') == 2 ? 2 : number('unroll') == 4 ? 3 : number('unroll') == 8 ? 4 : NaN
places = "('plain' 1, '2 elements' 2, '4 elements' 3, '8 a thread' 4, \"a quarter\\nof the work\" 5"

array offset[3] = [0, 11, 128]
# Where the source has its plain kernel: blocks of 512, cold.
at(o, n, value) = strcol('cache') eq 'cold' && number('block') == 512 && number('offset') == o \
                  && number('n') == n ? value : NaN
elapsed(o, name) = at(o, 2**26, number(name))
count(o, name) = at(o, 2**20, number(name))
of_limit(name) = number('n') == 2**29 ? number(name) : NaN

# The newest blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
timed = -1
counted = -1
limit = -1
do for [i = 0 : STATS_blocks - 1] {
    stats data index i using (is_there(elapsed(0, 'time_us'))) nooutput
    if (STATS_max > 0) { timed = i }
    # Lines are the emulator's counter.
    stats data index i using (is_there(count(0, 'load_lines'))) nooutput
    if (STATS_max > 0) { counted = i }
    stats data index i using (is_there(of_limit('memcpy_ratio'))) nooutput
    if (STATS_max > 0) { limit = i }
}
# What the plain kernel has at each offset; before any range is set, which `stats` would obey.
array plain[3]
array requests[3]
array sectors[3]
of_plain(value) = kernel_is('read_offset') ? value : NaN
do for [k = 1 : 3] {
    if (timed >= 0) {
        stats data index timed using (of_plain(elapsed(offset[k], 'time_us'))) nooutput
        plain[k] = STATS_max
    }
    if (counted >= 0) {
        stats data index counted using (of_plain(count(offset[k], 'load_requests'))) nooutput
        requests[k] = STATS_max
        stats data index counted using (of_plain(count(offset[k], 'load_sectors'))) nooutput
        sectors[k] = STATS_max
    }
}

set multiplot
set lmargin at screen 0.085
set rmargin at screen 0.98
set key maxcols 3 width -6 samplen 3

# ---- time --------------------------------------------------------------------------------------
set tmargin at screen 0.915
set bmargin at screen 0.71
eval 'set xtics '.places.')'
set xrange [0.6:5.4]
set ylabel 'time, of the plain kernel = 1'
set yrange [0 : 1.15 < *]
if (timed >= 0) {
    share(k, name) = elapsed(offset[k], name) / plain[k]
    # Side by side, so that what is equal does not hide.
    line(kernel, k, value) = place(0) < 5 && (kernel_is('read_offset') || kernel_is(kernel)) ? value : NaN
    set arrow 1 from graph 0, first 0.32 to graph 1, first 0.32 nohead dashtype 3 linecolor rgb '#444444'
    set label 1 'printed by the source: 0.32' at first 0.65, first 0.32 offset 0,0.6
    # The first entry names the device; nobody sees its point.
    plot data index timed using (3):(0.1) with points pointtype 0 linecolor rgb 'white' title columnheader(1), \
         for [k = 1 : 3] data index timed \
            using (place(0) + (k - 2) * 0.06 - 0.02):(line('read_offset_unrolled', k, share(k, 'time_us'))): \
                  (share(k, 'time_us_low')):(share(k, 'time_us_high')) \
            with yerrorlines linetype k title sprintf('as the source, offset %d', offset[k]), \
         for [k = 1 : 3] data index timed \
            using (place(0) + (k - 2) * 0.06 + 0.02):(line('read_offset_loads_first', k, share(k, 'time_us'))): \
                  (share(k, 'time_us_low')):(share(k, 'time_us_high')) \
            with yerrorlines linetype k + 3 title sprintf('loads first, offset %d', offset[k]), \
         for [k = 1 : 3] data index timed \
            using (place(0) + (k - 2) * 0.06):(kernel_is('read_offset_quarter') ? share(k, 'time_us') : NaN): \
                  (share(k, 'time_us_low')):(share(k, 'time_us_high')) \
            with yerrorbars linetype k notitle
    unset arrow 1
    unset label 1
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:1] NaN notitle
    unset label 1
}

# ---- counts ------------------------------------------------------------------------------------
set tmargin at screen 0.595
set bmargin at screen 0.415
eval 'set xtics '.places.", \"16-byte\\nloads\" 6, \"... the rest\\nshuffled\" 7)"
set xrange [0.6:7.4]
set ylabel 'loads, of the plain kernel = 1'
set yrange [0:1.9]
if (counted >= 0) {
    plot data index counted using (3):(0.1) with points pointtype 0 linecolor rgb 'white' title columnheader(1), \
         for [k = 1 : 2] data index counted \
            using (place(0) + (k - 3) * 0.1 + 0.05):(count(offset[k], 'load_requests') / requests[k]) \
            with points linetype k title sprintf('requests, offset %d', offset[k]), \
         for [k = 1 : 2] data index counted \
            using (place(0) + (k - 1) * 0.1 + 0.05):(count(offset[k], 'load_sectors') / sectors[k]) \
            with points linetype k + 3 pointsize 0.9 title sprintf('sectors, offset %d', offset[k])
} else {
    set label 1 'No loads were counted: scripts/lab run 07 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}

# ---- the limit ---------------------------------------------------------------------------------
set tmargin at screen 0.30
set bmargin at screen 0.055
step(dummy) = kernel_is('read_offset_wide_streaming') ? 4 : kernel_is('read_offset_wide_paced') ? 5 \
            : number('offset') == 0 ? (place(0) == 1 ? 1 : place(0) == 3 ? 2 : place(0) == 6 ? 3 : NaN) \
            : number('offset') == 11 ? (place(0) == 1 ? 7 : place(0) == 3 ? 8 : place(0) == 6 ? 9 \
                                        : place(0) == 7 ? 10 : NaN) \
            : kernel_is('copy_wide') ? 12 : kernel_is('read_wide') ? 13 : kernel_is('write_wide') ? 14 : NaN
is_bar(dummy) = number('block') == (step(0) < 12 ? 1024 : 512)
bar(name) = is_bar(0) ? of_limit(name) : NaN
in_group(first, last, value) = step(0) >= first && step(0) <= last ? value : NaN
set xrange [0.3:14.7]
set xtics ('plain' 1, "4 loads\nfirst" 2, '16-byte' 3, \
           "16-byte,\nstreaming" 4, "16-byte,\npaced" 5, 'plain' 7, "4 loads\nfirst" 8, \
           "16-byte,\noverlap" 9, "16-byte,\nshuffled" 10, 'copy' 12, 'read' 13, 'write' 14) font ',11'
set ylabel 'bytes per second, of cudaMemcpy = 1'
set yrange [0 : 1.3 < *]
set boxwidth 0.7
if (limit >= 0) {
    array group[3] = ['c = a + b at offset 0', 'c = a + b at offset 11', 'ceilings of the device']
    array begin[3] = [1, 7, 12]
    array end[3] = [5, 10, 14]
    array colour[3] = ['#56b4e9', '#e69f00', '#cccccc']
    set for [k = 1 : 3] label k group[k] at first (k == 1 ? 3 : k == 2 ? 8.5 : 13), graph 0.95 center
    set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead front dashtype 3 linecolor rgb '#444444'
    plot data index limit using (4):(0.1) with points pointtype 0 linecolor rgb 'white' title columnheader(1), \
         for [k = 1 : 3] data index limit \
            using (in_group(begin[k], end[k], step(0))):(bar('memcpy_ratio')) \
            with boxes fillstyle solid 1 border rgb '#222222' linecolor rgb colour[k] dashtype 1 notitle, \
         data index limit \
            using (step(0)):(bar('memcpy_ratio_low')):(0):(bar('memcpy_ratio_high') - bar('memcpy_ratio_low')) \
            with vectors nohead linetype 1 linewidth 3 notitle, \
         data index limit using (step(0)):(is_there(bar('memcpy_ratio')) ? 0.1 : NaN):(sprintf('%.3f', bar('memcpy_ratio'))) \
            with labels font ',11' notitle, \
         data index limit using (step(0) + 0.2):(step(0) < 12 && number('block') == 512 ? of_limit('memcpy_ratio') : NaN) \
            with points linetype 1 title 'blocks of 512; bars: of 1024, ceilings of 512'
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:1] NaN notitle
}
unset multiplot
