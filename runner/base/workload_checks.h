/* workload_checks.h — what a correct reply to each workload fulfils. */
#ifndef BASE_WORKLOAD_CHECKS_H
#define BASE_WORKLOAD_CHECKS_H

#include "base/workload.h"

#define WORKLOAD_GREETING   "Hello world!"
#define WORKLOAD_DOCUMENT   "{\"test\":1,\"data\":\"hello world\"}"
#define WORKLOAD_CONCAT_LEN 10000
#define WORKLOAD_POSTS      100

bool check_hello(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size);
/* The same document, however it is spaced and ordered. */
bool check_json(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                size_t size);
/* A whole page, UTF-8, with something beyond ASCII. */
bool check_html(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                size_t size);
/* 100 documents, newest first: whole number id, descending; author, date, content. Strict: of the
 * lengths and the alphabet that random documents have. */
bool check_posts(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size);
/* 10,000 of A-Z a-z 0-9, nearly all of them among those. */
bool check_concat(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size);
/* The Fibonacci number of the parameter; loose: with blanks around it. */
bool check_fibonacci(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                     size_t size);
/* A whole page of 100 articles, newest first, in which a script element stands escaped and none
 * unescaped. */
bool check_render(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size);
/* As many bytes as the parameter says. Strict: lines of 64 that begin with their offset. */
bool check_bytes(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                 size_t size);
/* Length and CRC-32 of what was sent. Strict: in the form of our servers. */
bool check_upload(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size);

#endif
