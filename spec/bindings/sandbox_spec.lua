-- Marks: load
local model = require "spec.bindings.model"
local orrery = require "orrery"

--- Runs an inline script in an engine of its own; returns the variables it left, or nil and the error.
local function script(text, sandbox)
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = sandbox })
  engine:deploy(model.script(text))
  local ok, result = pcall(engine.start, engine, "p")
  if not ok then return nil, result end
  return result:variables()
end

local function fails(kind, message, text, sandbox)
  local variables, err = script(text, sandbox)
  assert.is_nil(variables)
  assert.equal(kind, err.kind)
  assert.matches(message, err.message)
end

describe("inline scripts", function()
  it("see nothing of the system, of other code, or of Lua's insides", function()
    for _, name in ipairs { "io", "package", "debug", "dofile", "loadfile", "collectgarbage", "coroutine", "_G", "os.execute", "os.exit",
      "os.getenv", "os.remove", "os.rename", "os.tmpname", "os.setlocale", "string.dump" } do
      assert.same({ type = "nil" }, script(('execution:set("type", type(%s))'):format(name)))
    end
    fails("script", 'module "os" is not available', 'require "os"')
  end)

  it("have the engine's clock", function()
    assert.same({ time = 1767225600, date = "2026" }, script 'execution:set("time", os.time()) execution:set("date", os.date "!%Y")')
  end)

  it("compute with orrery, and reach no store, thread or module through it", function()
    for _, name in ipairs { "open", "executor", "defer" } do
      assert.same({ a = "nil", b = "nil" },
        script(('execution:set("a", type(orrery.%s)) execution:set("b", type(require("orrery").%s))'):format(name, name)))
    end
    assert.same({ list = {}, version = orrery.version },
      script 'execution:set("list", orrery.array {}) execution:set("version", orrery.version)')
    fails("script", "cannot be set by a script", "orrery.null = 1")
    assert.is_userdata(orrery.null)
  end)

  it("load texts, never bytes", function()
    assert.same({ n = 3, bytes = "nil", dumped = false }, script [[
      execution:set("n", load "return 1 + 2"())
      execution:set("bytes", type(load "\27Lua"))
      execution:set("dumped", (pcall(function() return ("").dump(function() end) end)))]])
  end)

  it("see and change no metatables but their own", function()
    assert.same({ text = "nil", env = "nil", list = "nil", engine = "nil", own = 1 }, script [[
      execution:set("text", type(getmetatable "")) execution:set("env", type(getmetatable(_ENV)))
      execution:set("list", type(getmetatable(orrery.array {}))) execution:set("engine", type(getmetatable(execution.engine)))
      execution:set("own", getmetatable(setmetatable({}, { one = 1 })).one)]])
    fails("script", "not the script's to change", "setmetatable(execution.engine, {})")
    fails("script", "__gc is not available", "setmetatable({}, { __gc = function() end })")
  end)

  -- Each call begins an instance whose own script is over at once: until it returns, the caller's time and memory are not used.
  local CALLS <const> = [[if execution:get "inner" then return end
    local function call() execution.engine:start("p", { variables = { inner = true } }) end ]]

  it("are charged once for the memory that they hold, however long and whatever they call", function()
    assert.same({ size = 8 << 20 }, script(CALLS .. [[local held = ("x"):rep(8 << 20)
      for _ = 1, 5 do
        for _ = 1, 20000 do end
        call()
      end
      execution:set("size", #(held .. "") )]], { memory = 40 << 20 }))
  end)

  it("are out of time however short what they do between two calls is", function()
    fails("limit", "used up its seconds", CALLS .. 'for i = 1, 400 do local long = ("x"):rep((1 << 20) + i) call() end',
      { instructions = 0, memory = 0, seconds = 0.02 })
  end)

  it("share libraries that none of them can change", function()
    fails("script", "string%.upper cannot be set", 'string.upper = function() return "spoilt" end')
    fails("script", "not the script's to change", 'rawset(string, "upper", 1)')
    assert.same({ upper = "A", listed = true }, script [[
      execution:set("upper", string.upper "a")
      for name in pairs(string) do if name == "upper" then execution:set("listed", true) end end]])
  end)

  for name, text in pairs {
    ["a loop"] = "while true do end",
    ["a loop that catches"] = "while true do pcall(function() while true do end end) end",
    ["a handler that loops"] = "xpcall(function() while true do end end, function() while true do end end)",
    ["handlers in a loop"] = "while true do xpcall(error, function() while true do end end) end",
    ["a metamethod"] = "local t = setmetatable({}, { __index = function() while true do end end }) return t.a",
    ["a callback of C"] = "table.sort({ 3, 2, 1 }, function() while true do end end)",
    ["tail calls"] = "local function f() return f() end f()",
    ["loaded text"] = 'load "while true do end"()',
  } do
    it("stop when their budget is used up: " .. name, function()
      fails("limit", "used up its instructions; .* sandbox%.instructions", text, { instructions = 100000 })
    end)
  end

  it("stop at a limit of memory, which is not that of the program around them", function()
    local ballast = {}
    for i = 1, 200 do ballast[i] = ("x"):rep(100000) .. i end
    local limits = { memory = 10 * 1000 * 1000 }
    assert.same({ n = 1 }, script('for i = 1, 10000 do end execution:set("n", 1)', limits))
    fails("limit", "used up its memory", 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1000) .. i end', limits)
    assert.equal(200, #ballast)
  end)

  it("may leave much garbage under a limit of memory", function()
    local ballast = {}
    for i = 1, 300 do ballast[i] = ("x"):rep(100000) .. i end
    assert.same({ n = 1 }, script('for i = 1, 300 do local s = ("x"):rep(100000) .. i end for i = 1, 1000 do end execution:set("n", 1)',
      { memory = 5 * 1000 * 1000 }))
    assert.equal(300, #ballast)
  end)

  it("have a limit of memory unless it is 0", function()
    assert.is_true(require "orrery.sandbox".MEMORY > 0)
    local patient = { seconds = 600 } -- sanitizers are slow
    fails("limit", "used up its memory", 'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(100000) .. i end', patient)
    assert.same({ n = 1 }, script([[local t = {}
      for i = 1, 200 do t[i] = ("x"):rep(100000) .. i end
      execution:set("n", 1)]], { memory = 0 }))
  end)

  it("get no more than their limit at once on the executor's threads, where delegates have none", function()
    local engine <close> = orrery.open(nil, { log = "none", sandbox = { memory = 10 * 1000 * 1000 } })
    engine:register("large", function(execution) execution:set("size", #("x"):rep(20 * 1000 * 1000)) end)
    engine:deploy(model.around [[<scriptTask id="t" scriptFormat="lua" camunda:asyncBefore="true"><script>
      execution:set("caught", not pcall(string.rep, "x", 1000 * 1000 * 1000))
      if greedy then execution:set("size", #("x"):rep(1000 * 1000 * 1000)) end</script></scriptTask>]])
    local modest = engine:start "p"
    local greedy = engine:start("p", { variables = { greedy = true } })
    engine:deploy(model.around '<serviceTask id="t" camunda:class="large" camunda:asyncBefore="true"/>')
    local delegate = engine:start "p"
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(120))
    assert.is_true(modest:get "caught")
    assert.equal(20 * 1000 * 1000, delegate:get "size")
    local job = engine:jobs({ instance = greedy.id })[1]
    assert.matches("used up its memory; .* sandbox%.memory", job.error)
    greedy:set("greedy", false) -- before a thread may take the job again
    job:set_retries(1)
    assert.is_true(engine:wait_idle(120))
    assert.is_true(greedy:get "caught")
  end)

  it("do not move elements for hours", function() fails("script", "too many elements", "table.move({}, 1, math.maxinteger - 1, 2)") end)

  it("have a budget unless it is 0; delegates have none", function()
    assert.is_true(require "orrery.sandbox".INSTRUCTIONS > 0)
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = { instructions = 10000 } })
    local function long() for _ = 1, 100000 do end end
    engine:register("long", long)
    engine:register("find", { long = long })
    engine:deploy(model.script "for _ = 1, 10 do end")
    engine:start "p" -- its coroutine serves the next call
    engine:deploy(model.class "long")
    assert.is_false(engine:start("p").ended)
    engine:deploy(model.around '<serviceTask id="t" camunda:delegateExpression="${find.long}"/>')
    assert.is_false(engine:start("p").ended)
    assert.same({ n = 1 }, script('for _ = 1, 100000 do end execution:set("n", 1)', { instructions = 0 }))
  end)
end)
