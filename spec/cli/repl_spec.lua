-- Marks: commands
local command = require "spec.cli.command"
local complete = require "orrery.repl.complete"
local orrery = require "orrery"
local repl = require "orrery.repl"

local model = command.one_node '<userTask id="review" name="Review"/>'

local function feed(...)
  local code, out = command.run({ "repl" }, table.concat({ ... }, "\n") .. "\n")
  return out, code
end

describe("orrery repl", function()
  it("prints values of expressions as Lua would write them", function()
    assert.same({ '2\n"a\\n"\n{ 1, 2, x = { y = true } }\n', 0 }, { feed("1 + 1", '"a\\n"', "{ 1, 2, x = { y = true } }") })
  end)

  it("reads statements over several lines, and keeps the last value", function()
    assert.equal("3\n9\n", (feed("n = 0", "for i = 1, 2 do", "  n = n + i", "end", "n", "_ * 3")))
  end)

  it("goes on after a failure, and exits with 1 at the end", function()
    local out, code = feed("nope.x", "engine:tasks { assigne = 1 }", "1 +* 2", "error { code = 7 }", "'still here'")
    assert.equal(1, code)
    for _, text in ipairs { "attempt to index a nil value", "did you mean", "unexpected symbol", "{ code = 7 }", '"still here"\n$' } do
      assert.matches(text, out)
    end
  end)

  it("lets what its executor runs come to its end", function()
    local dir <close> = command.folder()
    local model = command.one_node '<serviceTask id="t" camunda:class="slow" camunda:asyncBefore="true"/>'
    local begun = dir.path .. "/begun"
    local code, _, err = command.run({ "repl", dir.path .. "/store" }, table.concat({
      ("engine:deploy { ['p.bpmn'] = %q }"):format(model):gsub("\\\n", "\\n"),
      ("engine:register('slow', function() io.open(%q, 'w'):close() require 'orrery'.sleep(0.5) end)"):format(begun),
      "engine:start 'p'", "engine:start_executor { threads = 1 }", ("repeat until io.open(%q)"):format(begun) }, "\n") .. "\n")
    local made = ("orrery repl: made a new store in %s/store\n"):format(dir.path)
    assert.same({ 0, made }, { code, err })
    local engine <close> = orrery.open(dir.path .. "/store")
    assert.same({ 0, 1 }, { #engine:jobs {}, #engine:history_instances { state = "completed" } })
  end)

  it("says which name was nearly right", function()
    local out = feed("engine:stat 'p'", "tasKs", "instnces()", "engine:tasks({})[1]:complet()")
    for _, near in ipairs { "start", "tasks", "instances" } do
      assert.truthy(out:find(("did you mean '%s'?"):format(near), 1, true), out)
    end
    assert.equal("nil\n", (feed("a, b = nil, 1", "(a)"):gsub("^$", "nil\n")))
  end)

  it("tells of a method that is named and not called what it takes, and waits for nothing", function()
    local out = feed("engine:jobs", "engine:start", "'after'")
    assert.matches("^engine:jobs%(filter%?%).*\nengine:start%(key, options%?%).*\"after\"\n$", out)
    assert.equal('"b"\n', (feed("('ab'):", "sub(2)"))) -- an expression that goes on
  end)

  it("knows help, exit and quit as words, and values as older Luas had them asked for", function()
    assert.matches("^engine  +the open engine; .*help \"start\"", (feed "help"))
    for _, word in ipairs { "exit", "quit" } do assert.same({ "2\n", 0 }, { feed("= 1 + 1", word, "'never'") }) end
    assert.equal("7\n", (feed("exit = 7", "exit")))
  end)

  it("names what a field that is nil nearly was, of objects and modules", function()
    assert.equal("nil; did you mean 'transaction'?\n", (feed "engine.transactoin"))
    assert.matches("field 'opn'%); did you mean 'open'?", (feed "orrery.opn()"))
    assert.equal("", (feed "orrery.xyzzy"))
  end)

  it("shows fields of records that are times as times, and variables of their names as they are", function()
    local out = feed(("engine:deploy { ['p.bpmn'] = %q }"):format(model:gsub("\n", " ")),
      "pi = engine:start('p', { variables = { time = 5, due = 7 } })", "pi:variables()", "engine:history_instances {}",
      "engine:history_variables { name = 'due' }")
    assert.truthy(out:find("{ due = 7, time = 5 }", 1, true), out)
    assert.matches('history_instance {.-started_at = "%d+%-%d+%-%d+T', out)
    assert.matches('history_variable {.-created = "%d+%-%d+%-%d+T.-scope = "%d+".-value = 7', out)
  end)

  it("helps with a method that is given itself", function()
    assert.matches("engine:start%(key", (feed "help(engine.start)"))
    assert.matches("task:complete", (feed "help 'complete'"))
    assert.matches("orrery.open%(path%?, options%?%) +%-> Engine\n.*\n    time_zone +the store's",
      (feed "help(orrery.open)"))
    assert.matches("instance:modify%(instructions, options%?%)\n  Cancels and starts activities", (feed "help 'instance:modify'"))
    assert.matches("\nengine:transaction%(f%)\n", (feed "help(engine)"))
    assert.matches("no help about that function; there is some about every function of Orrery", (feed "help(print)"))
  end)

  it("shows times as times", function()
    local out = feed(("engine:deploy { ['p.bpmn'] = %q }"):format(model:gsub("\n", " ")), "engine:start 'p'", "engine:task {}")
    assert.matches('created = "%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d:%d%d', out)
    assert.equal("5\n", (feed "5"))
  end)

  it("says when the input ends within a statement", function()
    local out, code = feed "for i = 1, 2 do"
    assert.same({ "the input ends within a statement\n", 1 }, { out, code })
  end)

  it("has an engine at hand, token trees and help", function()
    local dir <close> = command.folder()
    local out = feed(("d = engine:deploy %q"):format(dir.file("p.bpmn", model)), "pi = engine:start 'p'", "tree(pi)", "#tasks()", "help()",
      "help 'start'", "help 'x'")
    assert.matches("└─ review  Review  userTask %d+\n1\n", out)
    assert.matches("engine:start%(key", out)
    assert.matches('no help about "x"', out)
  end)

  it("keeps a store, and registers delegates from a file", function()
    local dir <close> = command.folder()
    local lua = dir.file("d.lua", "return function(engine) engine:register('seven', function() return 7 end) end")
    local store = dir.path .. "/store"
    local code, out = command.run({ "repl", store, "--lua", lua, "--manual-clock" },
      "engine:evaluate '${seven()}'\nengine:advance 'PT1H'\nengine:now()\n")
    assert.same({ 0, "7\n1767229200.0\n" }, { code, out })
    assert.equal(0, (command.run { "verify", store }))
  end)
end)

describe("completion", function()
  local engine, prompt

  before_each(function()
    engine = orrery.open(nil, { log = "none" })
    engine:deploy { ["p.bpmn"] = model }
    prompt = repl.new { engine = engine, print = function() end }
    prompt:feed "pi = engine:start 'p'"
  end)

  after_each(function() engine:close() end)

  local function completed(line)
    local word = line:match "[^ \t\n\"\\'`@$><=;|&{(,+*/%%^#~)}%-%]]*$"
    return prompt:complete(word, line, #line)
  end

  it("knows globals, fields and methods", function()
    assert.same({ "engine:start_by_id", "engine:start_by_message" }, completed "engine:start_by")
    assert.same({ "orrery.format_time" }, completed "print(orrery.for")
    assert.same({ "pi.definition_id", "pi.definition_key" }, completed "pi.def")
    assert.same({ "pi:variables" }, completed "x = pi:vari")
    assert.same({ "coroutine" }, completed "corou")
    assert.same({}, completed "nothing.here.a")
  end)

  it("knows the store's ids within quotes", function()
    assert.same({ "review" }, completed "engine:tasks { key = 'rev")
    assert.same({ "p" }, completed 'engine:start "p')
    assert.same({}, completed 'engine:start "zz')
  end)

  it("calls nothing on its way", function()
    prompt.env.trap = setmetatable({}, { __index = function() error "called" end })
    assert.same({}, complete.candidates(prompt.env, engine, "trap.x.y", "trap.x.y", 8))
  end)
end)
