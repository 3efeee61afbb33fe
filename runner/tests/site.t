#!/usr/bin/python3
"""`loopbench site`: the pages of chosen runs, whose links all lead somewhere within the site."""
import filecmp
import html.parser
import os
import shutil
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, tree  # noqa: E402
from made import ID, judged_in_one, latest, made  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
DATA = ["manifest.json", "config.ini", "plan.json", "trials.jsonl", "histograms.gz"]
SMALL = {"rounds": 6, "levels": "8"}
PLAIN = {"PATH": "/nonexistent"}  # without gnuplot: pictures are looked at in the first cases


def name(day):
    return ID % (day, day)


class Page(html.parser.HTMLParser):
    """Links, ids, and whether tags are closed in order."""

    VOID = {"meta", "link", "br", "img", "hr", "input", "col", "wbr"}

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.open, self.tags, self.text = [], [], [], [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())
        ok(not self.open, "%s: never closed: %s" % (path, self.open))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for key, value in attrs:
            if key in ("href", "src", "xlink:href"):
                self.links.append((tag, value))
            if key == "id":
                self.ids.append(value)
            ok(not key.startswith("on"), "a handler: %s=%s" % (key, value))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        ok(self.open and self.open[-1] == tag, "</%s> closes %s" % (tag, self.open[-3:]))
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def check_site(site):
    """Every link of every page is relative and leads to a file of the site."""
    reached = {"index.html"}
    queue = ["index.html"]
    while queue:
        at = queue.pop()
        page = Page(os.path.join(site, at))
        ok("script" not in page.tags, "%s holds a script" % at)
        for tag, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if link.startswith("data:,") or (not parts.path and parts.fragment in page.ids):
                continue
            ok(tag != "use" or link.startswith("#"), "%s: %s" % (at, link))
            if tag == "use":
                continue
            ok(not parts.scheme and not parts.netloc and not parts.path.startswith("/"),
               "%s: %s is not relative" % (at, link))
            to = os.path.normpath(os.path.join(os.path.dirname(at),
                                               urllib.parse.unquote(parts.path)))
            ok(not to.startswith("..") and os.path.isfile(os.path.join(site, to)),
               "%s: %s leads nowhere" % (at, link))
            if to not in reached and to.endswith(".html"):
                queue.append(to)
            reached.add(to)
    return reached


@tap.case("an index, a page a run with its data, a page a comparison; all links within the site")
def _():
    with Box() as box:
        runs = [made(box, d, name="published/" + name(d), **SMALL) for d in (1, 2)]
        other = made(box, 3, name="published/other", option=["duration=2s"], **SMALL)
        made(box, 4, **SMALL)  # not published
        out = box.loopbench("site", "results", "--out", "out/site").expect(0).out
        has(out, "out/site/index.html: 3 runs, 1 comparison")
        site = box.at("out", "site")
        reached = check_site(site)
        page = " ".join(Page(os.path.join(site, "index.html")).text)
        for part in ("2026-02-01 12:00", "Example CPU", "libevent", "validated"):
            has(page, part)
        for run in runs + [other]:
            base = "runs/" + os.path.basename(run)
            ok(base + "/report.html" in reached, "the page of " + base)
            for file in DATA:
                ok(base + "/" + file in reached, "%s of %s is not offered" % (file, base))
                ok(filecmp.cmp(os.path.join(run, file), os.path.join(site, base, file), False),
                   "%s of %s differs" % (file, base))
        ok("comparisons/%s-%s.html" % (name(1), name(2)) in reached, reached)
        eq([n for n in os.listdir(os.path.join(site, "comparisons")) if "other" in n], [],
           "comparisons of unlike runs")
        moved = box.at("elsewhere")
        shutil.move(site, moved)
        check_site(moved)
        made_of = [n for n in tree(moved) if n.endswith((".html", ".md", ".json", ".csv"))]
        for file in made_of:
            with open(os.path.join(moved, file), encoding="utf-8") as f:
                hasnt(f.read(), box.path, file)


@tap.case("where the control was judged in some of a run's cells only, the index says in how many")
def _():
    with Box(**PLAIN) as box:
        judged_in_one(box, 1)
        made(box, 2, **SMALL)
        made(box, 3, rounds=1, levels="8")
        box.loopbench("site").expect(0)
        text = Page(box.at("site", "index.html")).text
        eq([t for t in text if t.startswith(("validated", "not "))],
           ["not judged", "validated", "validated in 1 of 3 cells"], "newest first")


@tap.case("runs of two machines that take turns are each compared with the last one of their own")
def _():
    with Box(**PLAIN) as box:
        for day in (1, 2, 3, 4):
            made(box, day, model="CPU %d" % (day % 2), **SMALL)
        has(box.loopbench("site", "results").out, "4 runs, 2 comparisons")
        pages = {n for n in os.listdir(box.at("site", "comparisons")) if n.endswith(".html")}
        eq(pages, {"%s-%s.html" % (name(a), name(b)) for a, b in ((1, 3), (2, 4))}, "comparisons")


