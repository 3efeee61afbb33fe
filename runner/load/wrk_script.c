#include "load/wrk_script.h"

#include <inttypes.h>
#include <stdlib.h>

#include "load/request.h"

/* wrk gives every thread a Lua state of its own and calls setup() and done() in one more, so what
 * the threads know is fetched from their states at the end.
 *
 * wrk.format is replaced rather than request() defined: the request then stays static, which costs
 * nothing per request, and its bytes are exactly ours, in our order. wrk counts the requests in it:
 * several make a pipeline. */
static const char script_base[] =
    "\n"
    "request_bytes = request_bytes:rep(depth)\n"
    "wrk.format = function() return request_bytes end\n"
    "\n"
    "local threads = {}\n"
    "idle_us = 0\n"
    "\n"
    "function setup(thread)\n"
    "   threads[#threads + 1] = thread\n"
    "   thread:set(\"thread_number\", #threads)\n"
    "end\n"
    "\n"
    "function init(args)\n"
    "   result_file, phase, wanted_us = args[1], args[2], tonumber(args[3])\n"
    "   if begin then begin() end\n"
    "end\n"
    "\n";

/* For what needs a clock: LuaJIT's ffi, which every wrk has. */
static const char script_clock[] = "local ffi = require(\"ffi\")\n"
                                   "ffi.cdef [[\n"
                                   "   typedef struct { long s, ns; } loopbench_time;\n"
                                   "   int clock_gettime(int, loopbench_time *);\n"
                                   "]]\n"
                                   "local time = ffi.new(\"loopbench_time\")\n"
                                   "\n"
                                   "-- CLOCK_MONOTONIC in µs.\n"
                                   "local function clock_us()\n"
                                   "   ffi.C.clock_gettime(1, time)\n"
                                   "   return tonumber(time.s) * 1e6 + tonumber(time.ns) / 1e3\n"
                                   "end\n"
                                   "\n";

/* Counts requests. request() costs a call into Lua for each, response() would cost several times
 * that: wrk then collects every header and body for it. So the end is seen in request(), by wrk's
 * own count of replies (struct thread in src/wrk.h, the same in wrk 4.1 and 4.2), one turn of its
 * loop after the last reply. */
static const char script_count[] =
    "ffi.cdef [[\n"
    "   typedef struct {\n"
    "      unsigned long id;\n"
    "      void *loop, *addr;\n"
    "      uint64_t connections, complete, requests, bytes, start;\n"
    "      void *lua;\n"
    "      struct { uint32_t connect, read, write, status, timeout; } errors;\n"
    "   } loopbench_thread;\n"
    "]]\n"
    "local me, rehearsal, over\n"
    "local batches, sent, told_us = 0, 0, 0\n"
    "\n"
    "local function tell(what)\n"
    "   io.stdout:write(\"loopbench: \", what, \"\\n\")\n"
    "   io.stdout:flush()\n"
    "end\n"
    "\n"
    "-- A part of the batches for each thread. wrk parses the first thread's request once before "
    "it\n"
    "-- starts, which sends nothing.\n"
    "function begin()\n"
    "   local all, n = total / depth, thread_count\n"
    "   batches = math.floor(all / n) + (thread_number <= all % n and 1 or 0)\n"
    "   me = ffi.cast(\"loopbench_thread **\", wrk.thread)[0]\n"
    "   if tonumber(me.connections) ~= share or tonumber(me.complete) ~= 0 then\n"
    "      error(\"this build of wrk cannot count requests: install wrk 4.1 or 4.2\")\n"
    "   end\n"
    "   rehearsal = thread_number == 1\n"
    "end\n"
    "\n"
    "-- Ends this thread when each of its requests was answered or lost its connection.\n"
    "local function look(now)\n"
    "   if over or sent < batches then return end\n"
    "   local lost = me.errors.read + me.errors.write\n"
    "   if tonumber(me.complete) + lost * depth >= batches * depth then\n"
    "      over, last_us = true, now\n"
    "      wrk.thread:stop()\n"
    "      tell(\"done\")\n"
    "   end\n"
    "end\n"
    "\n"
    "-- Called when a connection is free: at first, and as soon as its last reply is in. An empty "
    "request\n"
    "-- leaves it idle.\n"
    "function request()\n"
    "   if rehearsal then rehearsal = false return request_bytes end\n"
    "   local now = clock_us()\n"
    "   first_us = first_us or now\n"
    "   if now - told_us >= 1e6 then\n"
    "      told_us = now\n"
    "      tell(\"busy\")\n"
    "   end\n"
    "   if sent < batches then\n"
    "      sent = sent + 1\n"
    "      return request_bytes\n"
    "   end\n"
    "   look(now)\n"
    "   return \"\"\n"
    "end\n"
    "\n";

static const char script_respond[] =
    "-- Here request() comes late: a connection is made before it.\n"
    "function response() look(clock_us()) end\n"
    "\n";

