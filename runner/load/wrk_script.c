#include "load/wrk_script.h"

#include <stdlib.h>

#include "load/request.h"

/* wrk gives every thread a Lua state of its own and calls setup() and done() in one more, so the
 * arguments, which only init() sees, are fetched from the first thread's state at the end.
 *
 * wrk.format is replaced rather than request() defined: the request then stays static, which costs
 * nothing per request, and its bytes are exactly ours, in our order.
 *
 * latency(i) searches from the start at every call: most of a second for 36,000 distinct values
 * below 80 ms, and worse the wider they are spread. So the counts are read straight from wrk's
 * memory where LuaJIT's ffi is there and the layout of wrk 4.1 and 4.2 (src/stats.h) is recognised
 * by everything the safe interface tells as well; the slow way remains for all else. */
static const char *const script_parts[] = {
    "wrk.format = function() return request_bytes end\n"
    "\n"
    "local first_thread\n"
    "\n"
    "function setup(thread)\n"
    "   first_thread = first_thread or thread\n"
    "end\n"
    "\n"
    "function init(args)\n"
    "   result_file, phase = args[1], args[2]\n"
    "end\n"
    "\n"
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
    "\n",
    "local function walk(latency, each)\n"
    "   local known, stats, min, max = pcall(counters, latency)\n"
    "   if not known or not stats then return walk_slowly(latency, each) end\n"
    "   for value = min, max do\n"
    "      local count = stats.data[value]\n"
    "      if count ~= 0 then each(value, tonumber(count)) end\n"
    "   end\n"
    "end\n"
    "\n"
    "function done(summary, latency)\n"
    "   local out = assert(io.open(first_thread:get(\"result_file\"), \"w\"))\n"
    "   local lines, n = {}, 0\n"
    "   local function say(format, ...)\n"
    "      n = n + 1\n"
    "      lines[n] = string.format(format, ...)\n"
    "   end\n"
    "   say(\"loopbench-wrk 1\")\n"
    "   for _, name in ipairs { \"duration\", \"requests\", \"bytes\" } do\n"
    "      say(\"%s %.0f\", name, summary[name])\n"
    "   end\n"
    "   for _, name in ipairs { \"connect\", \"read\", \"write\", \"timeout\", \"status\" } do\n"
    "      say(\"%s %.0f\", name, summary.errors[name])\n"
    "   end\n"
    "   if first_thread:get(\"phase\") == \"window\" and #latency > 0 then\n"
    "      walk(latency, function(value, count) say(\"%.0f,%.0f\", value, count) end)\n"
    "   end\n"
    "   say(\"end %d\", n)\n"
    "   assert(out:write(table.concat(lines, \"\\n\"), \"\\n\"))\n"
    "   assert(out:close())\n"
    "end\n",
};

int wrk_script_write(FILE *out, const struct load_spec *spec, struct err *e) {
    char *bytes = NULL;
    size_t len = 0;
    FILE *request = open_memstream(&bytes, &len);
    if (!request) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    int rc = request_write(request, &spec->request, spec->host, spec->port, e);
    if (fclose(request) != 0 && rc == 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    if (rc == 0) {
        fputs("local request_bytes = ", out);
        request_write_lua(out, bytes, len);
        fputs("\n\n", out);
        for (size_t i = 0; i < sizeof script_parts / sizeof *script_parts; i++) {
            fputs(script_parts[i], out);
        }
    }
    free(bytes);
    return rc;
}
