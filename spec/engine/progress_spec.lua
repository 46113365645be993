-- What takes long in a large store says how far it is.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local support = require "spec.support.process"

--- A listener, and what it was told: { done, total } each time.
local function listener()
  local told = {}
  return told, function(done, total) told[#told + 1] = { done, total } end
end

--- It never goes back, nor beyond the end, and the end is reached.
local function assert_whole(told)
  assert.is_true(#told > 0, "nothing was told")
  local last = 0
  for _, t in ipairs(told) do
    assert.is_true(t[1] >= last and t[1] <= t[2])
    last = t[1]
  end
  assert.equal(told[#told][2], last)
  return told[#told][2]
end

describe("progress", function()
  local dir, engine

  before_each(function()
    dir = folder.make()
    engine = orrery.open(dir .. "/store", { durability = "none" })
    support.user_task(engine)
  end)

  after_each(function()
    engine:close()
    folder.remove(dir)
  end)

  local function populate(count)
    engine:transaction(function() for _ = 1, count do engine:start "p" end end)
  end

  it("of a check goes from the first entry to the last, and changes nothing of what it finds", function()
    populate(1000)
    local told, progress = listener()
    assert.same({}, engine:verify { progress = progress })
    assert.is_true(assert_whole(told) > 5000, "entries of a thousand instances")
    assert.is_true(#told > 2, "told on the way")
    assert.same({}, engine:verify())
  end)

  it("of a copy is told in bytes, of a compact one in entries", function()
    populate(1000)
    for name, options in pairs { plain = {}, compact = { compact = true } } do
      local told
      told, options.progress = listener()
      engine:copy_to(dir .. "/" .. name, options)
      local total = assert_whole(told)
      local file <close> = io.open(dir .. "/plain/data.mdb", "rb")
      if name == "plain" then assert.equal(file:seek "end", total) end
      local copy <close> = orrery.open(dir .. "/" .. name)
      assert.equal(1000, copy:count "instances")
    end
  end)

  it("raises what the listener raises, once, when the work has ended", function()
    populate(1000)
    local calls = 0
    local function refuse()
      calls = calls + 1
      error({ mine = true })
    end
    for i, work in ipairs {
      function() engine:verify { progress = refuse } end,
      function() engine:copy_to(dir .. "/copy", { progress = refuse }) end,
    } do
      local ok, err = pcall(work)
      assert.same({ false, true, i }, { ok, err.mine, calls })
    end
    local copy <close> = orrery.open(dir .. "/copy")
    assert.equal(1000, copy:count "instances")
  end)

  it("is told to functions alone, and there are no other options", function()
    for _, work in ipairs {
      function() engine:verify { progress = 1 } end, function() engine:copy_to(dir .. "/copy", { progress = "x" }) end,
      function() orrery.upgrade(dir .. "/store", { progress = true }) end,
    } do
      assert.matches("progress: function expected, got", support.refused("argument", work).message)
    end
    assert.matches('did you mean "progress"', support.refused("argument", engine.verify, engine, { progres = print }).message)
  end)

  it("leaves the engine open until the work has ended", function()
    local kinds = {}
    local function close()
      local ok, err = pcall(engine.close, engine)
      kinds[#kinds + 1] = ok or err.kind
    end
    engine:verify { progress = close }
    assert.equal("state", kinds[1])
    assert.equal(0, engine:count "instances")
  end)
end)
