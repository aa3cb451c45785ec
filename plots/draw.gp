# Draws a figure: gnuplot -c plots/draw.gp SCRIPT DATA FIGURE TITLE NOTE FORMAT NAME
# as `scripts/lab figures` does; GNUPLOT_LIB names this folder. SCRIPT is a chapter's figure.gp. DATA
# holds marks, one block each, as notebook/charts/marks.py writes them. Text from data stays in data
# columns and in these arguments: nothing of it is ever a part of a script.
script = ARG1
data = ARG2
figure = ARG3
title = ARG4
note = ARG5
format = ARG6
identifier = ARG7
load script
