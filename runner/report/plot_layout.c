#include "report/plot_layout.h"

#include <math.h>
#include <string.h>

#define MARGIN_LEFT    84
#define PANEL_HEAD     26 /* room for the title of a panel */
#define PANEL_GAP_X    24
#define PANEL_GAP_AXIS 72 /* when every panel has its own axis */
#define ROWS_GAP_X     34
#define LEGEND_ROW     PLOT_LEGEND_ROW
#define LEGEND_CHAR    7.1 /* of the legend's font, generously */
#define LEGEND_MARK    50
#define SUBTITLE_CHAR  6.2 /* of the subtitle's font, on average */
#define SUBTITLE_ROW   15
#define TICK_CHAR      6.8
#define TICK_GAP       6

/* As wide as the text of a page on a small phone, so that letters are hardly smaller there. */
#define NARROW_WIDTH 344
#define NARROW_EDGE  8

bool plot_shows(const struct plot_frame *frame, const struct cells *c, size_t target) {
    for (size_t i = 0; i < c->level_count; i++) {
        if (cells_find(c, target, frame->plot->workload, c->levels[i])) {
            return true;
        }
    }
    return false;
}

/* The target that is the n-th of those shown, or target_count. */
static size_t nth_shown(const struct plot_frame *frame, const struct cells *c, size_t n) {
    size_t t = 0;
    for (; t < c->target_count; t++) {
        if (plot_shows(frame, c, t) && n-- == 0) {
            break;
        }
    }
    return t;
}

size_t plot_shown_count(const struct plot_frame *frame, const struct cells *c) {
    size_t n = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        n += plot_shows(frame, c, t);
    }
    return n;
}

size_t legend_count(const struct plot_frame *frame, const struct cells *c) {
    if (frame->rows > 0) {
        return 0; /* rows are named where they are */
    }
    if (!frame->plot->dots) {
        return plot_shown_count(frame, c);
    }
    return frame->panels > 1 ? frame->panels : 0;
}

size_t legend_of(const struct plot_frame *frame, const struct cells *c, size_t i) {
    return frame->plot->dots ? i : nth_shown(frame, c, i);
}

void legend_text(const struct plot_frame *frame, const struct cells *c, size_t i, char *out,
                 size_t size) {
    const size_t of = legend_of(frame, c, i);
    const char *text = frame->plot->dots ? frame->panel_title(frame, c, of) : c->targets[of].name;
    text_terminal(out, size, text, PLOT_NAME_COLUMNS, true);
}

static double chars_of(const char *text) {
    double n = 0;
    for (; *text; text += text_char_len(text)) {
        n++;
    }
    return n;
}

int legend_place(const struct plot_frame *frame, const struct cells *c, const struct canvas *canvas,
                 double *xs, int *rows) {
    const double left = canvas->narrow ? canvas->text_x : canvas->left;
    double x = left;
    int row = 0;
    for (size_t i = 0; i < legend_count(frame, c); i++) {
        char text[PLOT_TEXT_ROOM];
        legend_text(frame, c, i, text, sizeof text);
        const double width = LEGEND_MARK + LEGEND_CHAR * chars_of(text);
        if (x > left && x + width > canvas->width - canvas->right) {
            x = left;
            row++;
        }
        if (xs) {
            xs[i] = x;
            rows[i] = row;
        }
        x += width + 18;
    }
    return legend_count(frame, c) ? row + 1 : 0;
}

bool layout_next_line(const struct canvas *canvas, const char **text, char *line, size_t size) {
    const int room = (int)((canvas->width - 2.0 * canvas->text_x) / SUBTITLE_CHAR);
    const char *end = *text;
    const char *blank = NULL;
    for (int n = 0; *end && n < room; n++) {
        blank = *end == ' ' ? end : blank;
        end += text_char_len(end);
    }
    if (*end && *end != ' ' && blank && canvas->narrow) {
        end = blank;
    }
    if (!canvas->narrow) {
        end = *text + strlen(*text);
    }
    snprintf(line, size, "%.*s", (int)(end - *text), *text);
    *text = end + strspn(end, " ");
    return *line != '\0';
}

static int subtitle_lines(const struct canvas *v, const char *subtitle) {
    char line[512];
    int n = 0;
    while (layout_next_line(v, &subtitle, line, sizeof line)) {
        n++;
    }
    return n > 0 ? n : 1;
}

void layout_thin(struct axis *a, double pixels, double keep) {
    const double span = a->log ? log(a->hi / a->lo) : a->hi - a->lo;
    double place[AXIS_TICKS_MAX] = {0};
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++) {
        place[i] = pixels * (a->log ? log(a->tick[i] / a->lo) : a->tick[i] - a->lo) / span;
        kept = a->tick[i] == keep ? i : kept;
        /* At the ends there is but the margin. */
        const double beyond = chars_of(a->text[i]) * TICK_CHAR / 2 - 2 * NARROW_EDGE;
        if (place[i] < beyond || place[i] + beyond > pixels) {
            a->text[i][0] = '\0';
        }
    }
    for (int step = 1; step >= -1; step -= 2) {
        size_t last = kept;
        for (size_t i = kept + (size_t)step; i < a->count; i += (size_t)step) {
            const double room =
                (chars_of(a->text[i]) + chars_of(a->text[last])) * TICK_CHAR / 2 + TICK_GAP;
            if (a->text[i][0] && fabs(place[i] - place[last]) < room) {
                a->text[i][0] = '\0';
            } else if (a->text[i][0]) {
                last = i;
            }
        }
    }
}

