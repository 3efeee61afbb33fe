#!/usr/bin/python3
"""report.html: says what the other files say, is well formed and accessible, holds nothing that runs
or is fetched, keeps names inert, and looks right in a browser.

Standard library; where python3-html5lib, tidy or chromium are missing their cases are skipped. The
screenshots are left in BUILD/html/ to be looked at."""
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from html.parser import HTMLParser

from tap import Skip, Tap, eq, ok

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
LOOPBENCH = os.path.join(BUILD, "bin", "loopbench")
SHOTS = os.path.join(BUILD, "html")
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
KINDS = 9  # of plots
tap = Tap()
tmp = tempfile.mkdtemp(prefix="loopbench-html-")
runs = {}


def make(name, *options):
    run = os.path.join(tmp, name)
    subprocess.run([os.path.join(HERE, "synth_run.py"), run, "--light", *options], check=True)
    done = subprocess.run([LOOPBENCH, "report", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=240)
    eq(done.returncode, 0, "exit of report (%s)" % done.stderr)
    runs[name] = run
    return run


def read(run, name):
    with open(os.path.join(run, name), encoding="utf-8") as f:
        return f.read()


class Node:
    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent = tag, dict(attrs), parent
        self.children = []

    def text(self):
        return "".join(c if isinstance(c, str) else c.text() for c in self.children)

    def all(self, *tags):
        for c in self.children:
            if isinstance(c, Node):
                if not tags or c.tag in tags:
                    yield c
                yield from c.all(*tags)


class Tree(HTMLParser):
    """A tree, strict about what it is closed with."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("", [], None)
        self.odd = []
        self.feed(text)
        self.close()
        if self.at is not self.root:
            self.odd.append("<%s> is not closed" % self.at.tag)

    def handle_starttag(self, tag, attrs):
        if len({k for k, _ in attrs}) != len(attrs):
            self.odd.append("an attribute twice in <%s>" % tag)
        node = Node(tag, attrs, self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag, attrs):
        self.at.children.append(Node(tag, attrs, self.at))

    def handle_endtag(self, tag):
        if self.at.tag != tag:
            self.odd.append("</%s> closes <%s>" % (tag, self.at.tag))
        else:
            self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)


def tree(name):
    t = Tree(read(runs[name], "report.html"))
    eq(t.odd, [], "tags")
    return t.root


def key_of(row):
    return row.attrs["data-workload"], int(row.attrs["data-connections"]), row.attrs["data-target"]


def shown_number(text):
    """The figure as a person reads it: '≥ 125,431[…]' -> 125431, '6.71 µs[…]' -> 6.71."""
    m = re.match(r"(?:≥ )?([0-9][0-9,]*\.?[0-9]*)(?: (µs|ms|s|KiB|MiB|GiB))?", text)
    ok(m, "no figure in %r" % text)
    scale = {None: 1, "µs": 1, "ms": 1e3, "s": 1e6, "KiB": 1024, "MiB": 1 << 20, "GiB": 1 << 30}
    digits = m.group(1).replace(",", "")
    step = 10.0 ** -len(digits.partition(".")[2]) * scale[m.group(2)]
    return float(digits) * scale[m.group(2)], step


def same(text, value, what):
    """An attribute against a number of report.json."""
    eq(text is None, value is None, what + ": there in one only")
    if text is not None:
        ok(abs(float(text) - value) <= 1e-9 * abs(value), "%s: %s, %s" % (what, text, value))


@tap.case("reports are made of plain, troubled, small and hostile runs")
def _():
    make("plain", "--rounds", "7")
    make("trouble", "--trouble")
    make("one", "--rounds", "1", "--levels", "8", "--workloads", "hello")
    make("hostile", "--hostile", "--workloads", "hello,../x y\"><b>")


@tap.case("every figure equals the one in report.json and cells.csv")
def _():
    for name in runs:
        cells = {(c["workload"], c["connections"], c["target"]): c
                 for c in json.loads(read(runs[name], "report.json"))["cells"]}
        rows = {(r["workload"], int(r["connections"]), r["target"]): r
                for r in csv.DictReader(read(runs[name], "cells.csv").splitlines())}
        plain = {tuple(re.sub(r"[\x00-\x1f]", " ", k) if isinstance(k, str) else k for k in key): key
                 for key in cells}
        seen = set()
        for row in tree(name).all("tr"):
            if "data-target" not in row.attrs:
                continue
            key = key_of(row)
            cell, line = cells[plain[key]], rows[key]
            for td in row.all("td"):
                figure = td.attrs.get("data-figure")
                if not figure:
                    continue
                value = cell["figures"][figure]
                what = "%s %s %s" % (name, key, figure)
                for attr, part, column in (("data-value", "median", figure),
                                           ("data-lo", "lo", figure + "_lo"),
                                           ("data-hi", "hi", figure + "_hi")):
                    same(td.attrs.get(attr), value[part], what)
                    eq(td.attrs.get(attr, ""), line[column], what + " in cells.csv")
                if value["median"] is None:
                    eq(td.text(), "n/a", what)
                else:
                    shown, step = shown_number(td.text())
                    ok(abs(shown - value["median"]) <= 0.5001 * step,
                       "%s: shown as %s" % (what, td.text()))
                seen.add((plain[key], figure))
        figures = {f for _, f in seen}
        ok(len(figures) >= 14, "only these figures are shown: %s" % sorted(figures))
        eq(len(seen), len(cells) * len(figures), "%s: figures shown" % name)


@tap.case("every ratio equals the one in verdicts.csv and report.json")
def _():
    for name in runs:
        text = read(runs[name], "verdicts.csv")
        want = {(r["figure"], r["kind"], r["workload"], int(r["connections"]), r["a"], r["b"]): r
                for r in csv.DictReader(text.splitlines())}
        seen = 0
        for row in tree(name).all("tr"):
            a = row.attrs
            if "data-ratio" not in a:
                continue
            line = want[(a["data-ratio"], a["data-kind"], a["data-workload"],
                         int(a["data-connections"]), a["data-a"], a["data-b"])]
            td = next(t for t in row.all("td") if t.attrs.get("data-figure") == "ratio")
            for attr, column in (("data-value", "ratio"), ("data-lo", "ratio_lo"),
                                 ("data-hi", "ratio_hi")):
                eq(td.attrs.get(attr, ""), line[column], "%s %s" % (name, a))
            if line["ratio"]:
                ok(td.text().startswith("%.3f" % float(line["ratio"])), td.text())
            seen += 1
        eq(seen, len(want), "%s: ratios shown" % name)


@tap.case("every sentence is report.json's, in its order, and none is missing")
def _():
    for name in runs:
        said = json.loads(read(runs[name], "report.json"))["findings"]
        text = re.sub(r"\s+", " ", tree(name).text())
        at = 0
        for f in said["findings"]:
            want = re.sub(r"\s+", " ", f["text"])
            found = text.find(want, at)
            ok(found >= 0, "%s: not said, or out of order: %s" % (name, want))
            at = found
        ok(re.sub(r"\s+", " ", said["reason"]) in text, "the reason of the validity")


@tap.case("the plots draw what report.json says")
def _():
    run = runs["plain"]
    cells = json.loads(read(run, "report.json"))["cells"]
    values = {repr(float("%.10g" % v)) for c in cells
              for f in ("cpu_us_per_request", "requests_per_second")
              for v in c["figures"][f]["rounds"] if v is not None}
    drawn, disturbed = set(), 0
    for kind in ("cpu", "throughput"):
        for workload in ("hello", "json"):
            for line in read(run, "plots/data/rounds-%s-%s.dat" % (kind, workload)).splitlines():
                words = line.split()
                # A median's line begins with the whole number of its row.
                if len(words) == 4 and "." in words[0]:
                    drawn.add(repr(float(words[1])))
                    disturbed += words[3] == "1"
    eq(drawn, values, "points of the rounds")
    eq(disturbed > 0, any("-invalid" in c["flags"] for c in cells), "rounds marked as disturbed")
    rows = list(csv.DictReader(read(run, "verdicts.csv").splitlines()))
    ratios = set()
    for r in rows:
        if r["workload"] == "hello" and r["figure"] in ("cpu_us_per_request", "requests_per_second") \
                and r["ratio"] and "libevent" in (r["a"], r["b"]):
            v = float(r["ratio"])
            ratios.add("%.7g" % (v if r["b"] == "libevent" else 1 / v))
    drawn = {"%.7g" % float(line.split()[1]) for line in
             read(run, "plots/data/ratios-hello.dat").splitlines()
             if len(line.split()) == 6 and "NaN" not in line and not line.startswith("#")}
    eq(drawn, ratios, "ratios")
    eq(len(ratios), 18, "ratios of three against one, at three levels, in two figures")


@tap.case("nothing runs, nothing is fetched, every link leads somewhere")
def _():
    for name in runs:
        text = read(runs[name], "report.html")
        root = tree(name)
        ids = [n.attrs["id"] for n in root.all() if "id" in n.attrs]
        eq(sorted(ids), sorted(set(ids)), "%s: ids" % name)
        for n in root.all():
            ok(n.tag not in ("script", "iframe", "object", "embed", "img", "image", "foreignobject",
                             "form", "base", "audio", "video"), "%s: <%s>" % (name, n.tag))
            for k, v in n.attrs.items():
                ok(not k.startswith("on") and k != "src", "%s: %s in <%s>" % (name, k, n.tag))
                if k in ("href", "xlink:href"):
                    ok(v == "data:," or v.startswith("#"), "%s: %s=%s" % (name, k, v))
                    ok(v == "data:," or v[1:] in ids, "%s: %s leads nowhere" % (name, v))
                if k in ("aria-labelledby", "aria-describedby"):
                    ok(all(i in ids for i in v.split()), "%s: %s=%s" % (name, k, v))
        ok("url(" not in text and "@import" not in text, "the style fetches nothing")
        ok("default-src 'none'" in text, "the policy forbids what was overlooked")
        ok(not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), "no control characters")


@tap.case("a reader of the page by ear finds their way")
def _():
    for name in runs:
        root = tree(name)
        eq(next(root.all("html")).attrs.get("lang"), "en", "lang")
        ok(next(root.all("title")).text().startswith("loopbench report: "), "title")
        level = 0
        for n in root.all("h1", "h2", "h3", "h4"):
            ok(int(n.tag[1]) <= level + 1, "%s: <%s> %s after level %d" % (name, n.tag, n.text(),
                                                                          level))
            level = int(n.tag[1])
            ok(n.text().strip(), "an empty heading")
        eq(len(list(root.all("h1"))), 1, "h1")
        for table in root.all("table"):
            ok(next(table.all("caption")).text().strip(), "a caption")
            for th in table.all("th"):
                ok(th.attrs.get("scope") in ("col", "row"), "scope of %s" % th.text())
            widths = {len([c for c in tr.children if isinstance(c, Node)]) for tr in table.all("tr")}
            eq(len(widths), 1, "%s: columns of %s" % (name, next(table.all("caption")).text()))
            ok(any(th.attrs["scope"] == "row" for th in table.all("th")), "row headers")
        pictures = [n for n in root.all("svg")]
        files = [f for f in os.listdir(os.path.join(runs[name], "plots")) if f.endswith(".svg")]
        for kind in ("wide", "narrow"):
            eq(len([p for p in pictures if p.attrs["class"] == kind]), len(files),
               "%s: %s plots" % (name, kind))
        eq(len(pictures), 2 * len(files), "%s: plots" % name)
        for svg in pictures:
            eq(svg.attrs.get("role"), "img", "role of a plot")
            ok(svg.attrs.get("aria-label") and svg.attrs.get("aria-describedby"), "its name")
            ok("gnuplot" not in svg.text().lower(), "gnuplot's own title")
        for n in root.all("div"):
            if n.attrs.get("class", "").startswith("scroll"):
                ok(n.attrs.get("tabindex") == "0" and n.attrs.get("aria-label"), "a box that scrolls")
    eq(len(list(tree("plain").all("figure"))), 2 * KINDS, "kinds of plots of two workloads")


@tap.case("names are inert")
def _():
    text = read(runs["hostile"], "report.html")
    root = tree("hostile")
    ok("<script" not in text and "<b>" not in text, "markup from a name")
    words = root.text()
    for name in ("<script>alert(1)</script>", "%s $(touch pwned) `touch pwned` @AT 'q' \\n & é",
                 "a,b \"c\" | `d` _e_ {/Bold f}", "../x y\"><b>"):
        ok(name in words, "%s is not shown as it is" % name)
    drawn = "".join(n.text() for n in root.all("svg"))
    ok("%s $(touch pwned)" in drawn and "<script>alert(1)</script>" in drawn, "names in plots")


@tap.case("colours keep their distance, in the light and in the dark")
def _():
    text = read(runs["one"], "report.html")
    light, dark = re.findall(r":root\{([^}]*)\}", text)

    def names(css):
        return {k: v for k, v in re.findall(r"--([a-z0-9-]+):(#[0-9a-f]+)", css)}

    def luminance(color):
        digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
        parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
        parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    def contrast(a, b):
        a, b = sorted((luminance(a), luminance(b)))
        return (b + 0.05) / (a + 0.05)

    eq(round(contrast("#000000", "#ffffff"), 3), 21.0, "black on white")
    for mode, css in (("light", names(light)), ("dark", names(dark))):
        for ink, ground in [("ink", "paper"), ("faint", "paper"), ("link", "paper"),
                            ("ink", "shade"), ("faint", "shade"), ("ink", "good-bg"),
                            ("good", "good-bg"), ("ink", "bad-bg"), ("bad", "bad-bg")]:
            c = contrast(css[ink], css[ground])
            ok(c >= 4.5, "%s: %s on %s is %.2f:1" % (mode, ink, ground, c))
        for i in range(7):
            c = contrast(css["c%d" % i], css["paper"])
            ok(c >= 3, "%s: colour %d on paper is %.2f:1" % (mode, i, c))


@tap.case("a baseline asked for is what the ratios are drawn against")
def _():
    run = os.path.join(tmp, "based")
    shutil.copytree(runs["plain"], run)
    done = subprocess.run([LOOPBENCH, "report", run, "--baseline", "h2o"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    eq(done.returncode, 0, "exit (%s)" % done.stderr)
    want = {"%.7g" % float(r["ratio"]) for r in
            csv.DictReader(read(run, "verdicts.csv").splitlines())
            if r["workload"] == "json" and r["b"] == "h2o" and r["ratio"] and
            r["figure"] in ("cpu_us_per_request", "requests_per_second")}
    drawn = {"%.7g" % float(line.split()[1]) for line in
             read(run, "plots/data/ratios-json.dat").splitlines()
             if len(line.split()) == 6 and "NaN" not in line and not line.startswith("#")}
    eq(drawn, want, "ratios")
    eq(len(want), 12, "two against one, at three levels, in two figures")
    ok("against h2o" in Tree(read(run, "report.html")).root.text(), "against whom")


@tap.case("within the source tree the documentation is linked")
def _():
    run = os.path.join(SHOTS, "run")
    root = os.path.realpath(os.path.join(HERE, "..", ".."))
    if not os.path.realpath(BUILD).startswith(root + "/"):
        raise Skip("BUILD is not within the source tree")
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(runs["one"], run)
    eq(subprocess.run([LOOPBENCH, "report", run], stdout=subprocess.DEVNULL,
                      timeout=120).returncode, 0, "exit")
    links = [n.attrs["href"] for n in Tree(read(run, "report.html")).root.all("a")
             if not n.attrs["href"].startswith("#")]
    ok(len(links) >= 3, "links: %s" % links)
    for link in links:
        ok(not link.startswith("/") and os.path.exists(os.path.join(run, link)),
           "%s leads nowhere" % link)
    ok("](%s)" % links[0] in read(run, "report.md"), "report.md has them too")


@tap.case("html5lib finds no fault")
def _():
    try:
        import html5lib
    except ImportError:
        raise Skip("python3-html5lib is not installed (make deps-dev)")
    for name in runs:
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(read(runs[name], "report.html"))
        eq(parser.errors, [], name)
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(read(runs["one"], "report.html").replace("</table>", "<p></table>", 1))
    ok(parser.errors, "a fault is found when there is one")


@tap.case("tidy finds no fault")
def _():
    if not shutil.which("tidy"):
        raise Skip("tidy is not installed (make deps-dev)")
    for name in runs:
        done = subprocess.run(["tidy", "-q", "-e", "--show-warnings", "yes", "-utf8",
                               os.path.join(runs[name], "report.html")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        eq((done.returncode, done.stdout.decode()), (0, ""), name)


@tap.case("without gnuplot the page is whole, and says what is missing")
def _():
    run = os.path.join(tmp, "bare")
    subprocess.run([os.path.join(HERE, "synth_run.py"), run, "--light", "--rounds", "1", "--levels",
                    "8", "--workloads", "hello"], check=True)
    done = subprocess.run([LOOPBENCH, "report", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, PATH=tmp), timeout=60)
    eq(done.returncode, 3, "exit")
    t = Tree(read(run, "report.html"))
    eq(t.odd, [], "tags")
    ids = {n.attrs["id"] for n in t.root.all() if "id" in n.attrs}
    ok("gnuplot" in t.root.text() and "plots" not in ids, "plots are said to be missing")
    ok(all(n.attrs["href"][1:] in ids for n in t.root.all("a")), "links")


def chromium(url, *options):
    profile = tempfile.mkdtemp(prefix="profile-", dir=tmp)
    # /dev/shm is small in containers; the browser's own talk with its makers is none of the page's.
    done = subprocess.run(
        [shutil.which("chromium") or "chromium", "--headless", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--hide-scrollbars", "--user-data-dir=" + profile, "--enable-logging=stderr", "--v=0",
         "--host-resolver-rules=MAP * ~NOTFOUND", *options, url],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done, said


def need_chromium():
    if not shutil.which("chromium"):
        raise Skip("chromium is not installed (optional)")


def page(text, name):
    path = os.path.join(tmp, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return "file://" + path


OWN = re.compile(r"https?://([a-z0-9.-]+\.)?(google\.com|googleapis\.com|gvt1\.com|gstatic\.com)/")


def requests(log):
    """What was asked of the network, but for the browser's own."""
    with open(log) as f:
        text = f.read()
    try:
        events = json.loads(text)["events"]
    except ValueError:  # ended before it was closed
        events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
    urls = {e.get("params", {}).get("url", "") for e in events}
    return sorted(u for u in urls if u.startswith("http") and not OWN.match(u))


@tap.case("a browser says nothing on its console and asks for nothing")
def _():
    need_chromium()
    log = os.path.join(tmp, "net.json")
    for name in runs:
        done, said = chromium("file://" + os.path.join(runs[name], "report.html"), "--dump-dom",
                              "--log-net-log=" + log)
        ok("Run it again" in done.stdout, "%s: the page was not shown: %s" % (name,
                                                                              done.stderr[-400:]))
        eq(said, [], name)
        eq(requests(log), [], name)
    # What is looked for is found where it is: a page that is refused a picture, one that asks.
    text = read(runs["one"], "report.html")
    bad = text.replace("</main>", '<img src="http://example.invalid/x.png" alt=""></main>')
    _, said = chromium(page(bad, "refused.html"), "--dump-dom")
    ok(said, "a picture the policy refuses shows on the console")
    bad = re.sub(r"<meta http-equiv[^>]*>", "", bad)
    chromium(page(bad, "asks.html"), "--dump-dom", "--log-net-log=" + log)
    eq(requests(log), ["http://example.invalid/x.png"], "a request is seen")


WIDTHS = (320, 390, 800, 970, 1280)
# All widths in one browser, which takes longer to start than to draw.
FRAME = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>waiting</title>
<body style="margin:0"><script>
addEventListener("message", e => document.title += e.data);
for (const width of [%s]) {
    const frame = document.createElement("iframe");
    frame.style = "height:900px;border:0;display:block;width:" + width + "px";
    frame.src = "%s";
    document.body.append(frame);
}</script></html>"""
MEASURE = """<script>addEventListener("load", () => {
const wide = [...document.querySelectorAll("table, svg")].filter(n => n.closest(".scroll") === null);
const d = document.documentElement;
const plots = [...document.querySelectorAll(".plot")];
const shown = plots.map(p => [...p.querySelectorAll("svg")].filter(s => s.getClientRects().length));
const one = shown.filter(s => s.length === 1).length;
const hidden = plots.filter(p => p.scrollWidth > p.clientWidth).length;
const scale = Math.min(...shown.map(s => s[0].clientWidth / s[0].viewBox.baseVal.width));
// What a table hides: verdicts beside the page, columns to scroll to at all, names that scroll away.
const boxes = [...document.querySelectorAll(".scroll:not(.plot)")];
const beside = [...document.querySelectorAll("tr[data-ratio] td")].filter(
    t => t.getClientRects().length && t.getBoundingClientRect().right > d.clientWidth).length;
const more = boxes.filter(b => b.scrollWidth > b.clientWidth);
let gone = 0;
for (const b of more) {
    b.scrollLeft = 9999;
    gone += [...b.querySelectorAll("tbody tr")].filter(
        t => t.querySelector("th").getBoundingClientRect().left < b.getBoundingClientRect().left - 1).length;
}
parent.postMessage(["; measured", beside, more.length, gone, d.clientWidth, d.scrollWidth, wide.length, plots.length, one, hidden,
                    scale.toFixed(2)].join(" "), "*")});
</script></body>"""


@tap.case("no page or plot scrolls sideways, on a phone or a desk, and letters of plots stay legible")
def _():
    need_chromium()
    for name in ("plain", "hostile"):
        text = re.sub(r"<meta http-equiv[^>]*>", "", read(runs[name], "report.html"))
        inner = page(text.replace("</body>", MEASURE), "inner-%s.html" % name)
        url = page(FRAME % (", ".join(map(str, WIDTHS)), inner), "frame.html")
        done, _ = chromium(url, "--dump-dom", "--window-size=1400,1000",
                           "--virtual-time-budget=10000")
        found = [tuple(map(float, m.split())) for m in
                 re.findall(r"; measured ([0-9. ]+)", done.stdout.partition("</title>")[0])]
        eq(sorted(f[3] for f in found), list(WIDTHS), "%s: widths of the frames (%s)" % (
            name, done.stderr[-400:]))
        for beside, more, gone, width, to, outside, plots, one, hidden, scale in found:
            if name == "plain":
                ok(width > 640 or beside == 0, "at %d px %d cells of verdicts are off screen" % (
                    width, beside))
                ok(width < 1280 or more == 0, "at %d px %d tables scroll" % (width, more))
            eq(gone, 0, "%s at %d px: rows whose names scroll away" % (name, width))
            ok(to <= width, "%s at %d px scrolls to %d" % (name, width, to))
            eq(outside, 0, "tables and plots outside a box of their own")
            eq(one, plots, "%s at %d px: plots shown once" % (name, width))
            eq(hidden, 0, "%s at %d px: plots that scroll" % (name, width))
            # Letters are 11 and 12 pixels of the picture.
            ok(scale > 0.7, "%s at %d px: a plot is drawn at %s of its size" % (name, width, scale))


def png(path):
    """Size and first pixel: of the first row, whatever its filter, the first pixel is as it is."""
    with open(path, "rb") as f:
        data = f.read()
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    return width, height, tuple(zlib.decompressobj().decompress(packed, 4)[1:4])


@tap.case("screenshots: a phone, a desk, in the light and in the dark")
def _():
    need_chromium()
    os.makedirs(SHOTS, exist_ok=True)
    for name, width, height in (("phone", 390, 844), ("desk", 1280, 900)):
        for mode, scheme in (("light", 1), ("dark", 0)):
            path = os.path.join(SHOTS, "%s-%s.png" % (name, mode))
            if os.path.exists(path):
                os.unlink(path)
            chromium("file://" + os.path.join(runs["trouble"], "report.html"),
                     "--screenshot=" + path, "--window-size=%d,%d" % (width, height),
                     "--blink-settings=preferredColorScheme=%d" % scheme)
            w, h, corner = png(path)
            eq((w, h), (width, height), "size of %s" % path)
            ok((sum(corner) < 120) == (mode == "dark"), "%s: its corner is %s" % (path, corner))


@tap.case("it prints")
def _():
    need_chromium()
    path = os.path.join(tmp, "paper.pdf")
    chromium("file://" + os.path.join(runs["trouble"], "report.html"), "--print-to-pdf=" + path,
             "--no-pdf-header-footer", "--blink-settings=preferredColorScheme=0")
    with open(path, "rb") as f:
        data = f.read()
    ok(data.startswith(b"%PDF-") and data.count(b"/Type /Page") + data.count(b"/Type/Page") > 3,
       "a PDF of several pages")


sys.exit(tap.finish_drawing(tmp))
