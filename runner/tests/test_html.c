/* What HTML pages are made of: texts made inert, gnuplot's pictures let through or refused, axes of
 * the plots in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/doc.h"
#include "report/svg.h"
#include "report/text.h"

static char *inlined(const char *svg) {
    const struct svg_wording words = {"p7", "a \"title\" <x>", "p6-c", "wide"};
    struct err e = {0};
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    assert_non_null(f);
    const int rc = svg_inline(f, svg, strlen(svg), &words, &e);
    assert_int_equal(fclose(f), 0);
    if (rc != 0) {
        assert_int_equal(len, 0);
        assert_int_equal(e.class, ERR_USAGE);
        free(out);
        return NULL;
    }
    return out;
}

#define FRAME(inner) "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 80 48\">" inner "</svg>\n"
#define HEAD                                                                                       \
    "<svg viewBox=\"0 0 80 48\" style=\"--w:80px\" role=\"img\" class=\"wide\" "                   \
    "aria-describedby=\"p6-c\" aria-label=\"a &quot;title&quot; &lt;x&gt;\"><title>a "             \
    "&quot;title&quot; "                                                                           \
    "&lt;x&gt;</title>\n"

static void test_pictures(void **state) {
    static const struct {
        const char *in, *out; /* out: NULL = refused */
    } rows[] = {
        /* left out: gnuplot's words, what is never drawn, what a page sets itself */
        {"<title>Gnuplot</title><desc>by</desc><!-- c --><path d='M0,0'/>", "<path d=\"M0,0\"/>"},
        {"<g fill='none'><g></g>\n</g><rect x='1'/>", "<rect x=\"1\"/>"},
        {"<g><text></text></g><rect/>", "<rect/>"},
        {"<text font-family='F' onclick='x()' x='2'>a</text>", "<text x=\"2\">a</text>"},
        /* colours by name, ids with a prefix */
        {"<g color='black' stroke='rgb(  0, 114, 178)'><path fill='#FFFFFF'/></g>",
         "<g color=\"var(--ink)\" stroke=\"var(--c1)\"><path fill=\"var(--paper)\"/></g>\n"},
        {"<path fill='rgb(1,2,3)' stroke='currentColor'/>",
         "<path fill=\"#010203\" stroke=\"currentColor\"/>"},
        {"<path fill='url(x)' stroke='url(#x)' d='M0'/>", "<path d=\"M0\"/>"},
        {"<circle id='gpPt5' r='1'/><use xlink:href='#gpPt5'/>",
         "<circle id=\"p7-gpPt5\" r=\"1\"/><use href=\"#p7-gpPt5\"/>"},
        {"<use xlink:href='http://x'/><use href='#other'/>", "<use/><use/>"},
        /* texts are decoded and written anew */
        {"<text>a &lt;b&gt; &amp; &quot;c&apos;</text>",
         "<text>a &lt;b&gt; &amp; &quot;c&#39;</text>"},
        {"<text>&#60;b&unknown;</text>", "<text>&amp;#60;b&amp;unknown;</text>"},
        {"<path d='M0,0\n\tL1,1'/>", "<path d=\"M0,0\n\tL1,1\"/>"},
        /* refused */
        {"<script>x()</script>", NULL},
        {"<a href='x'><path/></a>", NULL},
        {"<image href='x'/>", NULL},
        {"<foreignObject/>", NULL},
        {"<style>x</style>", NULL},
        {"text outside", NULL},
        {"<g><path/>", NULL},
        {"<g></path>", NULL},
        {"<svg viewBox='0 0 1 1'><path/></svg>", NULL},
        {"<path d='M0' d='M1'/>", NULL},
        {"<path d=M0/>", NULL},
        {"<path d='M0", NULL},
        {"<title>never closed", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char svg[512];
        char want[768];
        snprintf(svg, sizeof svg, FRAME("%s"), rows[i].in);
        char *out = inlined(svg);
        if (!rows[i].out) {
            assert_null(out);
            continue;
        }
        snprintf(want, sizeof want, HEAD "%s</svg>\n", rows[i].out);
        assert_non_null(out);
        assert_string_equal(out, want);
        free(out);
    }
}

static void test_no_pictures(void **state) {
    static const char *const rows[] = {
        "",
        "svg",
        "<svg>",
        "<svg/>",
        "<svg viewBox='0 0 8 8'/>",
        "<svg viewBox='0 0 0 8'></svg>",
        "<svg viewBox='a'></svg>",
        "<svg></svg>",
        "<svg viewBox='0 0 8 8'></svg><svg viewBox='0 0 8 8'></svg>",
        "<g></g>",
        "</svg>",
        "<svg viewBox='0 0 8 8'><!-- never closed </svg>",
    };
    char deep[4096] = "<svg viewBox='0 0 8 8'>";
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (inlined(rows[i])) {
            fail_msg("taken: %s", rows[i]);
        }
    }
    for (size_t used = strlen(deep); used + 4 < sizeof deep; used += 3) {
        memcpy(deep + used, "<g>", 4);
    }
    assert_null(inlined(deep));
}