static const char script_think[] =
    "local begin_us\n"
    "local thoughts = 0\n"
    "\n"
    "-- Whole ms; what lies beyond the end of the window is not idleness within it. The same "
    "numbers in\n"
    "-- every trial.\n"
    "function delay()\n"
    "   local now = clock_us()\n"
    "   local ms = math.random(think_min, think_max)\n"
    "   if look and sent >= batches then\n"
    "      look(now)\n"
    "      return ms\n"
    "   end\n"
    "   begin_us = begin_us or now\n"
    "   thoughts = thoughts + 1\n"
    "   local left = look and math.huge or begin_us + wanted_us - now\n"
    "   if not look or thoughts <= batches then\n"
    "      idle_us = idle_us + math.max(0, math.min(ms * 1000, left))\n"
    "   end\n"
    "   return ms\n"
    "end\n"
    "\n"
    "local begin_counting = begin\n"
    "function begin()\n"
    "   math.randomseed(thread_number)\n"
    "   if begin_counting then begin_counting() end\n"
    "end\n"
    "\n";

/* latency(i) searches from the start at every call: most of a second for 36,000 distinct values
 * below 80 ms, and worse the wider they are spread. So the counts are read straight from wrk's
 * memory where LuaJIT's ffi is there and the layout of wrk 4.1 and 4.2 (src/stats.h) is recognised
 * by everything the safe interface tells as well; the slow way remains for all else. */
static const char script_walk[] =
    "-- Calls each(value, count) in ascending order.\n"
    "local function walk_slowly(latency, each)\n"
    "   for i = 1, #latency do\n"
    "      each(latency(i))\n"
    "   end\n"
    "end\n"
    "\n"
    "-- wrk's own counters, or nil where they are not what we know.\n"
    "local function counters(latency)\n"
    "   local found, ffi = pcall(require, \"ffi\")\n"
    "   if not found then return nil end\n"
    "   ffi.cdef [[\n"
    "      typedef struct { uint64_t count, limit, min, max, data[]; } loopbench_stats;\n"
    "   ]]\n"
    "   local stats = ffi.cast(\"loopbench_stats **\", latency)[0]\n"
    "   local min, max = tonumber(stats.min), tonumber(stats.max)\n"
    "   if min ~= latency.min or max ~= latency.max or max >= tonumber(stats.limit) then\n"
    "      return nil\n"
    "   end\n"
    "   local distinct = 0\n"
    "   for value = min, max do\n"
    "      if stats.data[value] ~= 0 then distinct = distinct + 1 end\n"
    "   end\n"
    "   local value, count = latency(1)\n"
    "   if distinct ~= #latency or value ~= min or count ~= tonumber(stats.data[min]) then\n"
    "      return nil\n"
    "   end\n"
    "   return stats, min, max\n"
    "end\n"
    "\n"
    "local function walk(latency, each)\n"
    "   local known, stats, min, max = pcall(counters, latency)\n"
    "   if not known or not stats then return walk_slowly(latency, each) end\n"
    "   for value = min, max do\n"
    "      local count = stats.data[value]\n"
    "      if count ~= 0 then each(value, tonumber(count)) end\n"
    "   end\n"
    "end\n"
    "\n";

/* wrk's sockets stay open until it exits, so the kernel can be asked, once the window is over, when
 * each last received something (struct tcp_info, which only ever grows at its end). The threads
 * stop up to 100 ms after the window's end, hence the youngest reply is what counts as its end; of
 * a server that fell silent altogether, no more than 250 ms is put down to that. About 1 ms of CPU
 * for 500 connections, after the window. */
static const char script_silent[] =
    "-- How many connections received nothing in the last half of the window; nil where the kernel "
    "does\n"
    "-- not say.\n"
    "function silent_connections(wanted_ms)\n"
    "   local ffi = require(\"ffi\")\n"
    "   ffi.cdef [[\n"
    "      typedef struct {\n"
    "         uint8_t state[8];\n"
    "         uint32_t rto[9], last_data_sent, last_ack_sent, last_data_received, rest[128];\n"
    "      } loopbench_tcp_info;\n"
    "      int getsockopt(int, int, int, void *, unsigned *);\n"
    "   ]]\n"
    "   local info, size = ffi.new(\"loopbench_tcp_info\"), ffi.new(\"unsigned[1]\")\n"
    "   local all, ages, newest = connections, {}, 250\n"
    "   for fd = 3, all + 1024 do\n"
    "      size[0] = ffi.sizeof(info)\n"
    "      if ffi.C.getsockopt(fd, 6, 11, info, size) == 0 and size[0] >= 104 then\n"
    "         local age = info.last_data_received\n"
    "         ages[#ages + 1] = age\n"
    "         newest = math.min(newest, age)\n"
    "      end\n"
    "   end\n"
    "   if #ages == 0 or #ages > all then return nil end\n"
    "   local silent = 0\n"
    "   for _, age in ipairs(ages) do\n"
    "      if age - newest >= wanted_ms / 2 then silent = silent + 1 end\n"
    "   end\n"
    "   return silent\n"
    "end\n"
    "\n";

