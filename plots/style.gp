# The canvas and the settings that all figures share. A script sets `height` (pixels) and loads this;
# draw.gp, which runs it, says what to draw.
width = 800
# A title of more lines than one gets more room above the panels, whose places are shares of `height`.
first_end = strstrt(title, "\n")
has_third = first_end > 0 && strstrt(title[first_end + 1:*], "\n") > 0
canvas = height + (first_end > 0 ? 14 : 0) + (has_third ? 22 : 0)
set encoding utf8
if (format eq 'png') {
    set terminal pngcairo size 2 * width, 2 * canvas fontscale 2 linewidth 2 pointscale 2 \
        font 'DejaVu Sans,9.75' background rgb 'white'
} else { if (format eq 'pdf') {
    set terminal pdfcairo size width / 96.0, canvas / 96.0 font 'DejaVu Sans,9.75' \
        background rgb 'white' linewidth 1
} else {
    set terminal svg size width, canvas dynamic font 'DejaVu Sans,13' name identifier \
        background rgb 'white'
} }
set output figure
# Sizes are pixels in an SVG, and points elsewhere.
scale = format eq 'png' || format eq 'pdf' ? 0.75 : 1
small = sprintf(',%g', 12 * scale)
normal = sprintf(',%g', 13 * scale)
bold = sprintf('DejaVu Sans:Bold,%g', 15 * scale)
set datafile separator tab

set border 3 linecolor rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set xtics noenhanced
set ytics noenhanced
set grid ytics linecolor rgb '#dddddd' linetype 1 linewidth 1
set key off
set xlabel offset 0, 0.4
set style fill solid 1 border rgb '#ffffff'

# The blocks of the data: their panels and forms.
stats data using 0 nooutput
blocks = STATS_blocks
array panel_of[blocks]
array form_of[blocks]
do for [i = 1 : blocks] {
    stats data index i - 1 every ::::0 using (panel_of[i] = column(1), form_of[i] = strcol(2), 0) nooutput
}

set multiplot
# The title, and below the panels what the shapes stand for: labels of the first panel.
set label 1 title noenhanced at screen 0.012, screen 1 - 20.0 / canvas font bold
set label 2 note noenhanced at screen 0.012, screen 11.0 / canvas font small textcolor rgb '#555555'
