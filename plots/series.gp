# Something over time, a panel a level of connections: medians over rounds, shaded their intervals.
set border 3 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid ytics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
set xrange [XMIN[1]:XMAX[1]]; set yrange [YMIN[1]:YMAX[1]]
if (YLOG) { set logscale y }
unset mxtics; unset mytics
set style fill transparent solid 0.22 noborder
set xtics nomirror noenhanced ()
set for [i = 1:XTICKS[1]] xtics add (XTEXT[i] XTICK[i])
do for [p = 1:K] {
    set lmargin at screen panel_x(p); set rmargin at screen panel_x(p) + PANELW / W
    set bmargin at screen panel_y(p); set tmargin at screen panel_y(p) + PANELH / H
    set ytics nomirror noenhanced ()
    if (is_first(p)) {
        set for [i = 1:YTICKS[1]] ytics add (YTEXT[i] YTICK[i])
        if (!NARROW) {
            set label 999 YLABEL at screen ylabel_x(p), screen ylabel_y(p) center rotate by 90 noenhanced \
                font ',12' textcolor rgb INK
        }
    } else {
        set for [i = 1:YTICKS[1]] ytics add ('' YTICK[i])
    }
    if (is_lowest(p)) { set xlabel XLABEL noenhanced font ',12' textcolor rgb INK } else { unset xlabel }
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
    plot for [j = 1:N] DATA index (p - 1) * N + N - j \
             using 1:(interval($3, $3)):4 with filledcurves fillcolor rgb COLOR[N + 1 - j], \
         for [j = 1:N] DATA index (p - 1) * N + N - j using 1:2 with lines \
             linecolor rgb COLOR[N + 1 - j] linewidth WIDTH[N + 1 - j] dashtype DASH[N + 1 - j]
    unset label
}
unset multiplot
unset output
reset
