# Bandwidth as a share of memcpy's, whole and near the top, one bar or point a variant and one colour
# a device and size, where time was measured; below, the passes through shared memory's banks.
load 'style.gp'
data = ARG1
set terminal svg size 900,1020 dynamic font 'sans-serif,13' name 'transpose_shared' \
    background rgb 'white'
set output ARG2

# A place for each variant on the x axis, and its name below.
places = 'transpose_read_columns// transpose_tile// transpose_tile_padded// '\
    .'transpose_tile_swizzled// transpose_tile_unrolled/across/float '\
    .'transpose_tile_unrolled/down/float transpose_vectors/across/float '\
    .'transpose_vectors/down/float transpose_vectors_prefetch/down/float '\
    .'transpose//float transpose//uint16 transpose_vectors/down/double '\
    .'transpose_vectors/apart/double transpose//double cublas_sgeam//'
# A parameter that a variant does not have is NaN, as a number and as text.
known(text) = text eq '-' ? '' : text
variant(x) = strcol('kernel').'/'.known(strcol('order')).'/'.known(strcol('type'))
place(name) = (sum [i = 1 : words(places)] (word(places, i) eq name ? i : 0))
# One shape of the tile stands for a step.
is_shown(x) = place(variant(0)) > 0 && strcol('tile') ne '64x128'
set xrange [0.4 : words(places) + 0.6]
set xtics noenhanced scale 0 font ',11' ("no shared\nmemory" 1, 'tile' 2, 'padded' 3, 'swizzled' 4, \
    'unrolled' 5, "unrolled,\ndown" 6, 'vectors' 7, "vectors,\ndown" 8, "prefetch,\ndown" 9, \
    'fastest' 10, "fastest,\nuint16" 11, "double,\ndown" 12, "double,\napart" 13, \
    "fastest,\ndouble" 14, "cublas-\nSgeam" 15)

# The blocks of the data (a device and size each) in which `column` says something.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
percent(end) = 100 * number('memcpy_ratio'.end)
passes(x) = (number('shared_load_wavefronts') + number('shared_store_wavefronts')) \
            / (number('rows') * number('columns') / 32)
timed = ''
counted = ''
do for [i = 0 : blocks - 1] {
    stats data index i using (is_shown(0) ? is_there(percent('')) : 0) nooutput
    if (STATS_max > 0) { timed = timed.sprintf(' %d', i) }
    # Counts do not depend on the size: the source's stands for all.
    stats data index i \
        using (is_shown(0) && number('rows') == 2048 ? is_there(passes(0)) : 0) nooutput
    if (STATS_max > 0) { counted = counted.sprintf(' %d', i) }
}

# Bars and points stand side by side: the k-th of `all` blocks, around the variant's place.
beside(k, all) = (is_shown(0) ? place(variant(0)) : NaN) + (k - (all + 1) / 2.0) * 0.8 / all
set style fill solid 0.85 border rgb '#222222'

set multiplot layout 3,1 margins 0.085,0.98,0.05,0.92 spacing 0.115

all = words(timed)
set ylabel 'bandwidth, % of memcpy'
if (all > 0) {
    set key maxcols 2 font ',11'
    set yrange [0 : 105 < *]
    set autoscale yfixmax
    plot for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(percent('')):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(1)
    set yrange [85 : 105 < *]
    set ylabel 'bandwidth, % of memcpy, above 85'
    plot 97 with lines linetype -1 dashtype 3 notitle, \
         for [k = 1 : all] data index int(word(timed, k)) \
            using (beside(k, all)):(percent('')):(percent('_low')):(percent('_high')) \
            with yerrorbars linetype k dashtype 1 notitle
} else {
    set yrange [0 : 100]
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot NaN notitle
    plot NaN notitle
    unset label 1
}

all = words(counted)
set ylabel 'passes through the banks, per 32 elements'
set yrange [0.4 : 100]
set logscale y 2
if (all > 0) {
    set key maxcols 3 font ',13'
    plot for [k = 1 : all] data index int(word(counted, k)) \
            using (beside(k, all)):(number('rows') == 2048 ? passes(0) : NaN):(0.8 / all) \
            with boxes linetype k dashtype 1 title columnheader(2)
} else {
    set label 1 'Nothing was counted: scripts/lab run 14 --device emulated:hopper does so.' \
        at graph 0.5,0.5 center
    plot NaN notitle
    unset label 1
}
unset multiplot
