-- Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
--
-- For wrk, run by make/bench-apps.sh. THINK: milliseconds that a connection waits before each request, spread evenly between half and one
-- and a half of that; without it each connection sends its next request at once. Prints "requests-per-second median-us p99-us requests
-- errors" as the last line.

local think = tonumber(os.getenv("THINK") or "0")

if think > 0 then
  function delay() return math.random(think / 2, think * 3 / 2) end
end

function done(summary, latency, requests)
  local e = summary.errors
  print(string.format("%.1f %d %d %d %d", summary.requests * 1e6 / summary.duration, latency:percentile(50), latency:percentile(99),
                      summary.requests, e.connect + e.read + e.write + e.status + e.timeout))
end
