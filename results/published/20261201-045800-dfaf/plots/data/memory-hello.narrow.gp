# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
XMIN[1] = 7.531344275; XMAX[1] = 663.8921044; XTICKS[1] = 3
XTICK[1] = 10; XTEXT[1] = '10'
XTICK[2] = 100; XTEXT[2] = '100'
XTICK[3] = 500; XTEXT[3] = '500'
NARROW = 1
W = 344
H = 634
HEAD = 122
COLUMNS = 1
ROWS = 2
LEFT = 20.8
PANELW = 307.2
PANELH = 180.0
GAPX = 0
GAPY = 68
BOTTOM = 58
TEXTX = 8
array LINE[8]
LINE[1] = 'hello: median of 11 rounds and its 95% interval'
LINES = 1
KEYS = 5
array KEYX[6]
array KEYY[6]
array KEYTEXT[6]
array KEYOF[6]
KEYOF[1] = 1; KEYX[1] = 8.0; KEYY[1] = 568; KEYTEXT[1] = 'libevent'
KEYOF[2] = 2; KEYX[2] = 132.8; KEYY[2] = 568; KEYTEXT[2] = 'libuv'
KEYOF[3] = 3; KEYX[3] = 236.3; KEYY[3] = 568; KEYTEXT[3] = 'h2o'
KEYOF[4] = 4; KEYX[4] = 8.0; KEYY[4] = 546; KEYTEXT[4] = 'libevent-again'
KEYOF[5] = 5; KEYX[5] = 175.4; KEYY[5] = 546; KEYTEXT[5] = 'null'
