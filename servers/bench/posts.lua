-- For wrk: POST /posts with an empty body; prints the exact numbers of replies and errors, and two
-- percentiles in µs, at the end.
wrk.method = "POST"
wrk.headers["Content-Length"] = "0"

function done(summary, latency)
   local e = summary.errors
   io.write(string.format("counted %d %d %d %d\n", summary.requests,
                          e.connect + e.read + e.write + e.status + e.timeout,
                          latency:percentile(50), latency:percentile(99)))
end
