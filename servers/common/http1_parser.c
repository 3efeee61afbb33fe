/*
 * What llhttp calls back. llhttp keeps framing (Content-Length, chunked); here the target is
 * gathered, Host, Connection, Expect and Transfer-Encoding are looked at, limits are applied.
 *
 * Spans may come in pieces, cut where the data or our window on it ended.
 */
#include "common/http1_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct http1 *owner(llhttp_t *parser) {
    return parser->data;
}

/* Stops the parser; http1.c answers with `status`. */
static int refuse(struct http1 *http, unsigned status) {
    http->refused = (uint16_t)status;
    return -1;
}

static enum app_method map_method(uint8_t method) {
    switch (method) {
    case HTTP_GET:
        return APP_GET;
    case HTTP_HEAD:
        return APP_HEAD;
    case HTTP_POST:
        return APP_POST;
    default:
        return APP_OTHER;
    }
}

static int grow_kept(struct http1 *http, size_t need) {
    if (need <= http->kept_size) {
        return 0;
    }
    size_t size = need < 128 ? 128 : need * 2;
    size = size > APP_MAX_TARGET ? APP_MAX_TARGET : size;
    char *grown = realloc(http->kept, size);
    if (grown == NULL) {
        return -1;
    }
    if (http->target == http->kept) {
        http->target = grown;
    }
    http->kept = grown;
    http->kept_size = (uint16_t)size;
    return 0;
}

int http1_keep_target(struct http1 *http) {
    if (http->target == NULL || http->target == http->kept) {
        return 0;
    }
    if (grow_kept(http, http->target_len) != 0) {
        return -1;
    }
    memcpy(http->kept, http->target, http->target_len);
    http->target = http->kept;
    if (http->begun) {
        app_split_target(http->target, http->target_len, &http->exchange.path,
                         &http->exchange.query);
    }
    return 0;
}

static int on_method_complete(llhttp_t *parser) {
    struct app_exchange *exchange = &owner(parser)->exchange;
    exchange->method = map_method(parser->method);
    if (exchange->method == APP_OTHER) {
        exchange->method_name = llhttp_method_name((llhttp_method_t)parser->method);
    }
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t len) {
    struct http1 *http = owner(parser);
    if (len > APP_MAX_TARGET - http->target_len) {
        return refuse(http, 414);
    }
    if (http->target == NULL) {
        http->target = at;
    } else if (http->target + http->target_len != at || http->target == http->kept) {
        if (grow_kept(http, http->target_len + len) != 0) {
            return refuse(http, 503);
        }
        memcpy(http->kept + http->target_len, at, len);
    }
    http->target_len = (uint16_t)(http->target_len + len);
    return 0;
}

/* HTTP/0.9 has no headers to wait for; llhttp says so by the version before the URL's end. */
static int on_url_complete(llhttp_t *parser) {
    owner(parser)->versioned = true;
    return parser->http_minor == 9 ? refuse(owner(parser), 400) : 0;
}

static void gather(struct http1_word *word, const char *at, size_t len) {
    for (size_t i = 0; i < len; i++) {
        char c = at[i];
        bool blank = c == ' ' || c == '\t';
        if (word->len < sizeof word->text) {
            if (!blank || word->len != 0) {
                word->text[word->len++] = c;
            }
        } else if (!blank) {
            word->len = sizeof word->text + 1;
            return;
        }
    }
}

static bool word_is(const struct http1_word *word, struct app_slice known) {
    size_t len = word->len;
    if (len > sizeof word->text) {
        return false;
    }
    while (len > 0 && (word->text[len - 1] == ' ' || word->text[len - 1] == '\t')) {
        len--;
    }
    return len == known.len && strncasecmp(word->text, known.base, len) == 0;
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len) {
    struct http1 *http = owner(parser);
    /* RFC 9112 5.1: a blank in or after a name is refused, or others would read it as a framing
     * header that llhttp did not see. */
    if (memchr(at, ' ', len) != NULL) {
        return refuse(http, 400);
    }
    if (http->header != HEADER_NAME) {
        http->word.len = 0;
        http->header = HEADER_NAME;
    }
    if (http->word.len == 0 && len != 0) {
        /* Most names are ruled out by their first letter. */
        char first = (char)(*at | 0x20);
        if (first != 'h' && first != 'c' && first != 'e' && first != 't') {
            http->word.len = sizeof http->word.text + 1;
        }
    }
    if (http->word.len <= sizeof http->word.text) {
        gather(&http->word, at, len);
    }
    return 0;
}

static int on_header_field_complete(llhttp_t *parser) {
    struct http1 *http = owner(parser);
    if (http->header != HEADER_NAME || http->word.len == 0) {
        return refuse(http, 400); /* no name at all */
    }
    http->header = HEADER_OTHER;
    if (http->word.len <= sizeof http->word.text && (parser->flags & F_TRAILING) == 0) {
        /* Counted here: of an empty value there is no callback. */
        if (word_is(&http->word, APP_SLICE("host"))) {
            http->exchange.num_hosts = http->exchange.num_hosts == 0 ? 1 : 2;
        } else if (word_is(&http->word, APP_SLICE("connection"))) {
            http->header = HEADER_CONNECTION;
        } else if (word_is(&http->word, APP_SLICE("expect"))) {
            http->header = HEADER_EXPECT;
            http->expect = EXPECT_OTHER;
        } else if (word_is(&http->word, APP_SLICE("transfer-encoding"))) {
            http->header = HEADER_CODING;
            http->coding = http->coding == CODING_NONE ? CODING_OTHER : CODING_SEVERAL;
        }
    }
    http->word.len = 0;
    return 0;
}

