# One level of connections: a row a target, its figures as points with their intervals. K figures
# that share the axis lie in the same row, told apart by shape.
set border 1 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
set xrange [YMIN[1]:YMAX[1]]; set yrange [0.4:ROWS_SHOWN + 0.6]
if (YLOG) { set logscale x }
set xtics nomirror noenhanced (); set ytics nomirror noenhanced () scale 0 font ',12'
set for [i = 1:YTICKS[1]] xtics add (YTEXT[i] YTICK[i])
do for [i = 1:N] {
    # Without any tick of our own gnuplot would number the rows.
    if (ROW[i] > 0) { set ytics add ((NARROW ? '' : ROWNAME[i]) ROW[i]) }
    if (ROW[i] > 0 && NARROW) {
        set label 200 + i NAME[i] at graph 0, first ROW[i] + 0.3 left noenhanced font ',12' textcolor rgb INK
    }
}
# The A/A control is hollow here too.
twin(shape, point) = point % 2 == 0 ? shape - 1 : shape
set lmargin at screen LEFT / W; set rmargin at screen (LEFT + PANELW) / W
set bmargin at screen BOTTOM * 1.0 / H; set tmargin at screen (BOTTOM + PANELH) / H
set xlabel YLABEL noenhanced font ',12' textcolor rgb INK
unset ylabel; unset title; unset key
# Below the points, which may be anywhere.
do for [g = 1:GAPS] {
    lacking = (K == 1 ? '' : PANEL[GAPP[g]].' ').'n/a'
    set label 300 + g lacking at graph 0.99 - 0.17 * (K - GAPP[g]), first place(ROW[GAPT[g]] - 0.33) right noenhanced font ',11' textcolor rgb FAINT
}
do for [i = 1:ROWS_SHOWN] {
    set arrow i from graph 0, first place(i) to graph 1, first place(i) nohead back \
        linecolor rgb RULE linewidth 0.6
}
plot for [p = 1:K] for [i = 1:N] DATA index (p - 1) * N + i - 1 \
         using (interval($3, $3)):(place(ROW[i])):($4 - $3):(0) with vectors heads size screen 3.0 / W, 90 fixed \
         linecolor rgb COLOR[i] linewidth 1.6, \
     for [p = 1:K] for [i = 1:N] DATA index (p - 1) * N + i - 1 using ($5 == 1 ? NaN : $2):(place(ROW[i])) with points \
         linecolor rgb COLOR[i] linewidth 1.6 pointtype (K == 1 ? POINT[i] : twin(SHAPE[p], POINT[i])) pointsize 1.1, \
     for [p = 1:K] for [i = 1:N] DATA index (p - 1) * N + i - 1 using ($5 == 1 ? $2 : NaN):(place(ROW[i])) with points \
         linecolor rgb '#FFFFFF' pointtype filled(POINT[i]) pointsize 1.1, \
     for [p = 1:K] for [i = 1:N] DATA index (p - 1) * N + i - 1 using ($5 == 1 ? $2 : NaN):(place(ROW[i])) with points \
         linecolor rgb pale(COLOR[i]) linewidth 1.6 pointtype POINT[i] pointsize 1.1
unset label
unset multiplot
unset output
reset
