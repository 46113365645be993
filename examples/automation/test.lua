--- Tests of the model, with the tool and the host played: orrery lua test.lua
local testing = require "orrery.testing"

local function file()
  local moved = {}
  local t = testing.new { deploy = "automation.bpmn", register = {
    put_away = function(execution) moved.done = execution:get "file" end,
    set_aside = function(execution) moved.aside = execution:get "file" end,
  } }
  return t, t:start("automation", { business_key = "a.txt", variables = { file = "a.txt" } }), moved
end

local function take(t)
  return t.engine:fetch_and_lock({ worker = "host", max = 1, topics = { { name = "convert", lock = 60 } } })[1]
end

local tests = {}

function tests.a_tool_that_fails_is_tried_again()
  local t <close>, pi, moved = file()
  take(t):fail("host", { message = "the tool ended with 1", retries = 3, retry_timeout = 1 })
  assert(not take(t), "not at once")
  t.engine:advance(2)
  take(t):complete "host"
  t:run()
  t:ended(pi, "done")
  assert(moved.done == "a.txt")
end

function tests.a_bad_file_is_set_aside()
  local t <close>, pi, moved = file()
  take(t):bpmn_error("host", "BAD_FILE")
  t:run()
  t:ended(pi, "left")
  assert(moved.aside == "a.txt")
end

function tests.a_host_that_dies_leaves_its_tool_to_the_next()
  local t <close> = file()
  take(t)
  t.engine:advance(61)
  assert(take(t))
end

for name, test in pairs(tests) do
  test()
  print("ok " .. name)
end
