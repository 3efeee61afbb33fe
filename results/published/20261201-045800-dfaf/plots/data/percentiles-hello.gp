# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of its sources.
PLOT = 'percentiles-hello'
HEADING = 'Latency percentiles'
XLABEL = 'percentile, log scale'
YLABEL = 'latency, log scale'
DOTS = 0
SHARED = 0
ROOM = 24
MARKS = 0
XLOG = 1
array XMIN[1]
array XMAX[1]
array XTICKS[1]
array XTICK[24]
array XTEXT[24]
XMIN[1] = 1.111111111; XMAX[1] = 213106.79; XTICKS[1] = 6
XTICK[1] = 2; XTEXT[1] = '50%%'
XTICK[2] = 10; XTEXT[2] = '90%%'
XTICK[3] = 100; XTEXT[3] = '99%%'
XTICK[4] = 1000; XTEXT[4] = '99.9%%'
XTICK[5] = 10000; XTEXT[5] = '99.99%%'
XTICK[6] = 100000; XTEXT[6] = '99.999%%'
YLOG = 1
array YMIN[3]
array YMAX[3]
array YTICKS[3]
array YTICK[72]
array YTEXT[72]
YMIN[1] = 22.4; YMAX[1] = 12013.75; YTICKS[1] = 8
YTICK[1] = 50; YTEXT[1] = '50 µs'
YTICK[2] = 100; YTEXT[2] = '100 µs'
YTICK[3] = 200; YTEXT[3] = '200 µs'
YTICK[4] = 500; YTEXT[4] = '500 µs'
YTICK[5] = 1000; YTEXT[5] = '1 ms'
YTICK[6] = 2000; YTEXT[6] = '2 ms'
YTICK[7] = 5000; YTEXT[7] = '5 ms'
YTICK[8] = 10000; YTEXT[8] = '10 ms'
YMIN[2] = 229.6; YMAX[2] = 7496.25; YTICKS[2] = 4
YTICK[25] = 500; YTEXT[25] = '500 µs'
YTICK[26] = 1000; YTEXT[26] = '1 ms'
YTICK[27] = 2000; YTEXT[27] = '2 ms'
YTICK[28] = 5000; YTEXT[28] = '5 ms'
YMIN[3] = 1105.6; YMAX[3] = 13125; YTICKS[3] = 3
YTICK[49] = 2000; YTEXT[49] = '2 ms'
YTICK[50] = 5000; YTEXT[50] = '5 ms'
YTICK[51] = 10000; YTEXT[51] = '10 ms'
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
NARROW = 0
W = 1242
H = 494
HEAD = 80
COLUMNS = 3
ROWS = 1
LEFT = 84.0
PANELW = 330.0
PANELH = 330.0
GAPX = 72
GAPY = 60
BOTTOM = 58
TEXTX = 16
array LINE[8]
LINE[1] = 'hello: all rounds together; closed loop, raw latency; pale: too few samples to be stated'
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
