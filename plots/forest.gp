# Ratios with the intervals of their verdicts, a row a target and level: a panel a figure, each with
# its own axis around 1. Hollow and grey where the load generator was the limit: that bears no verdict.
# Dashed where the verdict is fragile.
set border 1 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
set logscale x
unset mxtics; unset mytics
do for [p = 1:K] {
    set lmargin at screen panel_x(p); set rmargin at screen panel_x(p) + PANELW / W
    set bmargin at screen panel_y(p); set tmargin at screen panel_y(p) + PANELH / H
    set xrange [YMIN[p]:YMAX[p]]; set yrange [0.3:RN + 0.7]
    set xtics nomirror noenhanced (); set ytics nomirror noenhanced () scale 0 font ',12'
    set for [i = 1:YTICKS[p]] xtics add (YTEXT[(p - 1) * ROOM + i] YTICK[(p - 1) * ROOM + i])
    # Without any tick of our own gnuplot would number the rows.
    set for [i = 1:RN] ytics add ((is_first(p) && !NARROW ? RTEXT[i] : '') RN + 1 - i)
    do for [i = 1:(NARROW ? RN : 0)] {
        set label NAS + i RLABEL[i] at graph 0, first RN + 1 - i + 0.27 left noenhanced font ',11' textcolor rgb INK
    }
    if (is_lowest(p) || !NARROW) { set xlabel XLABEL noenhanced font ',12' textcolor rgb INK } else { unset xlabel }
    set title '{/:Bold '.PANEL[p].'}' enhanced font ',12' textcolor rgb INK offset 0, -0.5
    set object 1 rectangle from first 1 / BAND, graph 0 to first BAND, graph 1 behind \
        fillstyle solid 1 noborder fillcolor rgb SHADE
    set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead back linecolor rgb FAINT linewidth 1.2
    do for [i = 1:CUTS] {
        set arrow 10 + i from graph 0, first CUT[i] to graph 1, first CUT[i] nohead back linecolor rgb RULE linewidth 0.6
    }
    do for [g = 1:NAS] {
        if (NAP[g] == p) { set label g 'n/a' at graph 0.01, first place(NAR[g]) left font ',11' textcolor rgb FAINT }
    }
    plot for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) \
             using ($6 == 1 ? NaN : interval($3, $3)):(place($1)):($4 - $3):(0) with vectors heads size screen 3.0 / W, 90 fixed \
             linecolor rgb COLOR[i] linewidth 1.6, \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) \
             using ($6 == 1 ? interval($3, $3) : NaN):(place($1)):($4 - $3):(0) with vectors heads size screen 3.0 / W, 90 fixed \
             linecolor rgb COLOR[i] linewidth 1.6 dashtype (4, 3), \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) using 2:(place($1)) with points \
             linecolor rgb '#FFFFFF' pointsize 1 pointtype filling(POINT[i]), \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) using 2:(place($1)) with points \
             linecolor rgb COLOR[i] linewidth 1.6 pointtype POINT[i] pointsize 1, \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) + 1 \
             using (interval($3, $3)):(place($1)):($4 - $3):(0) with vectors heads size screen 3.0 / W, 90 fixed \
             linecolor rgb QUIETGREY linewidth 1, \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) + 1 using 2:(place($1)) with points \
             linecolor rgb '#FFFFFF' pointsize 1 pointtype filling(hollow(POINT[i])), \
         for [i = 1:N] DATA index 2 * ((p - 1) * N + i - 1) + 1 using 2:(place($1)) with points \
             linecolor rgb QUIETGREY linewidth 1.2 pointtype hollow(POINT[i]) pointsize 1
    unset label
}
unset multiplot
unset output
reset
