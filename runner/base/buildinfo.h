/* buildinfo.h — what this binary is, for manifests and `loopbench version`. */
#ifndef BASE_BUILDINFO_H
#define BASE_BUILDINFO_H

struct buildinfo {
    const char *version;      /* of loopbench */
    const char *commit;       /* git commit, "-dirty" appended where the tree was changed */
    const char *compiler;     /* first line of cc --version */
    const char *flags;        /* CFLAGS of the runner */
    const char *server_flags; /* added for the servers */
    const char *prefix;       /* where `make install` puts things */
};

const struct buildinfo *buildinfo_get(void);

#endif
