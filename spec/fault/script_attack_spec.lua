--- Scripts that would go on for ever, or take all memory: each ends within its budget, on the thread that opened the engine and on a
--- worker, which goes on with other jobs.
local orrery = require "orrery"

local loop = "while true do end"
local endless = {
  ["a loop"] = loop,
  ["a loop that catches what stops it"] = "local function f() while true do end end while true do pcall(f) end",
  ["loops in loops that catch"] = "local function f(n) while true do pcall(n > 0 and f or error, n - 1) end end f(20)",
  ["a handler of xpcall"] = "local function f() while true do end end xpcall(f, f)",
  ["a jump"] = "::again:: goto again",
  ["tail calls"] = "local function f() return f() end f()",
  ["a metamethod"] = "local t = setmetatable({}, { __index = function() while true do end end }) return t.a",
  ["an iterator"] = "for _ in function() return 1 end do end",
  ["loaded text"] = 'load "while true do end"()',
  ["a sort whose order never ends"] = "table.sort({ 3, 2, 1 }, function() while true do end end)",
  ["an error that is shown for ever"] = "error(setmetatable({}, { __tostring = function() while true do end end }))",
  ["an error that is shown for ever, in a message"] = "error { message = nil, x = setmetatable({}, { __tostring = error }) } " .. loop,
  ["something that closes for ever"] = "local x <close> = setmetatable({}, { __close = function() while true do end end })",
  ["something that closes for ever after an error"] =
    'local x <close> = setmetatable({}, { __close = function() while true do end end }) error "gone"',
  ["something that closes for ever after its budget"] =
    "local x <close> = setmetatable({}, { __close = function() while true do end end }) while true do end",
  ["many things that close for ever"] = [[
    local function deep(n)
      local x <close> = setmetatable({}, { __close = function() while true do end end })
      return n > 0 and deep(n - 1) or error "gone"
    end
    deep(50)]],
  ["a pattern that backtracks"] = '("a"):rep(2000):find ".-.-.-.-b"',
  ["a pattern of choices"] = '("a"):rep(28):find(("a?"):rep(28) .. ("a"):rep(28))',
  ["patterns by every function"] = [[
    local s, p = ("a"):rep(3000), ".-.-.-.-b"
    pcall(string.match, s, p) pcall(string.gsub, s, p, "") pcall(string.gmatch(s, p)) string.find(s, p)]],
  ["a balance that is looked for again and again"] = 'for _ = 1, 1e9 do ("("):rep(5000):find "%b()x" end',
  ["a callback of gsub"] = '("x"):gsub(".", function() while true do end end)',
  ["a method of texts"] = 'local s = ("a"):rep(3000) s:match ".-.-.-.-b"',
  ["table.insert into what says it is long"] = "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
  ["table.insert into what says it is longer the second time"] =
    "local n = 0 table.insert(setmetatable({}, { __len = function() n = n + 1 return n > 1 and 1 << 60 or 1 end }), 1, 1) " .. loop,
  ["table.remove from what says it is long"] = "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
  ["table.concat of what says it is long"] =
    "table.concat(setmetatable({}, { __len = function() return 1 << 60 end, __index = type }))",
  ["table.unpack, again and again"] = "while true do pcall(table.unpack, {}, 1, 900000) end",
  ["table.insert, again and again"] = "local t = {} for i = 1, 300000 do t[i] = i end while true do table.insert(t, 1, 1) end",
  ["sorting, again and again"] = "local t = {} for i = 1, 100000 do t[i] = -i end while true do table.sort(t) table.sort(t, math.ult) end",
  ["a wide select"] = "local function f(...) while true do select('#', ...) end end f(1)",
  ["long numbers, again and again"] = 'local s = ("1"):rep(1000000) while true do tonumber(s) end',
  ["much text, again and again"] = 'while true do ("x"):rep(1000000) end',
  ["much program text, again and again"] = 'local s = ("x = 1 "):rep(30000) while true do load(s) end',
  ["long texts that are compared"] = 'local a, b = ("x"):rep(8000000) .. 1, ("x"):rep(8000000) .. 2 while true do local _ = a < b end',
  ["short coroutines"] = "while true do coroutine.wrap(function() end)() end",
  ["calls of the engine"] = "while true do execution.engine:definitions {} end",
}

