/* GET /render: a page of 100 posts, sorted and rendered for each request. */
#include "common/page.h"
#include "common/random.h"
#include "common/workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSTS = 100, AUTHOR_LEN = 16, CONTENT_LEN = 160, CONTENT_SIZE = 224 };

struct post {
    unsigned id;
    char author[AUTHOR_LEN + 1];
    char date[32];
    char content[CONTENT_SIZE];
};

enum field { TITLE, COUNT, ID, AUTHOR, DATE, CONTENT };
static const char *const names[] = {"title", "count", "id", "author", "date", "content"};

static const char template_text[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head><meta charset=\"utf-8\"><title>{{title}}</title></head>\n"
    "<body>\n"
    "<h1>{{title}}</h1>\n"
    "<p>{{count}} posts, newest first</p>\n"
    "{{#rows}}<article id=\"post-{{id}}\">\n"
    "<h2>{{author}}</h2>\n"
    "<time datetime=\"{{date}}\">{{date}}</time>\n"
    "<p>{{content}}</p>\n"
    "</article>\n"
    "{{/rows}}</body>\n"
    "</html>\n";

/* What some posts contain besides letters. */
static const char *const endings[] = {
    " <b>bold</b> & \"quoted\"",
    " <script>alert(\"it's me\");</script>",
    " Příliš žluťoučký kůň",
    " 1 < 2 && 'a' > 'b'",
};

static struct page page;
static struct post posts[POSTS];

/* The same posts in every process, in no order: the seed is fixed. */
static void make_posts(void) {
    struct random random = {.state = 2012};
    for (unsigned i = 0; i < POSTS; i++) {
        struct post *post = &posts[i];
        uint64_t when = random_next(&random);
        const char *ending = i % 25 == 7 ? endings[i / 25] : "";
        char content[CONTENT_LEN + 1];
        post->id = i + 1;
        random_text(&random, post->author, AUTHOR_LEN);
        random_text(&random, content, CONTENT_LEN);
        content[CONTENT_LEN] = '\0';
        (void)snprintf(post->content, sizeof post->content, "%s%s", content, ending);
        (void)snprintf(post->date, sizeof post->date, "2012-%02u-%02uT%02u:%02u:%02uZ",
                       (unsigned)(when % 12) + 1, (unsigned)(when >> 8) % 28 + 1,
                       (unsigned)(when >> 16) % 24, (unsigned)(when >> 24) % 60,
                       (unsigned)(when >> 32) % 60);
    }
}

int render_prepare(void) {
    make_posts();
    return page_parse(&page, template_text, names, sizeof names / sizeof names[0]);
}

/* Newest first; of two of the same second the later id. */
static int compare(const void *a, const void *b) {
    const struct post *one = &posts[*(const unsigned char *)a];
    const struct post *two = &posts[*(const unsigned char *)b];
    int order = strcmp(two->date, one->date);
    return order != 0 ? order : (one->id < two->id) - (one->id > two->id);
}

static struct app_slice text_of(const char *text) {
    return (struct app_slice){text, strlen(text)};
}

struct rendering {
    unsigned char order[POSTS]; /* indices of posts */
    char number[16];
};

static struct app_slice number_of(struct rendering *rendering, unsigned number) {
    int len = snprintf(rendering->number, sizeof rendering->number, "%u", number);
    return (struct app_slice){rendering->number, (size_t)len};
}

static struct app_slice value_of(void *data, int field, int row) {
    struct rendering *rendering = data;
    const struct post *post = &posts[rendering->order[row < 0 ? 0 : row]];
    switch ((enum field)field) {
    case TITLE:
        return APP_SLICE("Posts & replies");
    case COUNT:
        return number_of(rendering, POSTS);
    case ID:
        return number_of(rendering, post->id);
    case AUTHOR:
        return text_of(post->author);
    case DATE:
        return text_of(post->date);
    case CONTENT:
        return text_of(post->content);
    }
    return APP_SLICE("");
}

enum app_when route_render(struct app_exchange *exchange) {
    struct rendering rendering;
    struct text text = {0};
    for (size_t i = 0; i < POSTS; i++) {
        rendering.order[i] = (unsigned char)i;
    }
    qsort(rendering.order, POSTS, sizeof rendering.order[0], compare);
    page_render(&page, &text, POSTS, value_of, &rendering);
    return reply_with_text(exchange, APP_SLICE("text/html; charset=utf-8"), &text);
}
