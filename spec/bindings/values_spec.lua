-- What goes into a variable comes out the same; what cannot be one is refused with its path.
package.path = "spec/bindings/?.lua;" .. package.path
local orrery = require "orrery"
local model = require "model"

describe("values", function()
  local engine, pi

  before_each(function()
    engine = orrery.open(nil, { clock = "manual", log = "none" })
    engine:deploy(model.script "local nothing")
    pi = engine:start "p"
  end)
  after_each(function() engine:close() end)

  local function back(value)
    pi:set("v", value)
    return pi:get "v"
  end

  it("keep their kind", function()
    assert.equal("integer", math.type(back(3)))
    assert.equal("float", math.type(back(3.0)))
    assert.equal(math.mininteger, back(math.mininteger))
    assert.is_false(back(false))
    assert.equal("a\0b\255", back "a\0b\255")
    assert.same({ 1, { x = { "y", 2.5 } }, "z" }, back { 1, { x = { "y", 2.5 } }, "z" })
  end)

  it("show null as nil alone and as orrery.null inside", function()
    pi:set("n", nil)
    assert.is_nil(pi:get "n")
    assert.equal(orrery.null, pi:variables().n)
    assert.same({ 1, orrery.null, 3 }, back { 1, orrery.null, 3 })
    assert.is_nil(pi:variables().absent)
  end)

  it("tell an empty array from an empty map", function()
    pi:set("list", { inner = orrery.array {} })
    pi:set("copy", pi:get "list")
    assert.equal(getmetatable(orrery.array {}), getmetatable(pi:get("copy").inner))
    assert.is_nil(getmetatable(back {}))
  end)

  local function refused(value, pattern)
    local ok, err = pcall(pi.set, pi, "order", value)
    assert.is_false(ok)
    assert.equal("argument", err.kind)
    assert.matches(pattern, err.message)
  end

  it("are refused with their path", function()
    refused({ items = { 1, 2, { cb = print } } }, "order%.items%[3%]%.cb: a function cannot be stored")
    refused({ a = coroutine.create(print) }, "order%.a: a thread")
    local cycle = {}
    cycle.inner = { cycle }
    refused(cycle, "order%.inner%[1%].* contains itself")
    refused({ [1] = "a", x = 1 }, "order: an array has keys that are not 1%.%.n")
    refused({ [true] = 1 }, "order: a map has keys that are not strings")
    refused({ 1, nil, nil, 4 }, "order")
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    refused(deep, "too deep")
  end)

  it("may be used twice in one value, which is no cycle", function()
    local shared = { 1 }
    assert.same({ a = { 1 }, b = { 1 } }, back { a = shared, b = shared })
  end)
end)
