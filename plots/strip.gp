# Every round a point: a panel a level of connections, a strip a target, rounds from its bottom to
# its top; the line is the median, the box its interval. Each panel has its own axis. A cross is a
# round that the machine disturbed.
set border 1 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
unset mxtics; unset mytics
set style fill transparent solid 0.22 noborder
# Filled, that of the null server too; hollow ones get their hollow last.
mark(shape) = shape == 1 ? 13 : shape % 2 == 0 ? shape + 1 : shape
DOT = ROUNDS > 24 ? 0.4 : ROUNDS > 5 ? 0.5 : 0.8
do for [p = 1:K] {
    set lmargin at screen panel_x(p); set rmargin at screen panel_x(p) + PANELW / W
    set bmargin at screen panel_y(p); set tmargin at screen panel_y(p) + PANELH / H
    set xrange [YMIN[p]:YMAX[p]]; set yrange [0.45:RN + 0.55]
    set xtics nomirror noenhanced (); set ytics nomirror noenhanced () scale 0 font ',12'
    set for [i = 1:YTICKS[p]] xtics add (YTEXT[(p - 1) * ROOM + i] YTICK[(p - 1) * ROOM + i])
    # Without any tick of our own gnuplot would number the rows.
    set for [i = 1:RN] ytics add ((is_first(p) && !NARROW ? RTEXT[i] : '') RN + 1 - i)
    unset label
    do for [i = 1:(NARROW ? RN : 0)] {
        set label i RLABEL[i] at graph 0, first RN + 1 - i + 0.3 left noenhanced font ',11' textcolor rgb INK
    }
    if (is_lowest(p)) { set xlabel XLABEL noenhanced font ',12' textcolor rgb INK } else { unset xlabel }
    set title '{/:Bold '.PANEL[p].'}' enhanced font ',12' textcolor rgb INK offset 0, -0.5
    do for [g = 1:NAS] {
        if (NAP[g] == p) {
            set label RN + g 'n/a' at graph 0.01, first place(NAR[g]) left font ',11' textcolor rgb FAINT
        }
    }
    unset arrow
    do for [i = 1:RN - 1] {
        set arrow i from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back linecolor rgb RULE linewidth 0.6
    }
    # The points last, on grounds of their own: neither line nor box may hide a round.
    plot for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) \
             using 2:(place($1)):3:4:(place($1 - 0.42)):(place($1 + 0.42)) with boxxyerror fillcolor rgb COLOR[OF[i]], \
         for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) \
             using (ROUNDS > 1 ? $2 : NaN):(place($1 - 0.42)):(0):(place($1 + 0.42) - place($1 - 0.42)) with vectors \
             nohead linecolor rgb INK linewidth 1.2, \
         for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) + 1 using ($4 == 1 ? NaN : $2):(place($1)) with points \
             linecolor rgb '#FFFFFF' pointtype mark(POINT[OF[i]]) pointsize DOT + 0.2, \
         for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) + 1 using ($4 == 1 ? NaN : $2):(place($1)) with points \
             linecolor rgb COLOR[OF[i]] pointtype mark(POINT[OF[i]]) pointsize DOT, \
         for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) + 1 using ($4 == 1 ? NaN : $2):(place($1)) with points \
             linecolor rgb '#FFFFFF' pointtype filling(POINT[OF[i]]) pointsize DOT * 0.55, \
         for [i = 1:RN] DATA index 2 * ((p - 1) * RN + i - 1) + 1 using ($4 == 1 ? $2 : NaN):(place($1)) with points \
             linecolor rgb COLOR[OF[i]] pointtype 2 pointsize DOT linewidth 1.2
}
unset label
unset multiplot
unset output
reset
