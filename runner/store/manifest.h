/* manifest.h — what manifest.json holds, and reading it without trusting it.
 *
 * The store adds format, format_version, run_id, started, ended, state, lines, count_lines. The
 * runner gives the rest; reports show what is there and say "not recorded" for what is not:
 *   loopbench  {version, commit, compiler, flags, server_flags}
 *   command    [argv…]                  as the user typed it
 *   options    {name: value}            every effective option
 *   plan       {profile, mode (words as in a record's, "" = none), seed (text), rounds,
 *               workloads [], connections [], warmup_us, window_us (null: requests are counted),
 *               blocks, trials}
 *   targets    [{name, base, role, server, versions {}, command [], place, url, image,
 *               image_id, guest, about, replies []}]
 *               in the order to show them; url, image, image_id, about and replies (what verify
 *               found of a server that is not ours) where they mean something
 *   left_out   [{name, reason, package}]  chosen targets that are not installed; absent: none
 *   containers {started_by, engine {version, storage_driver, cgroup, runtime}, limits {}, …} or
 *               null
 *   generator  {name, version, threads}
 *   generators [{name, version}]    of a cross-check
 *   cpus       {server, generator, note}   as lists "0-3"; note null when the split is clean
 *   machine    facts of sample/machine, nested as they come
 *   versions   {gnuplot, libuv, …}
 *   verified   true | false (skipped by --no-verify)
 *   notes      [text…]                  what could not be done or measured, and why */
#ifndef STORE_MANIFEST_H
#define STORE_MANIFEST_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"
#include "store/store.h"

#define MANIFEST_FORMAT  "loopbench-run"
#define MANIFEST_VERSION 1
#define MANIFEST_LIMIT   ((size_t)4 << 20) /* bytes; no manifest is larger */

/* The value at a dotted path ("plan.seed"), or NULL when it is missing or null. */
const json_t *manifest_at(const json_t *manifest, const char *path);

/* The text at a path; numbers and booleans are written out. Returns `fallback` when there is none.
 * The text lives in buf or in the manifest. */
const char *manifest_text(const json_t *manifest, const char *path, char *buf, size_t size,
                          const char *fallback);

/* The integer at a path, or UNKNOWN_INT. Options are recorded as text, which counts where it is
 * decimal digits and nothing else. */
int64_t manifest_int(const json_t *manifest, const char *path);

/* Parses and checks the members the store itself relies on; `file` is named in messages. Returns a
 * new reference, or NULL with *e (ERR_USAGE). */
json_t *manifest_parse(const char *text, size_t len, const char *file, enum store_state *state,
                       struct err *e);

/* The text of manifest.json, owned by the caller (free); NULL out of memory. */
char *manifest_dump(const json_t *manifest);

#endif
