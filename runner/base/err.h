/* err.h — errors as one line for a person: what, where, what to do. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/* The class of an error is the program's exit status. */
enum err_class {
    ERR_NONE = 0,
    ERR_FAILED = 1,  /* a measurement or comparison says no */
    ERR_USAGE = 2,   /* the command line, a configuration or a results folder is wrong */
    ERR_MACHINE = 3, /* this machine cannot: a program, a permission, a limit is missing */
};

/* Filled by the first function that fails; text is one line without a newline. */
struct err {
    enum err_class class;
    char text[1024];
};

/* Sets *e (control characters in the text become '?', an overlong text is cut) and returns -1, so
 * that a function can `return err_set(…)`. */
int err_set(struct err *e, enum err_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text of *e, keeping its class; returns -1. */
int err_prefix(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "; what_to_do" behind the text of *e, keeping its class; returns -1. Of an overlong text the
 * end gives way. */
int err_remedy(struct err *e, const char *what_to_do);

#endif
