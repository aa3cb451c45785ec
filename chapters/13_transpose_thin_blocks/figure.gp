# Bandwidth as a share of memcpy's for both kernels, where time was measured; below, load efficiency
# of the one that reads columns, at 2048 x 2048.
load 'style.gp'
data = ARG1
set terminal svg size 820,920 dynamic font 'sans-serif,13' name 'transpose_thin_blocks' \
    background rgb 'white'
set output ARG2

# A place for each variant on the x axis, and its name below.
variants = '32x32 32x16 32x8 16x32 16x16 16x8 8x32 8x16 8x8 4x64 4x32'
place(variant) = (sum [i = 1 : words(variants)] (word(variants, i) eq variant ? i : 0))
variant_of(kernel) = kernel eq shown_kernel ? strcol('block') : ''
place_of(kernel) = place(variant_of(kernel))
is_shown(kernel) = place_of(kernel) > 0
# Counts do not depend on the regime: the source's size stands for all.
count(value) = number('rows') == 2048 && number('columns') == 2048 && strcol('cache') eq 'cold' \
               ? value : NaN
set xrange [0.4 : words(variants) + 0.6]
set xtics noenhanced scale 0 ('32x32' 1, '32x16' 2, '32x8' 3, '16x32' 4, '16x16' 5, \
    '16x8' 6, '8x32' 7, '8x16' 8, '8x8' 9, '4x64' 10, '4x32' 11)

# The blocks of the data (a device in a regime each) in which `column` says something.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
shown_kernel = 'transpose_read_columns'
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

set multiplot layout 3,1 margins 0.085,0.98,0.07,0.945 spacing 0.13

set ylabel 'read columns, % of memcpy'
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

shown_kernel = 'transpose_read_rows'

set ylabel 'read rows, % of memcpy'
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

shown_kernel = 'transpose_read_columns'

set ylabel 'read columns, load efficiency, %'
set xlabel 'threads of a block, across x down'
set yrange [0 : 105]
if (words(counted) > 0) {
    all = words(counted)
    plot for [k = 1 : all] data index int(word(counted, k)) \
            using (beside(k, all)):(count(number('load_efficiency'))):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(2)
} else {
    set label 1 'Nothing was counted: scripts/lab run 13 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}
unset multiplot
