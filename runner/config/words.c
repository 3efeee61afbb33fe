#include "config/words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads one word at *at into `out` (as large as the text), removing its quotes. Returns false at an
 * open quote or a trailing backslash. */
static bool words_read(const char **at, char *out) {
    char quote = '\0';
    const char *c = *at;
    for (; *c && (quote || (*c != ' ' && *c != '\t')); c++) {
        if (quote == '\0' && (*c == '\'' || *c == '"')) {
            quote = *c;
        } else if (quote != '\0' && *c == quote) {
            quote = '\0';
        } else if (*c == '\\' && quote != '\'') {
            c++;
            if (!*c) {
                return false;
            }
            *out++ = *c;
        } else {
            *out++ = *c;
        }
    }
    *out = '\0';
    *at = c;
    return quote == '\0';
}

/* Splits into `words`, which has room for WORDS_MAX and the end; `word` is scratch. */
static int words_read_all(const char *text, const char *where, char **words, char *word,
                          struct err *e) {
    size_t n = 0;
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        if (!words_read(&text, word)) {
            return err_set(e, ERR_USAGE,
                           "%s: a quote is not closed, or the line ends in a backslash (a ; after "
                           "a blank begins a comment: write \\;)",
                           where);
        }
        if (n == WORDS_MAX) {
            return err_set(e, ERR_USAGE, "%s: more than %d words; use a script", where, WORDS_MAX);
        }
        words[n] = strdup(word);
        if (!words[n++]) {
            return err_set(e, ERR_MACHINE, "%s: out of memory", where);
        }
    }
    return n > 0 ? 0 : err_set(e, ERR_USAGE, "%s: a value is missing", where);
}

int words_split(const char *text, const char *where, char ***out, struct err *e) {
    char **words = calloc(WORDS_MAX + 1, sizeof *words);
    char *word = malloc(strlen(text) + 1);
    if (!words || !word) {
        free(words);
        free(word);
        err_set(e, ERR_MACHINE, "%s: out of memory", where);
        return -1;
    }
    int rc = words_read_all(text, where, words, word, e);
    free(word);
    if (rc != 0) {
        words_free(words);
        return -1;
    }
    *out = words;
    return 0;
}

/* A backslash before everything that could mean something to words_split or the INI reader. */
static bool words_is_special(char c) {
    return strchr(" \t'\"\\;#", c) != NULL;
}

char *words_join(char *const *words) {
    size_t room = 1;
    for (size_t i = 0; words[i]; i++) {
        room += 2 * strlen(words[i]) + 3;
    }
    char *text = malloc(room);
    if (!text) {
        return NULL;
    }
    char *at = text;
    for (size_t i = 0; words[i]; i++) {
        if (i > 0) {
            *at++ = ' ';
        }
        if (!*words[i]) {
            *at++ = '\'';
            *at++ = '\'';
        }
        for (const char *c = words[i]; *c; c++) {
            if (words_is_special(*c)) {
                *at++ = '\\';
            }
            *at++ = *c;
        }
    }
    *at = '\0';
    return text;
}

int words_unquote(const char *text, const char *where, char **out, struct err *e) {
    if (*text != '"') {
        *out = strdup(text);
        return *out ? 0 : err_set(e, ERR_MACHINE, "%s: out of memory", where);
    }
    char **words;
    if (words_split(text, where, &words, e) != 0) {
        return -1;
    }
    if (words[1]) {
        words_free(words);
        return err_set(e, ERR_USAGE, "%s: something follows the closing quote; put it inside",
                       where);
    }
    *out = words[0];
    free(words);
    return 0;
}

char *words_quote(const char *text) {
    size_t len = strlen(text);
    bool safe = len > 0 && !strchr("\"\t ", text[0]) && !strchr("\t ", text[len - 1]);
    for (size_t i = 0; i + 1 < len; i++) {
        safe = safe && !(text[i + 1] == ';' && (text[i] == ' ' || text[i] == '\t'));
    }
    if (safe && text[0] != ';') {
        return strdup(text);
    }
    char *quoted = malloc(2 * len + 3);
    if (!quoted) {
        return NULL;
    }
    char *at = quoted;
    *at++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == ';') {
            *at++ = '\\';
        }
        *at++ = *text;
    }
    *at++ = '"';
    *at = '\0';
    return quoted;
}

char **words_copy(const char *const *words) {
    size_t n = 0;
    while (words[n]) {
        n++;
    }
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = strdup(words[i]);
        if (!copy[i]) {
            words_free(copy);
            return NULL;
        }
    }
    return copy;
}

void words_free(char **words) {
    for (size_t i = 0; words && words[i]; i++) {
        free(words[i]);
    }
    free(words);
}