static void end_token(struct http1 *http) {
    if (word_is(&http->word, APP_SLICE("close"))) {
        http->tokens |= APP_TOKEN_CLOSE;
    } else if (word_is(&http->word, APP_SLICE("keep-alive"))) {
        http->tokens |= APP_TOKEN_KEEP_ALIVE;
    }
    http->word.len = 0;
}

static void gather_tokens(struct http1 *http, const char *at, size_t len) {
    const char *end = at + len;
    for (const char *comma; (comma = memchr(at, ',', (size_t)(end - at))) != NULL; at = comma + 1) {
        gather(&http->word, at, (size_t)(comma - at));
        end_token(http);
    }
    gather(&http->word, at, (size_t)(end - at));
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len) {
    struct http1 *http = owner(parser);
    if (http->header == HEADER_EXPECT || http->header == HEADER_CODING) {
        gather(&http->word, at, len);
    } else if (http->header == HEADER_CONNECTION) {
        gather_tokens(http, at, len);
    }
    return 0;
}

static int on_header_value_complete(llhttp_t *parser) {
    struct http1 *http = owner(parser);
    if (http->header == HEADER_CONNECTION) {
        end_token(http);
    } else if (http->header == HEADER_EXPECT) {
        if (word_is(&http->word, APP_SLICE("100-continue"))) {
            http->expect = EXPECT_CONTINUE;
        }
    } else if (http->header == HEADER_CODING && http->coding == CODING_OTHER) {
        if (word_is(&http->word, APP_SLICE("chunked"))) {
            http->coding = CODING_CHUNKED;
        }
    }
    http->header = HEADER_OTHER;
    return 0;
}

static int on_headers_complete(llhttp_t *parser) {
    struct http1 *http = owner(parser);
    struct app_exchange *exchange = &http->exchange;
    bool sized = (parser->flags & F_CONTENT_LENGTH) != 0;
    bool coded = http->coding != CODING_NONE || (parser->flags & F_TRANSFER_ENCODING) != 0;
    if (parser->http_major != 1 || http->target == NULL) {
        return refuse(http, 400);
    }
    exchange->minor = parser->http_minor;
    /* RFC 9112 3.2 (Host) and 6.1: a coding we do not know leaves the length unknown, and one in
     * HTTP/1.0 or beside a Content-Length is how requests are smuggled. */
    if (exchange->num_hosts > 1 || (exchange->num_hosts == 0 && exchange->minor != 0) ||
        (coded && (sized || exchange->minor == 0 || http->coding != CODING_CHUNKED ||
                   (parser->flags & F_CHUNKED) == 0))) {
        return refuse(http, 400);
    }
    if ((sized || coded) && http->expect == EXPECT_OTHER) {
        return refuse(http, 417);
    }
    if (sized && parser->content_length > http->worker->max_body) {
        return refuse(http, 413);
    }
    /* No other protocol is spoken here: Upgrade is ignored, CONNECT is a method like any other. */
    parser->upgrade = 0;
    http->keep = app_keep_alive(exchange->minor, http->tokens);
    http->phase = PHASE_BODY;
    http->head_len = 0;
    app_split_target(http->target, http->target_len, &exchange->path, &exchange->query);
    app_begin(exchange);
    http->begun = true;
    if (http->expect == EXPECT_CONTINUE && (sized || coded) && exchange->minor != 0) {
        http1_put_continue(http);
    }
    return 0;
}

static int on_chunk_header(llhttp_t *parser) {
    struct http1 *http = owner(parser);
    http->quiet = false;
    return parser->content_length > http->worker->max_body - http->body_len ? refuse(http, 413) : 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len) {
    struct http1 *http = owner(parser);
    http->quiet = false;
    http->body_len += len;
    app_body(&http->exchange, at, len);
    return 0;
}

static int on_message_complete(llhttp_t *parser) {
    owner(parser)->phase = PHASE_COMPLETE;
    return HPE_PAUSED;
}

const llhttp_settings_t http1_settings = {
    .on_method_complete = on_method_complete,
    .on_url = on_url,
    .on_url_complete = on_url_complete,
    .on_header_field = on_header_field,
    .on_header_field_complete = on_header_field_complete,
    .on_header_value = on_header_value,
    .on_header_value_complete = on_header_value_complete,
    .on_headers_complete = on_headers_complete,
    .on_chunk_header = on_chunk_header,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

const char *http1_llhttp_version(void) {
#define TEXT(x)  #x
#define VALUE(x) TEXT(x)
    return VALUE(LLHTTP_VERSION_MAJOR) "." VALUE(LLHTTP_VERSION_MINOR) "." VALUE(
        LLHTTP_VERSION_PATCH);
#undef VALUE
#undef TEXT
}
