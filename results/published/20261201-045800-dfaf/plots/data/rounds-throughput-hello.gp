# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of its sources.
PLOT = 'rounds-throughput-hello'
HEADING = 'Throughput, every round'
XLABEL = 'successful replies per second'
YLABEL = ''
DOTS = 0
SHARED = 0
ROOM = 24
MARKS = 1
XLOG = 0
array XMIN[1]
array XMAX[1]
array XTICKS[1]
array XTICK[24]
array XTEXT[24]
XMIN[1] = 0; XMAX[1] = 0; XTICKS[1] = 0
YLOG = 0
array YMIN[3]
array YMAX[3]
array YTICKS[3]
array YTICK[72]
array YTEXT[72]
YMIN[1] = 106488.5229; YMAX[1] = 146329.704; YTICKS[1] = 4
YTICK[1] = 110000; YTEXT[1] = '110k'
YTICK[2] = 120000; YTEXT[2] = '120k'
YTICK[3] = 130000; YTEXT[3] = '130k'
YTICK[4] = 140000; YTEXT[4] = '140k'
YMIN[2] = 132594.823; YMAX[2] = 149510.6105; YTICKS[2] = 3
YTICK[25] = 135000; YTEXT[25] = '135k'
YTICK[26] = 140000; YTEXT[26] = '140k'
YTICK[27] = 145000; YTEXT[27] = '145k'
YMIN[3] = 98631.1907; YMAX[3] = 142493.8988; YTICKS[3] = 5
YTICK[49] = 100000; YTEXT[49] = '100k'
YTICK[50] = 110000; YTEXT[50] = '110k'
YTICK[51] = 120000; YTEXT[51] = '120k'
YTICK[52] = 130000; YTEXT[52] = '130k'
YTICK[53] = 140000; YTEXT[53] = '140k'
N = 5
ROWS_SHOWN = 5
array ROW[5]
array NAME[5]
array ROWNAME[5]
array COLOR[5]
array POINT[5]
array DASH[5]
array WIDTH[5]
array QUIET[5]
NAME[1] = 'libevent'; ROWNAME[1] = 'libevent'; COLOR[1] = '#0072B2'; POINT[1] = 7; DASH[1] = 1; WIDTH[1] = 2.0; QUIET[1] = 0; ROW[1] = 5
NAME[2] = 'libuv'; ROWNAME[2] = 'libuv'; COLOR[2] = '#D55E00'; POINT[2] = 5; DASH[2] = 2; WIDTH[2] = 2.0; QUIET[2] = 0; ROW[2] = 4
NAME[3] = 'h2o'; ROWNAME[3] = 'h2o'; COLOR[3] = '#009E73'; POINT[3] = 9; DASH[3] = 4; WIDTH[3] = 2.0; QUIET[3] = 0; ROW[3] = 3
NAME[4] = 'libevent-again'; ROWNAME[4] = 'libevent-again'; COLOR[4] = '#0072B2'; POINT[4] = 6; DASH[4] = 3; WIDTH[4] = 1.4; QUIET[4] = 0; ROW[4] = 2
NAME[5] = 'null'; ROWNAME[5] = 'null'; COLOR[5] = '#8C8C8C'; POINT[5] = 1; DASH[5] = 1; WIDTH[5] = 1.0; QUIET[5] = 1; ROW[5] = 1
K = 3
array PANEL[3]
array SHAPE[3]
SHAPE[1] = 7; PANEL[1] = '10 connections'
SHAPE[2] = 5; PANEL[2] = '100 connections'
SHAPE[3] = 9; PANEL[3] = '500 connections'
array GAPP[46]
array GAPAT[46]
array GAPT[46]
GAPS = 0
RN = 5
array RTEXT[5]
array RLABEL[5]
RTEXT[1] = 'libevent'; RLABEL[1] = 'libevent'
RTEXT[2] = 'libuv'; RLABEL[2] = 'libuv'
RTEXT[3] = 'h2o'; RLABEL[3] = 'h2o'
RTEXT[4] = 'libevent-again'; RLABEL[4] = 'libevent-again'
RTEXT[5] = 'null'; RLABEL[5] = 'null'
array NAP[16]
array NAR[16]
NAS = 0
ROUNDS = 11
array OF[5]
OF[1] = 1
OF[2] = 2
OF[3] = 3
OF[4] = 4
OF[5] = 5
NARROW = 0
W = 1059
H = 372
HEAD = 58
COLUMNS = 3
ROWS = 1
LEFT = 127.4
PANELW = 280.0
PANELH = 230.0
GAPX = 34
GAPY = 60
BOTTOM = 58
TEXTX = 16
array LINE[8]
LINE[1] = 'hello: 11 rounds from bottom to top; line and box: median and its 95% interval'
LINES = 1
KEYS = 0
array KEYX[1]
array KEYY[1]
array KEYTEXT[1]
array KEYOF[1]
