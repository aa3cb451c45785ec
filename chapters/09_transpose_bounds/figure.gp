# Above: the share of the theoretical bandwidth that a copy or a transpose reaches, where time was
# measured. Below: load efficiency at 2048 x 2048.
load 'style.gp'
data = ARG1
set terminal svg size 820,720 dynamic font 'sans-serif,13' name 'transpose_bounds' \
    background rgb 'white'
set output ARG2

# A place for each variant on the x axis, and its name below.
variants = 'copy_wide/256 copy_rows/16x16 copy_rows/32x8 copy_rows/64x4 '\
    .'transpose_tile_padded/32x8 copy_columns/16x16 copy_columns/32x8'
place(variant) = (sum [i = 1 : words(variants)] (word(variants, i) eq variant ? i : 0))
variant_of(kernel) = kernel.'/'.strcol('block')
place_of(kernel) = place(variant_of(kernel))
is_shown(kernel) = place_of(kernel) > 0
# Counts do not depend on the regime: the source's size stands for all.
count(value) = number('rows') == 2048 && number('columns') == 2048 && strcol('cache') eq 'cold' \
               ? value : NaN
set xrange [0.4 : words(variants) + 0.6]
set xtics noenhanced scale 0 ("copy\n16 bytes a lane" 1, "copy rows\n16 x 16" 2, \
    "copy rows\n32 x 8" 3, "copy rows\n64 x 4" 4, \
    "transpose\n32 x 32 tile" 5, "copy columns\n16 x 16" 6, \
    "copy columns\n32 x 8" 7)

# The blocks of the data (a device in a regime each) in which `column` says something.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
timed = ''
do for [i = 0 : blocks - 1] {
    stats data index i \
        using (is_shown(strcol('kernel')) ? is_there(number('peak_percent')) : 0) \
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

set multiplot layout 2,1 margins 0.085,0.98,0.075,0.905 spacing 0.22

set ylabel 'bandwidth, % of theoretical'
set yrange [0 : 105 < *]
if (words(timed) > 0) {
    all = words(timed)
    plot for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(number('peak_percent')):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(1), \
         for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(number('peak_percent_low')):(0): \
                  (number('peak_percent_high') - number('peak_percent_low')) \
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
    set label 1 'Nothing was counted: scripts/lab run 09 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}
unset multiplot
