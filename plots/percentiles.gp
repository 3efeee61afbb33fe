# Percentile curves, one panel a level of connections; x is 1/(1-q), so that each nine is as wide as
# the one before. Two blocks a curve: what its samples bear, and, pale, what they do not.
set border 3 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics ytics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
set xrange [XMIN[1]:XMAX[1]]
set logscale xy
unset mxtics; unset mytics
set xtics nomirror noenhanced ()
set for [i = 1:XTICKS[1]] xtics add (XTEXT[i] XTICK[i])
do for [p = 1:K] {
    set lmargin at screen panel_x(p); set rmargin at screen panel_x(p) + PANELW / W
    set bmargin at screen panel_y(p); set tmargin at screen panel_y(p) + PANELH / H
    set ytics nomirror noenhanced ()
    set yrange [YMIN[p]:YMAX[p]]
    set for [i = 1:YTICKS[p]] ytics add (YTEXT[(p - 1) * ROOM + i] YTICK[(p - 1) * ROOM + i])
    # Without any tick of our own gnuplot would number the axis.
    if (YTICKS[p] == 0) { set ytics add ('' YMIN[p]) }
    if (is_first(p)) {
        if (!NARROW) {
            set label 999 YLABEL at screen ylabel_x(p), screen ylabel_y(p) center rotate by 90 noenhanced \
                font ',12' textcolor rgb INK
        }
    }
    if (is_lowest(p)) {
        set xlabel XLABEL noenhanced font ',12' textcolor rgb INK
    } else {
        unset xlabel
    }
    if (K > 1) { set title '{/:Bold '.PANEL[p].'}' enhanced font ',12' textcolor rgb INK offset 0, -0.5 }
    n = 0
    do for [g = 1:GAPS] {
        if (GAPP[g] == p) {
            # Of all targets, or one below the other, each in its colour.
            if (GAPT[g] == 0) {
                set label g 'n/a' at graph 0.5, graph 0.5 center font ',11' textcolor rgb FAINT
            } else {
                set label g '× '.NAME[GAPT[g]] at graph 0.02, graph 1 - (10.0 + 15 * n) / PANELH left noenhanced \
                    font ',11' textcolor rgb COLOR[GAPT[g]]
                n = n + 1
            }
        }
    }
    plot for [j = 1:N] DATA index 2 * ((p - 1) * N + N - j) using 1:2 with lines \
             linecolor rgb COLOR[N + 1 - j] linewidth WIDTH[N + 1 - j] dashtype DASH[N + 1 - j], \
         for [j = 1:N] DATA index 2 * ((p - 1) * N + N - j) + 1 using 1:2 with lines \
             linecolor rgb pale(COLOR[N + 1 - j]) linewidth WIDTH[N + 1 - j] dashtype DASH[N + 1 - j]
    unset label
}
unset multiplot
unset output
reset
