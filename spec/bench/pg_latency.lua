--- On an idle store in PostgreSQL, durable, on this machine by a unix socket: from the call of start to the first instruction of an
--- asynchronous delegate in the same process, and from start's return to that of one in another process, which hears of the commit.
local support = require "support"
local deploy_clocked = require "clocked"

local SAMPLES = 300

local function here(engine)
  local now, waits = support.measure.now, {}
  engine:start_executor { threads = 2 }
  for i = 1, SAMPLES do
    assert(engine:wait_idle(60))
    local called = now()
    local instance = engine:start "latency"
    assert(engine:wait_idle(60))
    waits[i] = (instance:get "began" - called) * 1000
  end
  engine:stop_executor()
  return waits
end

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

--- An executor in another process, until its standard input ends.
local function elsewhere(url)
  local script = package.searchpath("pg_latency_child", package.path)
  local ready = os.tmpname()
  os.remove(ready)
  local command = ("LUA_PATH=%s LUA_CPATH=%s %s %s %s %s"):format(quote(package.path), quote(package.cpath), quote(arg[-1]), quote(script),
    quote(url), quote(ready))
  local pipe = assert(io.popen(command, "w"))
  repeat
    local file = io.open(ready)
    if file then file:close() end
  until file
  os.remove(ready)
  return pipe
end

local function there(engine, url)
  local now, waits, other = support.measure.now, {}, elsewhere(url)
  for i = 1, SAMPLES do
    local instance = engine:start "latency"
    local returned, began = now(), nil
    repeat began = instance:get "began" until began
    waits[i] = (began - returned) * 1000
  end
  other:close()
  return waits
end

return function()
  local server <close>, url = support.postgresql "pg_latency"
  if not server then return {} end
  local engine <close> = support.open(url, {})
  deploy_clocked(engine)
  local own, foreign = here(engine), there(engine, url)
  return {
    { name = "pg_latency", value = support.quantile(own, 0.5), unit = "ms", bar = 5, most = true },
    { name = "pg_latency.p99", value = support.quantile(own, 0.99), unit = "ms" },
    { name = "pg_latency.notice", value = support.quantile(foreign, 0.5), unit = "ms" },
    { name = "pg_latency.notice.p99", value = support.quantile(foreign, 0.99), unit = "ms", bar = 50, most = true },
  }
end
