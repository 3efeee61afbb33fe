# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of its sources.
PLOT = 'latency-hello'
HEADING = 'Latency'
XLABEL = 'connections, log scale'
YLABEL = 'latency, log scale'
DOTS = 0
SHARED = 1
ROOM = 24
MARKS = 1
XLOG = 1
array XMIN[1]
array XMAX[1]
array XTICKS[1]
array XTICK[24]
array XTEXT[24]
XMIN[1] = 7.531344275; XMAX[1] = 663.8921044; XTICKS[1] = 3
XTICK[1] = 10; XTEXT[1] = '10'
XTICK[2] = 100; XTEXT[2] = '100'
XTICK[3] = 500; XTEXT[3] = '500'
YLOG = 1
array YMIN[3]
array YMAX[3]
array YTICKS[3]
array YTICK[72]
array YTEXT[72]
YMIN[1] = 27.2; YMAX[1] = 6503.75; YTICKS[1] = 7
YTICK[1] = 50; YTEXT[1] = '50 µs'
YTICK[2] = 100; YTEXT[2] = '100 µs'
YTICK[3] = 200; YTEXT[3] = '200 µs'
YTICK[4] = 500; YTEXT[4] = '500 µs'
YTICK[5] = 1000; YTEXT[5] = '1 ms'
YTICK[6] = 2000; YTEXT[6] = '2 ms'
YTICK[7] = 5000; YTEXT[7] = '5 ms'
YMIN[2] = 27.2; YMAX[2] = 6503.75; YTICKS[2] = 7
YTICK[25] = 50; YTEXT[25] = '50 µs'
YTICK[26] = 100; YTEXT[26] = '100 µs'
YTICK[27] = 200; YTEXT[27] = '200 µs'
YTICK[28] = 500; YTEXT[28] = '500 µs'
YTICK[29] = 1000; YTEXT[29] = '1 ms'
YTICK[30] = 2000; YTEXT[30] = '2 ms'
YTICK[31] = 5000; YTEXT[31] = '5 ms'
YMIN[3] = 27.2; YMAX[3] = 6503.75; YTICKS[3] = 7
YTICK[49] = 50; YTEXT[49] = '50 µs'
YTICK[50] = 100; YTEXT[50] = '100 µs'
YTICK[51] = 200; YTEXT[51] = '200 µs'
YTICK[52] = 500; YTEXT[52] = '500 µs'
YTICK[53] = 1000; YTEXT[53] = '1 ms'
YTICK[54] = 2000; YTEXT[54] = '2 ms'
YTICK[55] = 5000; YTEXT[55] = '5 ms'
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
SHAPE[1] = 7; PANEL[1] = 'p50'
SHAPE[2] = 5; PANEL[2] = 'p99'
SHAPE[3] = 9; PANEL[3] = 'p99.9'
array GAPP[46]
array GAPAT[46]
array GAPT[46]
GAPP[1] = 3; GAPAT[1] = 500; GAPT[1] = 0
GAPS = 1
NARROW = 0
W = 1146
H = 494
HEAD = 80
COLUMNS = 3
ROWS = 1
LEFT = 84.0
PANELW = 330.0
PANELH = 330.0
GAPX = 24
GAPY = 60
BOTTOM = 58
TEXTX = 16
array LINE[8]
LINE[1] = 'hello: median of 11 rounds and its 95% interval; closed loop, raw latency'
LINES = 1
KEYS = 5
array KEYX[6]
array KEYY[6]
array KEYTEXT[6]
array KEYOF[6]
KEYOF[1] = 1; KEYX[1] = 84.0; KEYY[1] = 428; KEYTEXT[1] = 'libevent'
KEYOF[2] = 2; KEYX[2] = 208.8; KEYY[2] = 428; KEYTEXT[2] = 'libuv'
KEYOF[3] = 3; KEYX[3] = 312.3; KEYY[3] = 428; KEYTEXT[3] = 'h2o'
KEYOF[4] = 4; KEYX[4] = 401.6; KEYY[4] = 428; KEYTEXT[4] = 'libevent-again'
KEYOF[5] = 5; KEYX[5] = 569.0; KEYY[5] = 428; KEYTEXT[5] = 'null'
