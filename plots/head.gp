# Title, subtitle and legend, drawn as one plot over the whole canvas so that they never cover data.
set encoding utf8
set datafile missing "NaN"
set pointintervalbox 0
set multiplot
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
unset border; unset tics; unset key; unset xlabel; unset ylabel; unset logscale; unset grid
unset title; unset label; unset arrow
set xrange [0:W]; set yrange [0:H]
set label 1 '{/:Bold='.(NARROW ? 13 : 15).' '.HEADING.'}' at TEXTX, H - 20 left enhanced textcolor rgb INK
do for [i = 1:LINES] {
    set label 1 + i LINE[i] at TEXTX, H - 41 - 15 * (i - 1) left noenhanced font ',11' textcolor rgb FAINT
}
# The name of the vertical axis; beside it where there is room.
if (NARROW && !DOTS) {
    set label 99 YLABEL at TEXTX, H - HEAD + 10 left noenhanced font ',11' textcolor rgb INK
}
do for [i = 1:KEYS] {
    if (DOTS) {
        set label 100 + i '' at KEYX[i] + 10, KEYY[i] point pointtype SHAPE[i] pointsize 0.9 linecolor rgb FAINT
        set label 200 + i KEYTEXT[i] at KEYX[i] + 24, KEYY[i] left noenhanced font ',12' textcolor rgb INK
    } else {
        set arrow 100 + i from KEYX[i], KEYY[i] to KEYX[i] + 40, KEYY[i] nohead \
            linecolor rgb COLOR[KEYOF[i]] linewidth WIDTH[KEYOF[i]] dashtype DASH[KEYOF[i]]
        if (MARKS && !QUIET[KEYOF[i]]) {
            set label 100 + i '' at KEYX[i] + 20, KEYY[i] \
                point pointtype POINT[KEYOF[i]] pointsize 0.9 linewidth 1.4 linecolor rgb COLOR[KEYOF[i]]
        }
        set label 200 + i KEYTEXT[i] at KEYX[i] + 47, KEYY[i] left noenhanced font ',12' textcolor rgb INK
    }
}
plot -1 with lines
unset label
unset arrow
