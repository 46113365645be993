--- Scripts that would go on for ever, or take all memory: each ends within its budget on the thread that opened the engine. What they do
--- on a worker is worker_attack_spec's matter.
-- Marks: load
local orrery = require "orrery"
local attack = require "spec.fault.attack_scripts"
local sorted, process, model, limits = attack.sorted, attack.process, attack.model, attack.limits

local function attempt(text, sandbox)
  local engine <close> = orrery.open(nil, { clock = "manual", log = "none", sandbox = sandbox or limits })
  engine:deploy(model { process("p", text) })
  local ok, problem = pcall(engine.start, engine, "p")
  return ok, problem
end

describe("a script that would never end", function()
  for _, name in ipairs(sorted(attack.endless)) do
    it("ends with its budget: " .. name, function()
      local ok, problem = attempt(attack.endless[name])
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

  for _, name in ipairs(sorted(attack.greedy)) do
    it("gets no more memory than it may have: " .. name, function()
      local ok, problem = attempt(attack.greedy[name])
      assert.is_false(ok)
      assert.equal("limit", problem.kind)
      assert.matches("used up its", problem.message)
    end)
  end

  for _, name in ipairs(sorted(attack.harmless)) do
    it("ends by itself: " .. name, function() attempt(attack.harmless[name]) end)
  end

  it("gives tables that share tables for a value: what they stand for is too large to walk", function()
    local shared = "local t = {} for _ = 1, 60 do t = { a = t, b = t } end "
    for _, use in ipairs { 'execution:set("x", t)', 'orrery.typed { type = "Json", value = t }', 'execution.engine:instances(t)',
      'execution.engine:start("p", { variables = t })' } do
      local ok, problem = attempt(shared .. use)
      assert.is_false(ok)
      local large = problem.message:find "the value is too large"
      assert.is_truthy(large or problem.message:find "used up", problem.message)
    end
    assert.is_true(attempt(shared .. "return t")) -- nobody asks for it
  end)

  it("spoils nothing for others in the program's own Lua state", function()
    local upper, find, meta = string.upper, ("x").find, getmetatable ""
    for _, text in pairs(attack.harmless) do attempt(text) end
    attempt(attack.endless["a pattern of choices"])
    assert.equal(upper, string.upper)
    assert.equal(find, ("x").find)
    assert.equal(meta, getmetatable "")
    assert.equal(string, meta.__index)
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
