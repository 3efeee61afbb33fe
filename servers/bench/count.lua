-- For wrk: sends as many requests at once as the first argument after -- says, and prints the exact
-- numbers of replies and errors and the median and 99th percentile of latency in µs at the end. One at a
-- time is wrk's own fixed request: no Lua runs then.
function init(args)
   local depth = tonumber(args[1] or "1")
   if depth > 1 then
      local batch = string.rep(wrk.format("GET"), depth)
      request = function() return batch end
   end
end

function done(summary, latency)
   local e = summary.errors
   io.write(string.format("counted %d %d %d %d\n", summary.requests,
                          e.connect + e.read + e.write + e.status + e.timeout,
                          latency:percentile(50), latency:percentile(99)))
end
