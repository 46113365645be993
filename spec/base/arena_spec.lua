-- The arena: blocks are aligned and never overlap, a reset keeps one chunk, nothing is left over.
local base = require("orrery_inside").base

local seed = require("spec.support.random").seed()

local function random_sizes()
  local sizes = {}
  for i = 1, math.random(200) do sizes[i] = math.random(10) == 1 and math.random(0, 300000) or math.random(0, 300) end
  return sizes
end

describe("arena", function()
  it("hands out aligned blocks that do not overlap, seed " .. seed, function()
    math.randomseed(seed)
    local _, one_chunk = base.arena {}
    for _ = 1, 20 do
      local sizes, sum = random_sizes(), 0
      for _, size in ipairs(sizes) do sum = sum + size end
      local used, after_reset, after_free = base.arena(sizes)
      assert.is_true(used >= sum)
      assert.equal(one_chunk, after_reset)
      assert.equal(0, after_free)
    end
  end)

  it("leaves nothing behind when memory runs out", function()
    local sizes = {}
    for i = 1, 100 do sizes[i] = i * 1000 end
    for n = 1, 200 do
      if base.arena(sizes, n) then
        assert.is_true(n > 5)
        return
      end
    end
    error("the arena never passed")
  end)

  it("formats texts of any size", function()
    assert.equal("a-7", base.arena_printf("a", 7))
    local long = ("x"):rep(100000)
    assert.equal(long .. "--1", base.arena_printf(long, -1))
  end)
end)
