/* The frame of HTML pages: head, style, foot. */
#include "report/doc_html.h"
#include "report/text.h"

/* Text and its ground differ by 4.5:1 or more in both modes, lines of plots by 3:1:
 * after Okabe and Ito, darker or lighter where that needs it. Plots take their colours from here.
 */
static const char colors[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1d2024;--faint:#5b626b;--rule:#d8dce1;"
    "--band:#e9edf1;--shade:#f4f6f8;--edge:#1d202430;--link:#0b57a4;--good:#1a7f4b;--good-bg:#"
    "eaf6f0;--bad:#a8380f;"
    "--bad-bg:#fdf0ea;--c0:#7a7a7a;--c1:#0072b2;--c2:#d55e00;--c3:#009e73;--c4:#b8578c;"
    "--c5:#b87a00;--c6:#2a8ac4}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e4e7ea;"
    "--faint:#a3abb4;--rule:#363c44;--band:#262c34;--shade:#1c2026;--edge:#0009;--link:#82bbf2;--"
    "good:#5fcf98;"
    "--good-bg:#14291f;--bad:#ff9d78;--bad-bg:#341c12;--c0:#9a9a9a;--c1:#58b4f0;--c2:#ff8a45;"
    "--c3:#35cf9f;--c4:#eba3cc;--c5:#f2b632;--c6:#a7dcfa}}\n";

static const char layout[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"
    "\"Segoe UI\",Roboto,\"Noto Sans\",\"DejaVu Sans\",sans-serif;overflow-wrap:break-word}\n"
    "main{max-width:76rem;margin:0 auto;padding:1.5rem 1rem 4rem}\n"
    "p,li,pre{max-width:46rem}\n"
    "h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1rem}\n"
    "h2{font-size:1.35rem;line-height:1.25;margin:2.75rem 0 .75rem;padding-top:.75rem;"
    "border-top:1px solid var(--rule)}\n"
    "h3{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "h4{font-size:1rem;margin:1.5rem 0 .5rem}\n"
    "ul{padding-left:1.25rem}\n"
    "li{margin:.35rem 0}\n"
    "a{color:var(--link)}\n"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;"
    "font-size:.9em}\n"
    "pre{background:var(--shade);border:1px solid var(--rule);border-radius:.4rem;"
    "padding:.7rem .9rem;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;list-style:none;margin:1rem 0;padding:0;"
    "max-width:none;font-size:.92rem}\n"
    "nav li{margin:0}\n"
    ".good,.bad{border-left:.3rem solid;border-radius:.25rem;padding:.7rem .9rem}\n"
    ".good{background:var(--good-bg);border-color:var(--good)}\n"
    ".bad{background:var(--bad-bg);border-color:var(--bad)}\n"
    ".good strong{color:var(--good)}\n"
    ".bad strong{color:var(--bad)}\n"
    ".chip{display:inline-block;border:1px solid;border-radius:1rem;padding:.05rem .6rem;"
    "font-size:.82rem;font-weight:600;white-space:nowrap;color:var(--faint)}\n"
    ".yes{color:var(--good);background:var(--good-bg)}\n"
    ".no{color:var(--bad);background:var(--bad-bg)}\n"
    "h3 .chip{vertical-align:.12em;margin-left:.3rem}\n";

static const char tables[] =
    ".scroll{overflow-x:auto;max-width:100%;margin:.75rem 0 1.5rem}\n"
    /* A shadow at the side where there is more to see: it is covered at the end. */
    ".scroll:not(.plot){background:"
    "linear-gradient(90deg,var(--paper) 1rem,transparent) 0/3rem 100% no-repeat local,"
    "linear-gradient(270deg,var(--paper) 1rem,transparent) 100%/3rem 100% no-repeat local,"
    "linear-gradient(90deg,var(--edge),transparent) 0/.9rem 100% no-repeat scroll,"
    "linear-gradient(270deg,var(--edge),transparent) 100%/.9rem 100% no-repeat scroll}\n"
    ".scroll:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}\n"
    "table{border-collapse:collapse;font-size:.875rem;line-height:1.4;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
    "white-space:nowrap}\n"
    "th,td{padding:.35rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--rule);min-width:4rem;max-width:26rem;overflow-wrap:break-word}\n"
    "thead th{color:var(--faint);font-weight:600;border-bottom:2px solid var(--rule);"
    "vertical-align:bottom}\n"
    "tbody th{font-weight:600;min-width:8rem;overflow-wrap:anywhere}\n"
    "td:not(.n):last-child{min-width:9rem}\n"
    ".i{color:var(--faint);font-size:.92em}\n"
    "td .i{display:block}\n"
    "td.n{white-space:nowrap;overflow-wrap:normal}.n{text-align:right}\n"
    "tbody th:first-child{position:sticky;left:0;background:var(--paper)}\n"
    "tbody tr:hover{background:var(--shade)}\n";

static const char plots[] =
    "figure{margin:1.5rem 0 2.5rem}\n"
    ".plot{margin:0}\n"
    ".plot svg{display:block;width:100%;max-width:var(--w);height:auto;"
    "font-family:\"DejaVu Sans\",Verdana,system-ui,sans-serif}\n"
    ".plot .narrow{display:none;max-width:calc(1.5*var(--w))}\n"
    "@media screen and (max-width:60rem){.plot .wide{display:none}.plot .narrow{display:block}}\n"
    "figcaption{color:var(--faint);font-size:.9rem;max-width:46rem;margin-top:.4rem}\n"
    "footer{color:var(--faint);font-size:.875rem;margin-top:3rem}\n";

static const char paper[] =
    "@media (max-width:40rem){main{padding:1rem .9rem 3rem}h1{font-size:1.45rem}\n"
    "h2{font-size:1.2rem}th,td{padding:.3rem .5rem}tbody th{min-width:6rem}}\n"
    "@media screen and (max-width:40rem){.cards,.cards tbody,.cards tr,.cards th,.cards td"
    "{display:block}\n"
    ".cards thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}\n"
    ".cards tr{border:1px solid var(--rule);border-radius:.4rem;padding:.5rem .8rem;"
    "margin-bottom:.9rem}\n"
    ".cards tbody th,.cards td{border:0;padding:.12rem 0;max-width:none;min-width:0}\n"
    ".cards tbody th{position:static;font-size:.95rem;padding-bottom:.3rem}\n"
    ".cards td,.cards td:not(.n):last-child{display:flow-root;padding-left:7.2rem;min-width:0;"
    "text-align:left;white-space:normal}\n"
    ".cards td:empty,.cards td:not(.n):last-child:empty{display:none}\n"
    ".cards td::before{content:attr(data-label);float:left;width:6.8rem;margin-left:-7.2rem;"
    "color:var(--faint)}\n.cards td .i{display:inline}\n"
    ".cards tbody tr:hover{background:none}}\n"
    "@media print{@page{margin:14mm}\n"
    "body{font-size:10pt}main{max-width:none;padding:0}p,li,pre,figcaption{max-width:none}\n"
    "nav{display:none}h2,h3,h4{break-after:avoid}h2{margin-top:1.5rem}\n"
    "figure,tr,.good,.bad,pre{break-inside:avoid}thead{display:table-header-group}\n"
    ".scroll{overflow:visible}table{font-size:6.3pt;width:100%}\n"
    "th,td,tbody th,td:not(.n):last-child{min-width:0;padding:.15rem .3rem;"
    "overflow-wrap:break-word}\n"
    "thead th{white-space:normal}tbody th:first-child{position:static}\n"
    ".plot svg{max-width:100%;max-height:23cm}\n"
    "a{color:inherit;text-decoration:none}*{print-color-adjust:exact}}\n";

void html_head(FILE *f, const char *title, const char *description) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          f);
    text_html(f, title);
    fputs("</title>\n", f);
    if (*description) {
        fputs("<meta name=\"description\" content=\"", f);
        text_html(f, description);
        fputs("\">\n", f);
    }
    /* An icon of its own, or a browser would ask for one. */
    fputs("<link rel=\"icon\" href=\"data:,\">\n<style>\n", f);
    fputs(colors, f);
    fputs(layout, f);
    fputs(tables, f);
    fputs(plots, f);
    fputs(paper, f);
    fputs("</style>\n</head>\n<body>\n<main>\n", f);
}

void html_foot(FILE *f) {
    fputs("</main>\n</body>\n</html>\n", f);
}
