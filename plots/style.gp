# Settings shared by all figures; a chapter's figure.gp loads it (GNUPLOT_LIB names this folder):
#   GNUPLOT_LIB=plots gnuplot -c chapters/NN_name/figure.gp build/figures/NN_name.tsv figure.svg
# ARG1 is what scripts/lab exports: tab-separated blocks, one a device and regime, whose first header
# cell is the block's title. Text from data is never written in a script: it stays in data columns.
set datafile separator tab
# No line ends at a row that an expression leaves out with NaN.
set datafile missing NaN
# A cell of the data as a number. What was neither measured nor counted is the text NaN, and versions of
# gnuplot disagree on what an expression is worth that reads it with `column`: from 6.0 on nothing at
# all, so that `stats` finds no number and defines no variable.
number(name) = strcol(name) eq "-" ? NaN : column(name)
set encoding utf8

set border 3 linecolor rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid ytics linecolor rgb '#dddddd' linetype 1 linewidth 1
# Above the panel, where no line can run through it.
set key at graph 0,1.03 left bottom horizontal Left reverse noenhanced samplen 4 maxcols 3 width 2

# Okabe and Ito's colours, ordered so that neighbours also differ in grey, each with its own dash and
# point: a line can be told from another without seeing any colour.
set linetype 1 linecolor rgb '#000000' linewidth 1.8 dashtype 1 pointtype 7 pointsize 0.55
set linetype 2 linecolor rgb '#d55e00' linewidth 1.8 dashtype (12,4) pointtype 5 pointsize 0.55
set linetype 3 linecolor rgb '#0072b2' linewidth 1.8 dashtype (4,3) pointtype 9 pointsize 0.7
set linetype 4 linecolor rgb '#e69f00' linewidth 1.8 dashtype (10,3,2,3) pointtype 4 pointsize 0.6
set linetype 5 linecolor rgb '#009e73' linewidth 1.8 dashtype (2,2) pointtype 6 pointsize 0.6
set linetype 6 linecolor rgb '#cc79a7' linewidth 1.8 dashtype (8,3,2,3,2,3) pointtype 8 pointsize 0.7
set linetype 7 linecolor rgb '#56b4e9' linewidth 1.8 dashtype (14,3,4,3) pointtype 11 pointsize 0.7
set linetype cycle 7
