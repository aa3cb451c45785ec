# Above: bandwidth as a share of memcpy's, where time was measured. Below: load efficiency at
# 2048 x 2048.
load 'style.gp'
data = ARG1
set terminal svg size 820,720 dynamic font 'sans-serif,13' name 'transpose_unroll4' \
    background rgb 'white'
set output ARG2

# A place for each variant on the x axis, and its name below.
variants = 'transpose_read_columns/on transpose_read_columns_unroll4/on '\
    .'transpose_read_columns_unroll4_loads_first/on '\
    .'transpose_read_columns/off transpose_read_columns_unroll4/off '\
    .'transpose_read_columns_unroll4_loads_first/off '\
    .'transpose_read_rows/on transpose_read_rows_unroll4/on '\
    .'transpose_read_rows_unroll4_loads_first/on transpose_read_rows/off '\
    .'transpose_read_rows_unroll4/off '\
    .'transpose_read_rows_unroll4_loads_first/off'
place(variant) = (sum [i = 1 : words(variants)] (word(variants, i) eq variant ? i : 0))
variant_of(kernel) = kernel.'/'.strcol('l1')
place_of(kernel) = place(variant_of(kernel))
is_shown(kernel) = place_of(kernel) > 0
# Counts do not depend on the regime: the source's size stands for all.
count(value) = number('rows') == 2048 && number('columns') == 2048 && strcol('cache') eq 'cold' \
               ? value : NaN
set xrange [0.4 : words(variants) + 0.6]
set xtics noenhanced scale 0 ('one' 1, 'four' 2, 'loads first' 3, 'one' 4, 'four' 5, \
    'loads first' 6, 'one' 7, 'four' 8, 'loads first' 9, 'one' 10, 'four' 11, \
    'loads first' 12)
# Below the variants, what each three of them have in common.
set label 11 'read columns, L1 on' at first 2, graph 0 offset 0,-2.4 center
set label 12 'read columns, L1 off' at first 5, graph 0 offset 0,-2.4 center
set label 13 'read rows, L1 on' at first 8, graph 0 offset 0,-2.4 center
set label 14 'read rows, L1 off' at first 11, graph 0 offset 0,-2.4 center

# The blocks of the data (a device in a regime each) in which `column` says something.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
timed = ''
do for [i = 0 : blocks - 1] {
    stats data index i \
        using (is_shown(strcol('kernel')) ? is_there(number('memcpy_percent')) : 0) \
        nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
}
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i \
        using (is_shown(strcol('kernel')) ? is_there(count(number('load_efficiency'))) : 0) \
        nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}

# Bars stand side by side: the k-th of `all` blocks, around the variant's place.
beside(k, all) = (is_shown(strcol('kernel')) ? place_of(strcol('kernel')) : NaN) \
                 + (k - (all + 1) / 2.0) * 0.8 / all
set style fill solid 0.85 border rgb '#222222'

set multiplot layout 2,1 margins 0.085,0.98,0.085,0.915 spacing 0.24

set ylabel 'bandwidth, % of memcpy'
set yrange [0 : 105 < *]
if (words(timed) > 0) {
    all = words(timed)
    plot for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(number('memcpy_percent')):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(1), \
         for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(number('memcpy_percent_low')):(0): \
                  (number('memcpy_percent_high') - number('memcpy_percent_low')) \
            with vectors nohead linetype -1 linewidth 2 notitle
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
    unset label 1
}

set ylabel 'load efficiency, %'
set yrange [0 : 105]
if (words(counted) > 0) {
    all = words(counted)
    plot for [k = 1 : all] data index int(word(counted, k)) \
            using (beside(k, all)):(count(number('load_efficiency'))):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(2)
} else {
    set label 1 'Nothing was counted: scripts/lab run 11 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}
unset multiplot