static const char script_done[] =
    "-- From the first request of any thread to the last reply of any; wrk's own time where "
    "nothing was\n"
    "-- counted to the end.\n"
    "local function elapsed(summary)\n"
    "   local first, last = math.huge, 0\n"
    "   for _, thread in ipairs(threads) do\n"
    "      local from, to = thread:get(\"first_us\"), thread:get(\"last_us\")\n"
    "      if not from or not to then return summary.duration end\n"
    "      first, last = math.min(first, from), math.max(last, to)\n"
    "   end\n"
    "   return last - first\n"
    "end\n"
    "\n"
    "function done(summary, latency)\n"
    "   local out = assert(io.open(threads[1]:get(\"result_file\"), \"w\"))\n"
    "   local lines, n, idle = {}, 0, 0\n"
    "   local function say(format, ...)\n"
    "      n = n + 1\n"
    "      lines[n] = string.format(format, ...)\n"
    "   end\n"
    "   for _, thread in ipairs(threads) do idle = idle + thread:get(\"idle_us\") end\n"
    "   local looked, silent\n"
    "   if silent_connections then\n"
    "      looked, silent = pcall(silent_connections, threads[1]:get(\"wanted_us\") / 1000)\n"
    "   end\n"
    "   say(\"loopbench-wrk 2\")\n"
    "   say(\"wall %.0f\", summary.duration)\n"
    "   say(\"duration %.0f\", elapsed(summary))\n"
    "   say(\"idle %.0f\", idle)\n"
    "   for _, name in ipairs { \"requests\", \"bytes\" } do\n"
    "      say(\"%s %.0f\", name, summary[name])\n"
    "   end\n"
    "   for _, name in ipairs { \"connect\", \"read\", \"write\", \"timeout\", \"status\" } do\n"
    "      say(\"%s %.0f\", name, summary.errors[name])\n"
    "   end\n"
    "   if looked and silent then say(\"silent %d\", silent) end\n"
    "   if threads[1]:get(\"phase\") == \"window\" and #latency > 0 then\n"
    "      walk(latency, function(value, count) say(\"%.0f,%.0f\", value, count) end)\n"
    "   end\n"
    "   say(\"end %d\", n)\n"
    "   assert(out:write(table.concat(lines, \"\\n\"), \"\\n\"))\n"
    "   assert(out:close())\n"
    "end\n";

static void script_write_mode(FILE *out, const struct load_spec *spec) {
    const struct mode *m = &spec->mode;
    bool counts = m->requests > 0 && spec->phase == LOAD_WINDOW;
    bool thinks = m->think_max_ms > 0;
    fprintf(out,
            "local total, depth, share, think_min, think_max = %" PRId64 ", %d, %d, %" PRId64
            ", %" PRId64 "\n"
            "local thread_count = %d\n"
            "local connections = %d\n"
            "local silent_connections\n",
            counts ? m->requests : 0, m->pipeline > 1 ? m->pipeline : 1,
            spec->connections / spec->threads, m->think_min_ms, m->think_max_ms, spec->threads,
            spec->connections);
    fputs(script_base, out);
    fputs(counts || thinks ? script_clock : "", out);
    fputs(counts ? script_count : thinks ? "local look, sent, batches\n\n" : "", out);
    fputs(counts && m->close ? script_respond : "", out);
    fputs(thinks ? script_think : "", out);
    fputs(script_walk, out);
    /* A connection that thinks, or has had its share of the requests, may well be silent. */
    fputs(spec->phase == LOAD_WINDOW && !counts && !thinks && !m->close ? script_silent : "", out);
    fputs(script_done, out);
}

int wrk_script_write(FILE *out, const struct load_spec *spec, struct err *e) {
    char *bytes = NULL;
    size_t len = 0;
    struct load_request request = spec->request;
    size_t depth = spec->mode.pipeline > 1 ? (size_t)spec->mode.pipeline : 1;
    FILE *whole = open_memstream(&bytes, &len);
    if (!whole) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    request.close = request.close || spec->mode.close;
    int rc = request_write(whole, &request, spec->host, spec->port, e);
    if (fclose(whole) != 0 && rc == 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    if (rc == 0 && depth > 1 && len > MODE_BATCH_BYTES_MAX / depth) {
        rc = err_set(e, ERR_USAGE,
                     "%zu requests of %zu bytes are more than %d bytes at once: pipeline fewer",
                     depth, len, MODE_BATCH_BYTES_MAX);
    }
    if (rc == 0) {
        fputs("local request_bytes = ", out);
        request_write_lua(out, bytes, len);
        fputc('\n', out);
        script_write_mode(out, spec);
    }
    free(bytes);
    return rc;
}
