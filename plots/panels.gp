# Draws one panel: call 'panels.gp' NUMBER LEFT BOTTOM RIGHT TOP, its edges as shares of the canvas.
# The script that calls names the axes before; that holds for one panel. The data say what is drawn.
panel = ARG1 + 0
left = ARG2 + 0
bottom = ARG3 * height / canvas
right = ARG4 + 0
top = ARG5 * height / canvas
unset logscale
# `stats` heeds ranges.
set xrange [*:*]
set yrange [*:*]

# How each form is drawn; what is on top stands last in the data.
# Columns: 3 colour, 4 shape, 5 x, 6 y, 7 8 its ends, 9 10 its ends, 11 text.
array forms[17] = ['ticks_x', 'ticks_y', 'line', 'dashes', 'thin', 'points', 'bars_x', 'bars_y', \
    'boxes', 'pale', 'left', 'center', 'right', 'aside', 'band', 'rings', 'outlined']
array drawn[17] = [ \
    'using 5:6:xtic(lines(strcol(11))) with points pointtype 0 linecolor rgb "#ffffff"', \
    'using 5:6:ytic(11) with points pointtype 0 linecolor rgb "#ffffff"', \
    'using 5:6:3 with lines linewidth 1.8 dashtype 1 linecolor rgb variable', \
    'using 5:6:3 with lines linewidth 1.8 dashtype (6,4) linecolor rgb variable', \
    'using 5:6:3 with lines linewidth 1.2 dashtype (3,3) linecolor rgb variable', \
    'using 5:6:4:3 with points pointtype variable pointsize 0.75 linewidth 1.4 linecolor rgb variable', \
    'using 5:6:7:8:3 with xerrorbars pointtype 0 linewidth 1.4 linecolor rgb variable', \
    'using 5:6:9:10:3 with yerrorbars pointtype 0 linewidth 1.4 linecolor rgb variable', \
    'using 5:6:7:8:9:10:3 with boxxyerror fillstyle solid 1 border rgb "#ffffff" linecolor rgb variable', \
    'using 5:6:7:8:9:10:3 with boxxyerror fillstyle solid 0.25 noborder linecolor rgb variable', \
    'using 5:6:11:3 with labels left noenhanced font small textcolor rgb variable', \
    'using 5:6:11:3 with labels center noenhanced font small textcolor rgb variable', \
    'using 5:6:11:3 with labels right noenhanced font small textcolor rgb variable', \
    'using 5:6:11:3 with labels left noenhanced font small textcolor rgb variable', \
    'using 5:9:10 with filledcurves fillstyle solid 0.2 noborder linecolor rgb "#555555"', \
    'using 5:6:4:3 with points pointtype variable pointsize 1.1 linewidth 1.4 linecolor rgb variable', \
    'using 5:6:7:8:9:10:3 with boxxyerror fillstyle empty linewidth 1.4 linecolor rgb variable']
# A label below the axis in lines, where the text has their ends.
lines(text) = strstrt(text, '|') > 0 ? \
    text[1:strstrt(text, '|') - 1]."\n".lines(text[strstrt(text, '|') + 1:*]) : text
how(form) = (sum [k = 1 : 17] (forms[k] eq form ? k : 0))

inside = ''
aside = ''
do for [i = 1 : blocks] {
    form = panel_of[i] == panel ? form_of[i] : ''
    if (form eq 'axes') {
        stats data index i - 1 using (log_x = column(5), log_y = column(6), x1 = column(7), \
            x2 = column(8), y1 = column(9), y2 = column(10), heading = strcol(11) eq '-' ? '' : strcol(11), 0) nooutput
    } else { if (form eq 'room') {
        # The panel ends where the labels of the figure have room beside it.
        stats data index i - 1 using (room = column(5), 0) nooutput
        right = right * width + room > width ? 1 - room / width : right
    } else { if (strlen(form) > 0) {
        # Made of numbers and of the forms above, never of text from data.
        is_aside = form[1:5] eq 'aside'
        this = sprintf(', data index %d %s notitle', i - 1, drawn[how(form[1:6] eq 'aside_' ? form[7:*] : form)])
        if (is_aside) { aside = aside.this } else { inside = inside.this }
    } } }
}
set lmargin at screen left
set bmargin at screen bottom
set rmargin at screen right
set tmargin at screen top
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set xrange [x1 : x2]
set yrange [y1 : y2]
set title heading noenhanced font normal textcolor rgb '#222222' offset 0, -0.6
eval 'plot '.inside[3:*]
unset label 1
unset label 2
set xlabel ''
set ylabel ''
set xtics autofreq
set ytics autofreq

# Right of the panel the names of its lines: across in pixels, up in shares of its height.
if (strlen(aside) > 0) {
    set lmargin at screen right
    set rmargin at screen 1
    unset logscale
    unset border
    unset tics
    unset title
    set xrange [0 : (1 - right) * width]
    # Somewhat higher than the panel, for labels at its ends, but never beyond the canvas.
    high = top - bottom
    over = 0.2 < (1 - top) / high ? 0.2 : (1 - top) / high
    over = over < bottom / high ? over : bottom / high
    set yrange [-over : 1 + over]
    set bmargin at screen bottom - over * high
    set tmargin at screen top + over * high
    eval 'plot '.aside[3:*]
    set border 3
    set xtics nomirror noenhanced
    set ytics nomirror noenhanced
}
