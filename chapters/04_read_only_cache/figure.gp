# Above: bandwidth of each read, plain and through the read-only cache, where time was measured. Below:
# the sectors that a cache of the SM delivered, counted.
load 'style.gp'
data = ARG1
set terminal svg size 820,760 dynamic font 'sans-serif,13' name 'read_only_cache' background rgb 'white'
set output ARG2

is_there(value) = value == value ? 1 : 0
shown(n, value) = strcol('cache') eq 'cold' && n ? value : NaN
percent(name) = shown(number('n') == 2**26, number(name))
hits(dummy) = shown(number('n') == 2**20, 100.0 * number('l1_hit_sectors') / number('load_sectors'))
# One place on the axis for each kind of read; plain, __ldg and __restrict__ side by side.
starts_with(text) = strcol('kernel')[1 : strlen(text)] eq text
place(dummy) = starts_with('read_offset') ? (number('offset') == 0 ? 1 : 2) \
             : starts_with('gather') ? (strcol('scatter') eq 'array' ? 3 : 4) \
             : starts_with('sum_table') ? 5 : NaN
ends_with(text) = strlen(strcol('kernel')) > strlen(text) \
                  && strcol('kernel')[strlen(strcol('kernel')) - strlen(text) + 1 : *] eq text
way(dummy) = ends_with('_ldg') ? 2 : ends_with('_restrict') ? 3 : 1
array ways[3] = ['plain', '__ldg', 'const __restrict__']
of(k, value) = way(0) == k ? value : NaN

# The blocks of the data (a device in a regime each) that have something to draw.
stats data using 0 nooutput
blocks = STATS_blocks
timed = -1
counted = ''
signature = -1
do for [i = 0 : blocks - 1] {
    stats data index i using (is_there(percent('memcpy_percent'))) nooutput
    if (STATS_max > 0) { timed = i }
    # Lines are the emulator's counter.
    stats data index i using (is_there(shown(number('n') == 2**20, number('load_lines')))) nooutput
    if (STATS_max > 0) {
        # The same hits, to 5 %, have the same sum: such a device would hide the one before.
        stats data index i using (floor(hits(0) / 5 + 0.5) * (10 * place(0) + way(0))) nooutput
        if (STATS_sum != signature) { counted = counted.sprintf(' %d', i) }
        signature = STATS_sum
    }
}

set multiplot layout 2,1 margins 0.085,0.98,0.075,0.91 spacing 0.24
set xrange [0.6:5.4]
set xtics ('offset 0' 1, 'offset 11' 2, "scattered over\nthe array" 3, "scattered within\na block" 4, \
           "a table of 4 KB,\nreused" 5)

set ylabel 'bandwidth, % of memcpy'
set yrange [0 : 105 < *]
if (timed >= 0) {
    # The first entry names the device; nobody sees its point.
    plot data index timed using (1.5):(2) with points pointtype 0 linecolor rgb 'white' title columnheader(1), \
         for [k = 1 : 3] data index timed \
            using (place(0) + (k - 2) * 0.12):(of(k, percent('memcpy_percent'))): \
                  (percent('memcpy_percent_low')):(percent('memcpy_percent_high')) \
            with yerrorbars linetype k pointsize 0.9 title ways[k]
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'found in L1 or read-only cache, %'
set yrange [-4:105]
if (words(counted) > 0) {
    set label 2 'A GPU that is not named has the hits of the one before it, to 5 %.' at graph 0.02,0.93
    # For each device plain loads and __ldg; __restrict__ is the compiler's, and not counted here.
    plot for [d = 1 : words(counted)] for [k = 1 : 2] data index int(word(counted, d)) \
            using (place(0) + (d - (words(counted) + 1) / 2.0) * 0.24 + (k - 1.5) * 0.1):(of(k, hits(0))) \
            with points linetype 2 * d + k - 2 pointsize 0.9 title columnheader(2).', '.ways[k]
} else {
    set label 1 'No loads were counted: scripts/lab run 04 --device emulated:kepler does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
}
unset multiplot
