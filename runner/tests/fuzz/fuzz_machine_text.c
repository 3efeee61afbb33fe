/* Texts of odd kernels: the parsers must neither read nor write beyond their buffers. The input is
 * cut at its first two NULs into three texts. */
#include <stdlib.h>
#include <string.h>

#include "sample/machine_text.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *text = malloc(size + 3);
    char out[16];
    char folder[64];
    char mount[64];
    int64_t soft;
    int64_t hard;
    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    memset(text + size, 0, 3);
    const char *second = text + strlen(text) + 1;
    const char *third = second >= text + size ? text + size : second + strlen(second) + 1;
    third = third > text + size ? text + size : third;
    second = second > text + size ? text + size : second;
    if (text_value(text, second, out, sizeof out) && strlen(out) >= sizeof out) {
        abort();
    }
    if (text_number(text) < -1 || text_cpu_max(text) < 0) {
        abort();
    }
    text_marked(text, out, sizeof out);
    text_has_word(text, second);
    if (text_limit(text, second, &soft, &hard) && (soft < 0 || hard < 0)) {
        abort();
    }
    if (text_cgroup(text, second, third, folder, mount, sizeof folder) > 0 &&
        (strlen(folder) < strlen(mount) || strncmp(folder, mount, strlen(mount)) != 0)) {
        abort();
    }
    free(text);
    return 0;
}
