/* POST /upload: reads a body as it comes, keeps nothing of it, tells its length and CRC-32. */
#include "common/json.h"
#include "common/workloads.h"

#include <stdio.h>
#include <zlib.h>

static struct app_upload *upload_of(struct app_exchange *exchange) {
    if (exchange->state == NULL) {
        exchange->upload = (struct app_upload){.crc = (uint32_t)crc32(0, NULL, 0)};
        exchange->state = &exchange->upload;
    }
    return exchange->state;
}

void upload_body(struct app_exchange *exchange, const char *data, size_t len) {
    struct app_upload *upload = upload_of(exchange);
    upload->len += len;
    upload->crc = (uint32_t)crc32_z(upload->crc, (const unsigned char *)data, len);
}

enum app_when route_upload(struct app_exchange *exchange) {
    const struct app_upload *upload = upload_of(exchange);
    char crc[9];
    struct json json;
    (void)snprintf(crc, sizeof crc, "%08x", upload->crc);
    json_init(&json, exchange->worker->scratch, APP_SCRATCH);
    json_open(&json, NULL);
    json_uint(&json, "length", upload->len);
    json_str(&json, "crc32", crc);
    json_close(&json);
    return reply_from_scratch(exchange, APP_SLICE("application/json"), json_finish(&json));
}
