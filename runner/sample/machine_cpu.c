/* Processors: what they are, how they are clocked, and who may be underneath. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/file.h"
#include "sample/machine_parts.h"
#include "sample/machine_text.h"

#define CPUINFO_MAX ((size_t)64 * 1024) /* the first processors say it all */
#define CPU_FOLDER  "/sys/devices/system/cpu"

static bool read_set(const char *root, const char *path, cpu_set_t *out) {
    char text[CPUS_TEXT_SIZE];
    struct err e;
    return machine_text(root, path, text, sizeof text) && cpus_parse(text, path, out, &e) == 0;
}

/* Sockets, cores and threads of the CPUs on-line. */
static void read_topology(const char *root, struct machine_cpu *cpu) {
    cpu_set_t online;
    cpu_set_t packages;
    cpu_set_t cores;
    bool known = true;
    CPU_ZERO(&packages);
    CPU_ZERO(&cores);
    if (!read_set(root, CPU_FOLDER "/online", &online)) {
        return;
    }
    cpu->threads = CPU_COUNT(&online);
    for (int n = 0; n < CPU_SETSIZE && known; n++) {
        char path[128];
        cpu_set_t siblings;
        if (!CPU_ISSET((size_t)n, &online)) {
            continue;
        }
        snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/topology/thread_siblings_list", n);
        known = read_set(root, path, &siblings);
        if (known) { /* a core is known by the first of its threads */
            int first = 0;
            while (!CPU_ISSET((size_t)first, &siblings)) {
                first++;
            }
            CPU_SET((size_t)first, &cores);
        }
        snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/topology/physical_package_id", n);
        int64_t package = machine_number(root, path);
        if (package >= 0 && package < CPU_SETSIZE) {
            CPU_SET((size_t)package, &packages);
        }
    }
    cpu->sockets = CPU_COUNT(&packages) > 0 ? CPU_COUNT(&packages) : MACHINE_UNKNOWN;
    cpu->cores = known && CPU_COUNT(&cores) > 0 ? CPU_COUNT(&cores) : MACHINE_UNKNOWN;
    cpu->threads_per_core = cpu->cores > 0 ? cpu->threads / cpu->cores : MACHINE_UNKNOWN;
}

/* Adds a word to a comma-separated list that has it not yet. */
static void add_word(char *list, size_t size, const char *word) {
    size_t used = strlen(list);
    size_t n = strlen(word);
    for (const char *at = strstr(list, word); at && n > 0; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ',')) {
            return;
        }
    }
    snprintf(list + used, size - used, "%s%s", used ? "," : "", word);
}

static void read_clocking(const char *root, struct machine_cpu *cpu) {
    for (int n = 0; n < CPU_SETSIZE; n++) {
        char path[128];
        char word[MACHINE_TEXT];
        snprintf(path, sizeof path, CPU_FOLDER "/cpu%d/cpufreq/scaling_governor", n);
        if (machine_text(root, path, word, sizeof word)) {
            add_word(cpu->governor, sizeof cpu->governor, word);
        }
    }
    machine_text(root, CPU_FOLDER "/cpu0/cpufreq/scaling_driver", cpu->driver, sizeof cpu->driver);
    cpu->min_khz = machine_number(root, CPU_FOLDER "/cpu0/cpufreq/scaling_min_freq");
    cpu->max_khz = machine_number(root, CPU_FOLDER "/cpu0/cpufreq/scaling_max_freq");
    cpu->boost = machine_number(root, CPU_FOLDER "/cpufreq/boost");
    if (cpu->boost < 0) {
        int64_t off = machine_number(root, CPU_FOLDER "/intel_pstate/no_turbo");
        cpu->boost = off < 0 ? MACHINE_UNKNOWN : off == 0;
    }
}

/* /proc/cpuinfo into a new buffer, or NULL. */
static char *read_cpuinfo(const char *root) {
    char path[1024];
    char *text = malloc(CPUINFO_MAX);
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    if (text && file_read_small(path, text, CPUINFO_MAX) <= 0) {
        free(text);
        return NULL;
    }
    return text;
}