local greedy = {
  ["one large text"] = 'local s = ("x"):rep(1 << 30)',
  ["a text that doubles"] = 'local s = "x" while true do s = s .. s end',
  ["an endless table"] = "local t = {} while true do t[#t + 1] = t end",
  ["an endless table of texts"] = 'local t = {} while true do t[#t + 1] = ("x"):rep(10000) .. #t end',
  ["large texts, caught"] = 'while true do pcall(string.rep, "x", 1 << 34) end',
  ["all memory, then more of it, caught"] = [[
    local t = {} pcall(function() while true do t[#t + 1] = {} end end)
    while true do pcall(function() t[#t + 1] = { {} } end) end]],
  ["text that replaces text"] = '("x"):rep(1000000):gsub("x", ("y"):rep(1000000))',
  ["texts put together"] = 'local t, s = {}, ("x"):rep(100000) for i = 1, 100000 do t[i] = s end return table.concat(t)',
  ["functions"] = "local t = {} while true do local n = #t t[n + 1] = function() return n end end",
}

--- What ends by itself, with an error or none, and does not harm.
local harmless = {
  ["a finalizer"] = "setmetatable({}, { __gc = function() while true do end end })",
  ["a finalizer put in later"] = "local m = {} setmetatable({}, m) m.__gc = function() while true do end end",
  ["a coroutine from before"] = "coroutine.create(print)",
  ["another method for all texts"] = 'getmetatable("").__index.upper = print',
  ["nothing, very often"] = 'return string.rep("", math.maxinteger)',
  ["nothing, by a method"] = 'return (""):rep(math.maxinteger)',
  ["moving much of nothing"] = "table.move({}, 1, math.maxinteger - 1, 2)",
  ["moving much of nothing, by texts"] = 'table.move({}, "1", "9223372036854775806", 2)',
  ["moving much of nothing, by fractions"] = "table.move({}, 1.0, 2.0^62, 2)",
  ["deep recursion"] = "local function f() return 1 + f() end f()",
  ["deep recursion through C"] = 'local function f(s) return (s:gsub(".", f)) end f "x"',
  ["deep recursion by metamethods"] = "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k] end return t.x",
  ["nested parentheses"] = 'assert(load("return " .. ("("):rep(100000) .. ("1") .. (")"):rep(100000)))',
  ["bytecode"] = 'assert(load("\\27Lua\\84"))',
  ["dumped code"] = "string.dump(function() end)",
  ["dumped code by a method"] = '("").dump(function() end)',
  ["a table that says it is long, sorted"] = "table.sort(setmetatable({}, { __len = function() return 1 << 30 end }))",
  ["a wide unpack"] = "return table.unpack({}, 1, 1 << 31)",
  ["an error that cannot be shown"] = "error(setmetatable({}, { __tostring = function() error 'again' end, __name = 7 }))",
}

local function sorted(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function process(key, text, attributes)
  local xml = [==[<process id="KEY" isExecutable="true"><startEvent id="sKEY"/><sequenceFlow id="fKEY" sourceRef="sKEY" targetRef="tKEY"/>
    <scriptTask id="tKEY" scriptFormat="lua" ATTRIBUTES><script><![CDATA[TEXT]]></script></scriptTask>
    <sequenceFlow id="gKEY" sourceRef="tKEY" targetRef="eKEY"/><endEvent id="eKEY"/></process>]==]
  return (xml:gsub("%u%u%u+", { KEY = key, ATTRIBUTES = attributes or "", TEXT = text }))
end

local function model(processes)
  return { ["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="spec">]] .. table.concat(processes) .. "</definitions>" }
end

local limits = { instructions = 20 * 1000 * 1000, memory = 32 * 1024 * 1024, seconds = 2 }

local function attempt(text, sandbox)
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = sandbox or limits })
  engine:deploy(model { process("p", text) })
  local ok, problem = pcall(engine.start, engine, "p")
  return ok, problem
end

describe("a script that would never end", function()
  for _, name in ipairs(sorted(endless)) do
    it("ends with its budget: " .. name, function()
      local ok, problem = attempt(endless[name])
      if name == "something that closes for ever after an error" or name == "many things that close for ever" then
        assert.matches("gone", problem.message) -- what it failed with comes first
      elseif name == "short coroutines" then
        assert.matches("coroutine", problem.message)
      elseif name == "calls of the engine" then -- what they make may fill their transaction before the script's own budget is spent
        assert.is_false(ok)
        assert.is_truthy(problem.message:find "used up its" or problem.message:find "memory_max", problem.message)
      else
        assert.is_false(ok)
        if not problem.message:find "cannot be shown" and problem.kind == "script" then assert.matches("table", problem.message)
        else assert.matches("used up its", problem.message) end
      end
    end)
  end

  for _, name in ipairs(sorted(greedy)) do
    it("gets no more memory than it may have: " .. name, function()
      local ok, problem = attempt(greedy[name])
      assert.is_false(ok)
      assert.equal("limit", problem.kind)
      assert.matches("used up its", problem.message)
    end)
  end

  for _, name in ipairs(sorted(harmless)) do
    it("ends by itself: " .. name, function() attempt(harmless[name]) end)
  end

  it("spoils nothing for others in the program's own Lua state", function()
    local upper, find, meta = string.upper, ("x").find, getmetatable ""
    for _, text in pairs(harmless) do attempt(text) end
    attempt(endless["a pattern of choices"])
    assert.equal(upper, string.upper)
    assert.equal(find, ("x").find)
    assert.equal(meta, getmetatable "")
    assert.equal(string, meta.__index)
  end)
end)

describe("a worker", function()
  it("outlives every such script, and runs what else there is", function()
    local engine <close> = orrery.open(nil, { log = "none", retries = 1, sandbox = limits })
    local processes, keys = { process("good", 'execution:set("done", ("a"):rep(3))', 'camunda:asyncBefore="true"') }, {}
    for _, set in ipairs { endless, greedy, harmless } do
      for _, name in ipairs(sorted(set)) do
        keys[#keys + 1] = "p" .. #keys + 1
        processes[#processes + 1] = process(keys[#keys], set[name], 'camunda:asyncBefore="true"')
      end
    end
    engine:deploy(model(processes))
    for _, key in ipairs(keys) do
      engine:start(key)
      engine:start "good"
    end
    engine:start_executor { threads = 2 }
    assert.is_true(engine:wait_idle(400))
    assert.equal(#keys, engine:count("history_instances", { key = "good", state = "completed" }))
    assert.is_true(engine:count("incidents", {}) >= #sorted(endless) + #sorted(greedy))
    for _, incident in ipairs(engine:incidents {}) do assert.not_matches("process that ran", incident.message) end
    engine:start "good"
    assert.is_true(engine:wait_idle(60))
    assert.equal(#keys + 1, engine:count("history_instances", { key = "good", state = "completed" }))
    assert.is_true(engine:executor_active())
    engine:stop_executor()
  end)

  it("ends scripts that wait and would close for ever, when it stops", function()
    local engine <close> = orrery.open(nil, { log = "none", sandbox = limits })
    engine:deploy(model { process("p", [[local x <close> = setmetatable({}, { __close = function() while true do end end })
      orrery.await(orrery.future())]], 'camunda:asyncBefore="true"') })
    engine:start "p"
    engine:start_executor { threads = 1, drain_time = 0.05 }
    repeat until (engine:running()[1] or {}).state == "awaiting"
    engine:stop_executor()
    assert.is_nil(engine:jobs({})[1].lock_owner)
  end)
end)

describe("an expression", function()
  it("ends when a regular expression would not", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none" })
    for _, text in ipairs { "matches('.*.*.*.*.*b')", "split('.*.*.*.*.*[bc]')" } do
      local ok, problem = pcall(engine.evaluate, engine, "${s." .. text .. "}", { variables = { s = ("a"):rep(5000) } })
      assert.is_false(ok)
      assert.matches("took more than 1000000 steps", problem.message)
    end
    local spaces = (" "):rep(100000)
    assert.equal("x" .. spaces .. "x", engine:evaluate("${s.trim()}", { variables = { s = "  x" .. spaces .. "x " } }))
    assert.equal("", engine:evaluate("${s.trim()}", { variables = { s = spaces } }))
  end)
end)
