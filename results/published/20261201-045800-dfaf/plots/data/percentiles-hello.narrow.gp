# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
XMIN[1] = 1.111111111; XMAX[1] = 213106.79; XTICKS[1] = 6
XTICK[1] = 2; XTEXT[1] = '50%%'
XTICK[2] = 10; XTEXT[2] = '90%%'
XTICK[3] = 100; XTEXT[3] = '99%%'
XTICK[4] = 1000; XTEXT[4] = '99.9%%'
XTICK[5] = 10000; XTEXT[5] = '99.99%%'
XTICK[6] = 100000; XTEXT[6] = '99.999%%'
NARROW = 1
W = 344
H = 897
HEAD = 137
COLUMNS = 1
ROWS = 3
LEFT = 54.8
PANELW = 273.2
PANELH = 180.0
GAPX = 0
GAPY = 68
BOTTOM = 58
TEXTX = 8
array LINE[8]
LINE[1] = 'hello: all rounds together; closed loop, raw'
LINE[2] = 'latency; pale: too few samples to be stated'
LINES = 2
KEYS = 5
array KEYX[6]
array KEYY[6]
array KEYTEXT[6]
array KEYOF[6]
KEYOF[1] = 1; KEYX[1] = 8.0; KEYY[1] = 816; KEYTEXT[1] = 'libevent'
KEYOF[2] = 2; KEYX[2] = 132.8; KEYY[2] = 816; KEYTEXT[2] = 'libuv'
KEYOF[3] = 3; KEYX[3] = 236.3; KEYY[3] = 816; KEYTEXT[3] = 'h2o'
KEYOF[4] = 4; KEYX[4] = 8.0; KEYY[4] = 794; KEYTEXT[4] = 'libevent-again'
KEYOF[5] = 5; KEYX[5] = 175.4; KEYY[5] = 794; KEYTEXT[5] = 'null'
