/* What of the machine and the configuration a run warns of, from manifests made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "report/conditions.h"

/* Of a machine on which nothing hurts. */
#define CALM                                                                                       \
    "{\"plan\": {\"connections\": [10, 1000]}, \"options\": {\"backlog\": \"0\"},"                 \
    " \"cpus\": {\"server\": \"1\", \"generator\": \"0\", \"note\": null, \"disjoint\": true,"     \
    " \"shares_core\": false},"                                                                    \
    " \"machine\": {\"load1\": 0.4, \"cpu\": {\"threads\": 2, \"governor\": \"performance\","      \
    " \"boost\": false}, \"memory\": {\"thp\": \"madvise\"},"                                      \
    " \"kernel\": {\"aslr\": 2, \"clocksource\": \"tsc\"}, \"cgroup\": {\"cpu_quota\": \"max\"},"  \
    " \"limits\": {\"somaxconn\": 4096, \"tcp_max_syn_backlog\": 2048}}}"

static json_t *calm(void) {
    json_t *m = json_loads(CALM, 0, NULL);
    assert_non_null(m);
    return m;
}

static void expect(json_t *m, const char *const texts[]) {
    struct condition found[CONDITIONS_MAX];
    const size_t n = conditions_read(m, found);
    size_t i = 0;
    for (; texts[i]; i++) {
        char text[CONDITION_TEXT_MAX] = "";
        if (i < n) {
            condition_text(&found[i], text, sizeof text);
        }
        if (!strstr(text, texts[i])) {
            fail_msg("'%s' does not say '%s'", text, texts[i]);
        }
        assert_null(strchr(text, '\n'));
    }
    assert_int_equal(n, i);
    json_decref(m);
}

static void a_calm_machine_warns_of_nothing(void **state) {
    (void)state;
    expect(calm(), (const char *const[]){NULL});
}

static void what_is_not_recorded_warns_of_nothing(void **state) {
    (void)state;
    expect(json_object(), (const char *const[]){NULL});
    expect(json_pack("{s:{s:n, s:{s:n}}, s:{s:s}}", "machine", "load1", "limits", "somaxconn",
                     "options", "backlog", "1"),
           (const char *const[]){NULL});
}

static void a_short_listen_queue(void **state) {
    json_t *m = calm();
    (void)state;
    json_object_set_new(json_object_get(m, "options"), "backlog", json_string("1"));
    expect(m, (const char *const[]){
                  "backlog: a listen queue of 1 for 1000 connections (--backlog 1, "
                  "net.core.somaxconn 4096, net.ipv4.tcp_max_syn_backlog 2048); connecting all at "
                  "once may overflow the listen queue; remedy: give a larger --backlog, or none",
                  NULL});
    m = calm();
    json_object_set_new(json_object_get(json_object_get(m, "machine"), "limits"),
                        "tcp_max_syn_backlog", json_integer(128));
    expect(m, (const char *const[]){"a listen queue of 128 for 1000 connections (net.core", NULL});
}

static void all_at_once(void **state) {
    (void)state;
    expect(json_pack("{s:{s:s, s:s, s:s, s:b, s:b}, s:{s:f, s:{s:i, s:s, s:b}, s:{s:s}, "
                     "s:{s:i, s:s}, s:{s:f}}}",
                     "cpus", "server", "3", "generator", "3", "note",
                     "server and load generator "
                     "share CPUs",
                     "disjoint", 0, "shares_core", 1, "machine", "load1", 1.5, "cpu", "threads", 2,
                     "governor", "powersave", "boost", 1, "memory", "thp", "always", "kernel",
                     "aslr", 0, "clocksource", "hpet", "cgroup", "cpu_quota", 1.5),
           (const char *const[]){
               "load: a load average of 1.50 on 2 CPUs when the run began; something else",
               "pinning: the server is on CPU 3, the load generator on CPU 3; they then take",
               "governor: the frequency governor is powersave; ",
               "boost: the CPU may boost its clock; ",
               "thp: transparent huge pages are always on; ",
               "aslr: address space randomisation is off; ",
               "clocksource: the kernel's clock is hpet; ",
               "quota: a cgroup limits us to 1.50 CPUs; ",
               NULL,
           });
}

static void cpus_shared_in_part(void **state) {
    json_t *m = calm();
    (void)state;
    json_object_set_new(json_object_get(m, "cpus"), "shares_core", json_true());
    json_object_set_new(json_object_get(m, "cpus"), "note", json_string("a core (SMT)"));
    expect(m, (const char *const[]){
                  "smt: the server on CPU 1 and the load generator on CPU 0 share a core; siblings",
                  NULL});
    m = calm();
    json_object_set_new(json_object_get(m, "cpus"), "note",
                        json_string("fewer CPUs than server workers"));
    expect(m, (const char *const[]){"cpus: fewer CPUs than server workers (server 1, load "
                                    "generator 0); threads that share a CPU wait for each other",
                                    NULL});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_calm_machine_warns_of_nothing),
        cmocka_unit_test(what_is_not_recorded_warns_of_nothing),
        cmocka_unit_test(a_short_listen_queue),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(cpus_shared_in_part),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("conditions", tests, NULL, NULL);
}