static void test_text(void **state) {
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"plain µ ≥", "plain µ ≥"},
        {"<a href=\"x\">'&'", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;"},
        {"a\nb\x7f\x1b[31m", "a b  [31m"},
        {"\xc2\x85 \xef\xbf\xbe \xef\xb7\x90 \xf0\x9f\xbf\xbf", "? ? ? ?"},
        {"\xff \xe2\x89 \xed\xa0\x80 \xc0\xaf", "? ?? ? ??"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *out = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&out, &len);
        assert_non_null(f);
        text_html(f, rows[i].in);
        assert_int_equal(fclose(f), 0);
        assert_string_equal(out, rows[i].out);
        free(out);
    }
}

static void test_axis_near(void **state) {
    struct axis a;
    (void)state;
    axis_near(&a, UNIT_CPU_US, 6.9, 8.4, 4);
    assert_true(a.lo < 6.9 && a.lo > 6.7 && a.hi > 8.4 && a.hi < 8.6);
    assert_false(a.log);
    assert_true(a.count >= 3 && a.count <= 6);
    assert_string_equal(a.text[0], "7");
    axis_near(&a, UNIT_PER_SECOND, 124000, 126000, 4);
    assert_string_equal(a.text[0], "124k");
    /* one value, none at all */
    axis_near(&a, UNIT_CPU_US, 7, 7, 4);
    assert_true(a.lo < 7 && a.hi > 7 && a.count >= 1);
    axis_near(&a, UNIT_CPU_US, INFINITY, -INFINITY, 4);
    assert_true(a.lo < a.hi && a.count >= 1);
    axis_near(&a, UNIT_CPU_US, 0, 0, 4);
    assert_true(a.lo < a.hi);
}

static void test_axis_ratio(void **state) {
    struct axis a;
    (void)state;
    axis_ratio(&a, 0.93, 1.12);
    assert_true(a.log && a.lo < 0.93 && a.hi > 1.12);
    bool one = false;
    for (size_t i = 0; i < a.count; i++) {
        one = one || (strcmp(a.text[i], "0") == 0 && fabs(a.tick[i] - 1) < 1e-12);
    }
    assert_true(one);
    assert_string_equal(a.text[0], "−5%");
    axis_ratio(&a, 1.2, 1.3);
    assert_true(a.lo < 1 && a.count >= 2);
    axis_ratio(&a, 0.4, 7);
    assert_string_equal(a.text[a.count - 1], "×5");
    axis_ratio(&a, 1, 1);
    assert_true(a.lo < 1 && a.hi > 1 && a.count >= 1);
}

/* The same words, both formats. */
static void test_documents(void **state) {
    static const struct doc_column columns[] = {{"who", DOC_NAME}, {"how much", DOC_NUMBER}};
    static const struct doc_row row = {.workload = "w\"", .connections = 3, .a = "<t>"};
    static const struct doc_value value = {"f", 1.5, 1, NAN};
    struct err e = {0};
    (void)state;
    for (int html = 0; html < 2; html++) {
        struct doc d;
        assert_int_equal(
            html ? doc_html(&d, ".", NULL, "T", "", &e) : doc_markdown(&d, ".", NULL, &e), 0);
        doc_whole(&d, DOC_SECTION, "here", "A & B");
        doc_begin(&d, DOC_PARAGRAPH, NULL);
        doc_name(&d, "<i>*");
        doc_see(&d, "x.md", "docs/x.md");
        doc_close(&d, DOC_PARAGRAPH);
        doc_table(&d, "Caption", columns, 2);
        doc_row(&d, &row);
        doc_cell(&d);
        doc_name(&d, row.a);
        doc_cell_value(&d, &value);
        doc_say(&d, "%.1f", value.value);
        doc_interval(&d, "[%d]", 1);
        doc_row_end(&d);
        doc_table_end(&d);
        assert_int_equal(fflush(d.t.f), 0);
        if (html) {
            assert_non_null(strstr(d.t.data, "<h2 id=\"here\">A &amp; B</h2>\n"
                                             "<p>&lt;i&gt;*docs/x.md</p>\n"));
            assert_non_null(strstr(d.t.data, "<th scope=\"col\">who</th>"
                                             "<th scope=\"col\" class=\"n\">how much</th>"));
            assert_non_null(strstr(d.t.data,
                                   "<tr data-workload=\"w&quot;\" data-connections=\"3\" "
                                   "data-target=\"&lt;t&gt;\"><th scope=\"row\">&lt;t&gt;</th>"
                                   "<td class=\"n\" data-figure=\"f\" data-value=\"1.5\" "
                                   "data-lo=\"1\">1.5 <span class=\"i\">[1]</span></td></tr>"));
        } else {
            assert_non_null(strstr(d.t.data, "## A & B\n\n&lt;i&gt;\\*docs/x.md\n\n"
                                             "| who | how much |\n|---|--:|\n"
                                             "| &lt;t&gt; | 1.5 [1] |\n\n"));
        }
        doc_drop(&d);
    }
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),   cmocka_unit_test(test_no_pictures),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_axis_near),
        cmocka_unit_test(test_axis_ratio), cmocka_unit_test(test_documents),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
