-- What customers write reaches the operator's terminal and log as text, and as nothing else.
-- Marks: commands
local command = require "spec.cli.command"
local core = require "orrery.core"
local orrery = require "orrery"
local terminal = require "spec.cli.terminal"

local ORDERS = "\27]0;PWNED\7\27[2J\r\nFORGED \u{9b}31m\127\u{2028}\tend" -- a title, a cleared screen, a line, red
local texts = { ["in UTF-8"] = ORDERS, ["with stray bytes"] = ORDERS .. "\x9b31m" }

local model = command.model([[<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="g"/>
  <parallelGateway id="g"/><sequenceFlow id="f1" sourceRef="g" targetRef="u"/>
  <userTask id="u" name="${text}" camunda:assignee="${text}"/>
  <sequenceFlow id="f2" sourceRef="g" targetRef="a"/>
  <scriptTask id="a" scriptFormat="lua" camunda:asyncBefore="true"><script>error(text)</script></scriptTask>]])

--- A store with one instance, whose variables, assignee, error and reason are of that text; its ids.
local function store_of(dir, text)
  local path = dir.path .. "/store"
  local engine <close> = orrery.open(path, { log = "none", history = "full", retries = 1 })
  engine:deploy { ["p.bpmn"] = model }
  local variables = { text = text, [text] = { [text] = text } }
  engine:start("p", { business_key = text, variables = variables }):delete(text)
  local instance = engine:start("p", { business_key = "b", variables = variables })
  engine:run_jobs()
  return path, { instance = instance.id, task = engine:task({}).id, job = engine:job({}).id }
end

local function assert_harmless(text, what)
  assert.is_nil(text:find "[\0-\9\11-\31\127]", what)
  assert.truthy(utf8.len(text), what)
  for _, c in utf8.codes(text) do assert.is_false(c >= 0x80 and c < 0xa0 or c == 0x2028, what) end
  assert.is_nil(("\n" .. text):find "\nFORGED", what)
end

