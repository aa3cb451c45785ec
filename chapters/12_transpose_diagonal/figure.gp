# Bandwidth as a share of memcpy's in square matrices and against the width, where time was
# measured; between them the share of loaded sectors that are found in the L1, at 2048 x 2048.
load 'style.gp'
data = ARG1
set terminal svg size 820,980 dynamic font 'sans-serif,13' name 'transpose_diagonal' \
    background rgb 'white'
set output ARG2

# A place for each variant on the x axis, and its name below.
variants = 'transpose_read_columns transpose_read_columns_diagonal '\
    .'transpose_read_columns_diagonal_any transpose_read_rows '\
    .'transpose_read_rows_diagonal transpose_read_rows_diagonal_any'
place(variant) = (sum [i = 1 : words(variants)] (word(variants, i) eq variant ? i : 0))
variant_of(kernel) = kernel
place_of(kernel) = place(variant_of(kernel))
is_shown(kernel) = place_of(kernel) > 0 \
                   && number('rows') == number('columns') \
                   && (number('rows') == 2048 || number('rows') == 16384)
# Counts do not depend on the regime: the source's size stands for all.
count(value) = number('rows') == 2048 && number('columns') == 2048 && strcol('cache') eq 'cold' \
               ? value : NaN
set xrange [0.4 : words(variants) + 0.6]
set xtics noenhanced scale 0 ('read columns' 1, "read columns\ndiagonal" 2, \
    "read columns\ndiagonal, any grid" 3, 'read rows' 4, \
    "read rows\ndiagonal" 5, "read rows\ndiagonal, any grid" 6)

# The blocks of the data (a device in a regime each) in which `column` says something.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
hits(sectors) = 100 * sectors / number('load_sectors')
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
        using (is_shown(strcol('kernel')) ? is_there(count(hits(number('l1_hit_sectors')))) : 0) \
        nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}
is_swept(rows) = rows >= 1920 && rows <= 2304
swept = ''
do for [i = 0 : blocks - 1] {
    stats data index i \
        using (is_swept(number('rows')) ? is_there(number('memcpy_percent')) : 0) nooutput
    if (STATS_max > 0) { swept = swept.sprintf(' %d', i) }
}

# Bars stand side by side: the k-th of `all` blocks, around the variant's place.
beside(k, all) = (is_shown(strcol('kernel')) ? place_of(strcol('kernel')) : NaN) \
                 + (k - (all + 1) / 2.0) * 0.8 / all
set style fill solid 0.85 border rgb '#222222'

set multiplot layout 3,1 margins 0.085,0.98,0.06,0.945 spacing 0.145

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

set ylabel 'L1 hits, % of load sectors'
set yrange [0 : 105]
if (words(counted) > 0) {
    all = words(counted)
    plot for [k = 1 : all] data index int(word(counted, k)) \
            using (beside(k, all)):(count(hits(number('l1_hit_sectors')))):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(2)
} else {
    set label 1 'Nothing was counted: scripts/lab run 12 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}

set ylabel 'bandwidth, % of memcpy'
# The side decides where in memory a column lies; the axis is not to scale.
set xlabel 'rows and columns of a square matrix'
widths = '1920 2048 2056 2080 2112 2176 2240 2304'
at(columns) = (sum [i = 1 : words(widths)] (word(widths, i) + 0 == columns ? i : 0))
set xrange [0.4 : words(widths) + 0.6]
set xtics () norotate
set for [i = 1 : words(widths)] xtics add (word(widths, i) i)
if (words(swept) > 0) {
    set yrange [0 : 105 < *]
    kernels = 'transpose_read_columns transpose_read_columns_diagonal_any '\
        .'transpose_read_rows transpose_read_rows_diagonal_any'
    titles = '"read columns" "read columns, diagonal" "read rows" "read rows, diagonal"'
    of(kernel, value) = strcol('kernel') eq kernel && is_swept(number('rows')) ? value : NaN
    plot for [j = 1 : 4] for [i = 1 : words(swept)] data index int(word(swept, i)) \
            using (at(number('columns')) + 0.1 * (j - 2.5)): \
                  (of(word(kernels, j), number('memcpy_percent'))): \
                  (number('memcpy_percent_low')):(number('memcpy_percent_high')) \
            with yerrorbars linetype j title (i == 1 ? word(titles, j) : '')
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    set yrange [0 : 100]
    plot NaN notitle
    unset label 1
}
unset multiplot
