#include "base/hidden.h"

#include <stdint.h>
#include <string.h>

static const struct {
    uint32_t from, to;
} ranges[] = {
    {0x0080, 0x009f},   /* C1 controls: one begins the sequences that drive a terminal */
    {0x00ad, 0x00ad},   /* soft hyphen */
    {0x034f, 0x034f},   /* grapheme joiner */
    {0x061c, 0x061c},   /* Arabic letter mark */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x17b4, 0x17b5},   /* Khmer vowels that are not seen */
    {0x180b, 0x180f},   /* Mongolian selectors and separator */
    {0x200b, 0x200f},   /* no width, joiners, direction marks */
    {0x2028, 0x202e},   /* separators, embeddings, overrides */
    {0x2060, 0x206f},   /* joiner, invisible operators, isolates, deprecated marks */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xfeff, 0xfeff},   /* byte order mark */
    {0xffa0, 0xffa0},   /* halfwidth Hangul filler */
    {0xfff9, 0xfffb},   /* annotations */
    {0x1d173, 0x1d17a}, /* of musical notation */
    {0xe0000, 0xe0fff}, /* tags and selectors */
};

/* The character of two to four bytes at `text`, well formed or not; 0 when it is none. */
static uint32_t decode(const unsigned char *text, size_t *len) {
    const unsigned char first = text[0];
    *len = first >= 0xc2 && first < 0xe0 ? 2
           : (first & 0xf0) == 0xe0      ? 3
           : (first & 0xf8) == 0xf0      ? 4
                                         : 0;
    uint32_t c = *len == 0 ? 0 : first & (0x7fu >> *len);
    for (size_t i = 1; i < *len; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        c = c << 6 | (text[i] & 0x3f);
    }
    return c;
}

size_t hidden_len(const char *text) {
    size_t len;
    const uint32_t c = decode((const unsigned char *)text, &len);
    for (size_t i = 0; c && i < sizeof ranges / sizeof ranges[0]; i++) {
        if (c >= ranges[i].from && c <= ranges[i].to) {
            return len;
        }
    }
    return 0;
}

size_t hidden_replace(char *text) {
    size_t n = 0;
    for (; *text; text++) {
        const size_t len = hidden_len(text);
        if (len > 0) {
            *text = '?';
            memmove(text + 1, text + len, strlen(text + len) + 1);
            n++;
        }
    }
    return n;
}