--- STORE stands for the store, INSTANCE, TASK and JOB for the ids.
local function words_of(line, path, ids)
  local words = {}
  for word in line:gmatch "%S+" do words[#words + 1] = word == "STORE" and path or ids[word:lower()] or word end
  return words
end

local ways_out = { "instances STORE", "instances STORE --show INSTANCE", "history STORE", "history STORE INSTANCE --variables",
  "incidents STORE", "incidents STORE --groups", "tasks STORE", "tasks STORE --show TASK", "jobs STORE", "jobs STORE --stuck",
  "jobs STORE --stuck --each", "jobs STORE --why JOB", "jobs STORE --traceback JOB", "jobs STORE --retry JOB", "top STORE",
  "metrics STORE", "metrics STORE --prometheus", "nodes STORE", "draw STORE INSTANCE" }

describe("text of a customer", function()
  for kind, text in pairs(texts) do
    it("gives a terminal no orders and begins no line in what a command prints, " .. kind, function()
      local dir <close> = command.folder()
      local path, ids = store_of(dir, text)
      for _, line in ipairs(ways_out) do
        local code, out, err = command.run(words_of(line, path, ids))
        assert.is_true(code == 0 or code == 1, line)
        assert_harmless(out .. err, line)
      end
    end)
  end

  it("is told as escapes, so that an operator sees what it was", function()
    local dir <close> = command.folder()
    local path, ids = store_of(dir, ORDERS)
    local shown = "\\x1b]0;PWNED\\x07\\x1b[2J\\r\\nFORGED \\u{9b}31m\\x7f\\u{2028}\\tend"
    for _, line in ipairs { "tasks STORE", "jobs STORE", "history STORE INSTANCE" } do
      assert.truthy(select(2, command.run(words_of(line, path, ids))):find(shown, 1, true), line)
    end
  end)

  it("stays whole in JSON, which has no control character either", function()
    local dir <close> = command.folder()
    local path, ids = store_of(dir, ORDERS)
    for _, line in ipairs { "instances STORE --show INSTANCE --json", "tasks STORE --json", "incidents STORE --json" } do
      local code, out = command.run(words_of(line, path, ids))
      assert.equal(0, code)
      assert.is_nil(out:find "[\0-\9\11-\31\127]", line)
      assert.is_nil(out:find "\xC2[\x80-\x9F]", line)
    end
    local _, events = command.events { "tasks", path, "--json" }
    assert.equal(ORDERS, events[1].assignee)
    assert.equal(ORDERS, core.json_decode(core.json_encode { text = ORDERS }).text)
  end)

  it("gives no orders while a model is tried, traced and played", function()
    local dir <close> = command.folder()
    local file = dir.file("p.bpmn", model)
    local set = "text=" .. core.json_encode(ORDERS)
    for _, more in ipairs { { "--trace" }, { "--play" } } do
      local _, out, err = command.run { "run", file, "--set", set, table.unpack(more) }
      assert.truthy(out:find("PWNED", 1, true))
      assert_harmless(out .. err, more[1])
    end
  end)

  it("gives no orders at the prompt, whether printed, shown or raised", function()
    local dir <close> = command.folder()
    local path = store_of(dir, ORDERS)
    local _, out, err = command.run({ "repl", path }, [[
      engine:tasks {}
      engine:instances {}[1]:variables()
      print(engine:tasks {}[1].name)
      error(engine:tasks {}[1].name, 0)
      error { text = engine:tasks {}[1].name }
      tree(engine:instances {}[1])
    ]])
    assert.truthy(out:find("PWNED", 1, true))
    assert_harmless(out .. err)
  end)

  it("gives no orders in the message of a command that fails, whose lines are indented", function()
    local code, _, err = command.run { "instances", "/nowhere/" .. ORDERS }
    assert.equal(2, code)
    assert_harmless(err)
    assert.truthy(err:find("\n    FORGED", 1, true))
    assert_harmless((select(3, command.run { ORDERS })))
  end)

  it("has colors of the command's own around it on a terminal, and none of its own", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local path = store_of(dir, "\27[31mred\27[0m")
    local t <close> = terminal.open("instances " .. path .. " --show b")
    t.sees "\27[1minstance"
    t.sees "\27[36mtext\27[0m = \27[32m\"\\027[31mred\\027[0m\"\27[0m"
    assert.equal(0, t.ends())
  end)

  it("leaves the screen of orrery top as it is", function()
    if not terminal.there() then return pending "script(1) is not here" end
    local dir <close> = command.folder()
    local t <close> = terminal.open("top " .. store_of(dir, ORDERS))
    t.sees "\27[31mno executor runs on this store\27[0m"
    t.sees "\\x1b]0;PWNED\\x07\\x1b[2J"
    t.types "q"
    assert.equal(0, t.ends())
  end)
end)

--- Runs a script with `text` as its argument; what it wrote to the standard error.
local function errors_of(script, text)
  local dir <close> = command.folder()
  return (select(3, command.run { "lua", dir.file("script.lua", script), text }))
end

describe("the log on the standard error", function()
  local script = ([[
    local engine <close> = require "orrery".open(nil, { log = "info", retries = 1 })
    engine:deploy { ["p.bpmn"] = %q }
    engine:start("p", { variables = { text = ... } })
    engine:run_jobs()]]):format(model)

  for kind, text in pairs(texts) do
    it("has no line that a customer's text begins, and none of its orders, " .. kind, function()
      local log = errors_of(script, text)
      assert_harmless(log)
      assert.truthy(log:find("\\x1b]0;PWNED\\x07\\x1b[2J\\r\n    FORGED \\u{9b}31m", 1, true))
      for line in log:gmatch "[^\n]+" do assert.truthy(line:find "^%d%d%d%d%-%d%d%-" or line:find "^    ", line) end
    end)
  end
end)

describe("a traceback", function()
  it("keeps its lines, each indented", function()
    local shown = errors_of("local text = ... local function deep() error(text) end deep()", "x")
    local first, rest = shown:match "^([^\n]*)\n(.*)$"
    assert.truthy(first)
    assert.truthy(rest:find "^    stack traceback:\n        ")
    for line in rest:gmatch "[^\n]+" do assert.truthy(line:find "^    ", line) end
    assert_harmless(errors_of("local text = ... error(text, 0)", "\nFORGED\n" .. ORDERS))
    assert_harmless(errors_of("local text = ... error(text, 0)", "FORGED"))
  end)
end)