void machine_read_cpu(const char *root, struct machine_cpu *cpu) {
    static const char *const names[] = {"model name", "cpu model", "Model", "Hardware", "uarch"};
    char status[8192];
    char *cpuinfo = read_cpuinfo(root);
    *cpu = (struct machine_cpu){
        .sockets = MACHINE_UNKNOWN,
        .cores = MACHINE_UNKNOWN,
        .threads = MACHINE_UNKNOWN,
        .threads_per_core = MACHINE_UNKNOWN,
        .boost = MACHINE_UNKNOWN,
        .allowed_count = MACHINE_UNKNOWN,
    };
    for (size_t i = 0; cpuinfo && !cpu->model[0] && i < sizeof names / sizeof names[0]; i++) {
        text_value(cpuinfo, names[i], cpu->model, sizeof cpu->model);
    }
    free(cpuinfo);
    read_topology(root, cpu);
    read_clocking(root, cpu);
    cpu->smt = machine_number(root, CPU_FOLDER "/smt/active");
    if (cpu->smt < 0 && cpu->threads_per_core > 0) {
        cpu->smt = cpu->threads_per_core > 1;
    }
    if (machine_text(root, "/proc/self/status", status, sizeof status) &&
        text_value(status, "Cpus_allowed_list", cpu->allowed, sizeof cpu->allowed)) {
        cpu_set_t set;
        struct err e;
        cpu->allowed_count =
            cpus_parse(cpu->allowed, "", &set, &e) == 0 ? CPU_COUNT(&set) : MACHINE_UNKNOWN;
    }
}

/* Who makes the virtual hardware, as its firmware names itself. */
static const char *hypervisor_of(const char *vendor, const char *product) {
    static const struct {
        const char *vendor, *product, *name;
    } known[] = {
        {"QEMU", "", "kvm"},
        {"Amazon EC2", "", "kvm"},
        {"Google", "Google Compute Engine", "kvm"},
        {"DigitalOcean", "", "kvm"},
        {"Hetzner", "", "kvm"},
        {"OpenStack", "", "kvm"},
        {"Red Hat", "KVM", "kvm"},
        {"VMware", "", "vmware"},
        {"innotek", "", "virtualbox"},
        {"Oracle", "VirtualBox", "virtualbox"},
        {"Microsoft", "Virtual Machine", "microsoft"},
        {"Xen", "", "xen"},
        {"Parallels", "", "parallels"},
        {"Apple", "Virtualization", "apple"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strstr(vendor, known[i].vendor) && strstr(product, known[i].product)) {
            return known[i].name;
        }
    }
    return "";
}

void machine_read_virt(const char *root, struct machine_virt *virt) {
    char *cpuinfo = read_cpuinfo(root);
    char text[4096];
    *virt = (struct machine_virt){.virtualised = MACHINE_UNKNOWN, .container = 0};
    machine_text(root, "/sys/class/dmi/id/sys_vendor", virt->vendor, sizeof virt->vendor);
    machine_text(root, "/sys/class/dmi/id/product_name", virt->product, sizeof virt->product);
    snprintf(virt->hypervisor, sizeof virt->hypervisor, "%s",
             hypervisor_of(virt->vendor, virt->product));
    if (cpuinfo && text_value(cpuinfo, "flags", text, sizeof text)) {
        virt->virtualised = text_has_word(text, "hypervisor");
        if (!virt->virtualised) { /* a cloud's bare metal carries its vendor's name, too */
            virt->hypervisor[0] = '\0';
        }
    } else if (virt->hypervisor[0]) {
        virt->virtualised = 1;
    }
    if (virt->virtualised == 1 && !virt->hypervisor[0] &&
        !machine_text(root, "/sys/hypervisor/type", virt->hypervisor, sizeof virt->hypervisor) &&
        machine_text(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
                     text, sizeof text)) {
        /* No firmware tables: the clock a hypervisor offers tells it. */
        snprintf(virt->hypervisor, sizeof virt->hypervisor, "%s",
                 text_has_word(text, "kvm-clock")     ? "kvm"
                 : strstr(text, "hyperv_clocksource") ? "microsoft"
                 : text_has_word(text, "xen")         ? "xen"
                                                      : "");
    }
    free(cpuinfo);
    static const char *const marks[] = {"/.dockerenv", "/run/.containerenv",
                                        "/run/systemd/container"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        snprintf(text, sizeof text, "%s%s", root, marks[i]);
        virt->container = virt->container || file_exists(text);
    }
}