@tap.case("runs and pairs can be chosen")
def _():
    with Box() as box:
        runs = [made(box, d, **SMALL) for d in (1, 2, 3)]
        latest(box, runs[2])
        out = box.loopbench("site", name(1), "latest").expect(0).out
        has(out, "site/index.html: 2 runs, 1 comparison")
        out = box.loopbench("site", "--compare", "%s,latest" % name(1), runs[1]).expect(0).out
        has(out, "3 runs, 1 comparison")
        eq(sorted(os.listdir(box.at("site", "comparisons"))),
           ["%s-%s.%s" % (name(1), name(3), e) for e in ("html", "md")], "comparisons")
        check_site(box.at("site"))
        # Without anything published or named, all that are whole.
        has(box.loopbench("site").expect(0).out, "3 runs, 2 comparisons")
        box.loopbench("site", "--compare", name(1)).refused(2, "no pairs")
        box.loopbench("site", "--compare", name(1) + ",latest," + name(1) + "x,latest").expect(2)
        odd = made(box, 4, option=["duration=2s"], **SMALL)
        box.loopbench("site", "--compare", name(1) + "," + os.path.basename(odd)).refused(
            2, "--duration: 1s, and 2s")
        has(box.loopbench("list").out, name(1))


@tap.case("a site is replaced whole, and left as it is when the new one fails")
def _():
    with Box(**PLAIN) as box:
        paths = [made(box, d, **SMALL) for d in (1, 2)]
        box.loopbench("site", name(1)).expect(0)
        box.loopbench("site", name(2)).expect(0)
        eq(os.listdir(box.at("site", "runs")), [name(2)], "runs of the second site")
        with open(os.path.join(paths[0], "trials.jsonl"), "r+b") as f:
            f.write(b"?")
        before = tree(box.at("site"))
        box.loopbench("site", name(1)).expect(2)
        eq(tree(box.at("site")), before, "the site after a failure")
        eq([n for n in os.listdir(box.path) if n.startswith("site")], ["site"], "left behind")


@tap.case("what is no site is never replaced")
def _():
    with Box(**PLAIN) as box:
        box.loopbench("site", made(box, 1, name="dash", **SMALL), "--out", "-").refused(2, "a site is a folder")
        made(box, 1, **SMALL)
        os.mkdir(box.at("mine"))
        box.write("mine/precious", "x")
        box.write("file", "x")
        box.loopbench("site", "--out", "mine").refused(2, "mine holds something else")
        box.loopbench("site", "--out", "file").refused(2, "not a folder")
        box.loopbench("site", "--out", "results").refused(2, "results holds something else")
        eq(os.listdir(box.at("mine")), ["precious"], "mine")
        os.mkdir(box.at("empty"))
        box.loopbench("site", "--out", "empty/").expect(0)
        box.write("empty/CNAME", "x")
        before = tree(box.at("empty"))
        box.loopbench("site", "--out", "empty").refused(2, "empty holds something else", "(CNAME)")
        eq(tree(box.at("empty")), before, "a site that somebody put a file into")
        box.loopbench("site", "--results", "none").refused(2, "no runs to publish in none")


@tap.case("names of targets and folders out to break pages come out inert")
def _():
    with Box(**PLAIN) as box:
        for day in (1, 2):
            made(box, day, name="published/<b>&\"'%d x" % day, hostile=True, **SMALL)
        box.loopbench("site", "results").expect(0)
        site = box.at("site")
        check_site(site)
        for where, _, files in os.walk(site):
            for file in files:
                if file.endswith((".html", ".md")):
                    with open(os.path.join(where, file), encoding="utf-8") as f:
                        hasnt(f.read(), "<script", file)
        has(" ".join(Page(os.path.join(site, "index.html")).text), "<script>alert(1)</script>")
        ok(not [n for n in tree(box.path) if "pwned" in n], "something was executed")


@tap.case("a link in a run's folder does not publish what it leads to")
def _():
    with Box(**PLAIN) as box:
        run = made(box, 1, **SMALL)
        secret = box.write("secret", "password")
        os.unlink(os.path.join(run, "config.ini"))
        os.symlink(secret, os.path.join(run, "config.ini"))
        box.loopbench("site", name(1)).refused(2, "not a plain file")
        os.unlink(os.path.join(run, "config.ini"))
        box.write("results/%s/notes.txt" % name(1), "password")
        box.loopbench("site", name(1)).expect(0)
        check_site(box.at("site"))
        ok("notes.txt" not in str(tree(box.at("site"))), "a foreign file was published")


@tap.case("without gnuplot there is a site all the same, and it is said")
def _():
    with Box() as box:
        made(box, 1, **SMALL)
        done = box.loopbench("site", name(1), env={"PATH": box.at("nothing")}).expect(0)
        has(done.err, "gnuplot")
        check_site(box.at("site"))


sys.exit(tap.finish())
