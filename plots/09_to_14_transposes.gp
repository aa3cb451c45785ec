# Bandwidth as a share of the device's own copy, one place a transpose from chapter 09 to 14, one colour
# a device. Measured here: of memcpy, 16384 x 16384 floats. Printed elsewhere: of copying by rows.
# chapters, with what others printed: 09_transpose_bounds 10_transpose_naive 11_transpose_unroll4 12_transpose_diagonal 13_transpose_thin_blocks 14_transpose_shared
load 'style.gp'
data = ARG1
set terminal svg size 980,620 dynamic font 'sans-serif,13' name 'transposes' background rgb 'white'
set output ARG2

# A place for each transpose on the x axis, and its name below; of block shapes and of l1:on
# and l1:off one each.
places = 'copy_columns/16x16/ transpose_read_rows/16x16/on transpose_read_columns/16x16/on '\
    .'transpose_read_columns_unroll4/16x16/on transpose_read_columns_diagonal/16x16/ '\
    .'transpose_read_columns/8x32/ transpose_tile/32x8/ transpose_tile_padded/32x8/ transpose// '\
    .'cublas_sgeam// transpose_tile/32x16/ transpose_tile_padded/32x16/'
# A parameter that a variant does not have is missing.
known(text) = text eq '-' ? '' : text
place_of(name) = (sum [i = 1 : words(places)] (word(places, i) eq name ? i : 0))
# The published tiles have blocks of their own.
place(x) = (p = place_of(strcol('kernel').'/'.known(strcol('block')).'/'.known(strcol('l1'))), \
            p > 10 ? p - 4 : p)
is_printed(x) = known(strcol('cache')) eq ''
is_shown(x) = place(0) > 0 \
    && (known(strcol('type')) eq '' || strcol('type') eq 'float') \
    && (is_printed(0) || (number('rows') == 16384 && number('columns') == 16384))
set xrange [0.4 : 10.6]
set xtics noenhanced scale 0 font ',11' ("copy by\ncolumns" 1, "read rows" 2, "read\ncolumns" 3, \
    "unrolled" 4, 'diagonal' 5, "thin\nblocks" 6, 'tile' 7, "padded\ntile" 8, 'fastest' 9, \
    "cublas-\nSgeam" 10)

# Blocks (a device and size each) in which a transpose was timed, and the bandwidth of 100 %.
stats data using 0 nooutput
blocks = STATS_blocks
is_there(value) = value == value ? 1 : 0
shown = ''
copies = ''
do for [i = 0 : blocks - 1] {
    stats data index i \
        using (is_shown(0) && number('emulated') == 0 ? is_there(number('bandwidth_gbs')) : 0) nooutput
    any = STATS_max
    stats data index i using (is_printed(0) && strcol('kernel') eq 'copy_rows' \
        && is_there(number('bandwidth_gbs')) ? number('bandwidth_gbs') : 0) nooutput
    copy = STATS_max
    stats data index i using (is_printed(0) ? 1 : 0) nooutput
    if (any > 0 && (copy > 0 || STATS_max == 0)) {
        shown = shown.sprintf(' %d', i)
        copies = copies.sprintf(' %g', copy)
    }
}
share(copy) = is_printed(0) ? 100 * number('bandwidth_gbs') / copy : \
    is_there(number('memcpy_ratio')) ? 100 * number('memcpy_ratio') : number('memcpy_percent')

set style fill solid 0.85 border rgb '#222222'
set ylabel 'bandwidth, % of the device''s copy'
set yrange [0 : 105 < *]
set autoscale yfixmax
set key font ',11' maxcols 3
set tmargin 8
set bmargin 3.5
set linetype 8 linecolor rgb '#999999'
set linetype cycle 8
all = words(shown)
if (all > 0) {
    plot for [k = 1 : all] data index int(word(shown, k)) \
        using ((is_shown(0) ? place(0) : NaN) + (k - (all + 1) / 2.0) * 0.8 / all): \
              (share(word(copies, k) + 0)):(0.8 / all) \
        with boxes linetype k dashtype 1 title columnheader(1)
} else {
    set label 1 'No time was measured: this needs a GPU.' at graph 0.5,0.5 center
    plot [][0:100] NaN notitle
}