static double names_margin(const struct plot_frame *frame, const struct cells *c) {
    const size_t n = frame->rows > 0 ? frame->rows : c->target_count;
    double widest = 0;
    for (size_t i = 0; i < n; i++) {
        char text[PLOT_TEXT_ROOM];
        if (frame->rows > 0) {
            frame->row_text(frame, c, i, text, sizeof text);
        } else {
            text_terminal(text, sizeof text, c->targets[i].name, PLOT_NAME_COLUMNS, true);
        }
        widest = fmax(widest, chars_of(text));
    }
    return (frame->rows > 0 ? 28 : 24) + LEGEND_CHAR * widest;
}

static void lay_rows(const struct plot_frame *frame, const struct cells *c, struct canvas *v) {
    const int n = (int)frame->panels;
    v->left = names_margin(frame, c);
    v->gap_x = ROWS_GAP_X;
    v->columns = n <= 3 ? n : n == 4 ? 2 : 3;
    v->panel_width = v->columns == 1 ? 560 : v->columns == 2 ? 380 : 280;
    v->panel_height = 10 + frame->row_height * (double)frame->rows;
}

static void lay_wide(const struct plot_frame *frame, const struct cells *c, struct canvas *v) {
    const int n = (int)frame->panels;
    v->left = MARGIN_LEFT;
    v->gap_x = frame->panel_y ? PANEL_GAP_AXIS : PANEL_GAP_X;
    v->panel_width = 700;
    v->panel_height = 340;
    if (frame->rows > 0) {
        lay_rows(frame, c, v);
    } else if (frame->plot->dots) {
        v->left = names_margin(frame, c);
        v->panel_width = 560;
        v->panel_height = 40 + 34.0 * (double)plot_shown_count(frame, c);
    } else if (n > 1) {
        v->columns = n <= 3 ? n : n == 4 ? 2 : n > 8 ? 4 : 3;
        v->panel_width = v->columns == 2 ? 440 : 330;
        v->panel_height = n <= v->columns ? 330 : 250;
    }
    v->width =
        (int)(v->left + v->columns * v->panel_width + (v->columns - 1) * v->gap_x + v->right);
}

/* Room for the texts of a vertical axis. */
static double axis_margin(const struct plot_frame *frame) {
    double widest = 0;
    for (size_t p = 0; p < (frame->panel_y ? frame->panels : 1); p++) {
        const struct axis *a = frame->panel_y ? &frame->panel_y[p] : &frame->y;
        for (size_t i = 0; i < a->count; i++) {
            widest = fmax(widest, chars_of(a->text[i]));
        }
    }
    return 14 + TICK_CHAR * widest;
}

/* One panel below the other; names of rows stand above what they name. */
static void lay_narrow(const struct plot_frame *frame, const struct cells *c, struct canvas *v) {
    const bool named = frame->rows > 0 || frame->plot->dots;
    v->width = NARROW_WIDTH;
    v->left = named ? 2.0 * NARROW_EDGE : axis_margin(frame);
    v->panel_width = v->width - v->left - v->right;
    if (frame->rows > 0) {
        v->panel_height = 10 + frame->row_height_narrow * (double)frame->rows;
    } else if (frame->plot->dots) {
        v->panel_height = 10 + 46.0 * (double)plot_shown_count(frame, c);
    } else {
        v->panel_height = frame->panels == 1 ? 250 : frame->panels <= 4 ? 180 : 150;
    }
}

struct canvas canvas_of(const struct plot_frame *frame, const struct cells *c, const char *subtitle,
                        bool narrow) {
    struct canvas v = {.columns = 1, .narrow = narrow};
    v.text_x = narrow ? NARROW_EDGE : 16;
    v.right = narrow ? 2 * NARROW_EDGE : 24;
    v.gap_y = narrow ? 68 : 60;
    if (narrow) {
        lay_narrow(frame, c, &v);
    } else {
        lay_wide(frame, c, &v);
    }
    const int panels = frame->plot->dots ? 1 : (int)frame->panels;
    v.rows = (panels + v.columns - 1) / v.columns;
    v.legend_y = 66 + (narrow ? SUBTITLE_ROW * (subtitle_lines(&v, subtitle) - 1) : 0);
    v.head = v.legend_y - 8 + LEGEND_ROW * legend_place(frame, c, &v, NULL, NULL);
    if (narrow && frame->y_label[0] && frame->rows == 0 && !frame->plot->dots) {
        v.head += PLOT_LABEL_ROW;
    }
    const double titles =
        (frame->panels > 1 && !frame->plot->dots) || frame->rows > 0 ? PANEL_HEAD : 8;
    v.height = (int)(v.head + titles + v.rows * v.panel_height + (v.rows - 1) * v.gap_y +
                     PLOT_MARGIN_BOTTOM);
    return v;
}
