local inspect = require "orrery.inspect"
local orrery = require "orrery"

describe("inspect.value", function()
  it("writes scalars as Lua would", function()
    for _, case in ipairs {
      { 1, "1" }, { 1.0, "1.0" }, { 0.1, "0.1" }, { true, "true" }, { orrery.null, "null" }, { "a", '"a"' }, { 'q"\\\n\t\0',
        [["q\"\\\n\t\000"]] },
      { "é", '"é"' }, { "\255", [["\255"]] }, { math.huge, "inf" }, { -3, "-3" }, { math.mininteger, "-9223372036854775808" },
    } do
      assert.equal(case[2], inspect.value(case[1]))
    end
    assert.equal("nil", inspect.value(nil))
  end)

  it("writes tables with sorted keys, on one line while they are short", function()
    assert.equal("{}", inspect.value {})
    assert.equal('{ 1, { 2 }, ["a b"] = 3, ["end"] = 4, z = 5 }', inspect.value { 1, { 2 }, z = 5, ["end"] = 4, ["a b"] = 3 })
    assert.equal("{ 1, [3] = 3 }", inspect.value { 1, [3] = 3 })
    local long = inspect.value { a = ("x"):rep(60), b = ("y"):rep(60) }
    assert.equal(('{\n  a = "%s",\n  b = "%s"\n}'):format(("x"):rep(60), ("y"):rep(60)), long)
  end)

  it("ends at tables that hold themselves, and at great depth", function()
    local t = { 1 }
    t.self = t
    assert.equal("{ 1, self = <above> }", inspect.value(t))
    local shared = {}
    assert.equal("{ {}, {} }", inspect.value { shared, shared })
    local deep = {}
    for _ = 1, 100 do deep = { deep } end
    assert.matches("…", inspect.value(deep))
  end)

  it("names records by their kind, and paints what it is asked to", function()
    local engine <close> = orrery.open(nil, { log = "none" })
    local d = engine:deploy { ["a.txt"] = "x" }
    assert.matches("^deployment {", inspect.value(d))
    assert.equal("<k:a> = <n:1>", inspect.value({ a = 1 }, function(kind, text) return ("<%s:%s>"):format(kind:sub(1, 1), text) end):sub(3,
      -3))
  end)
end)

describe("inspect.tree", function()
  it("draws children below their parent", function()
    local leaf = function(id) return { id = id, activity_id = "a" .. id, type = "userTask", name = id == 2 and "Two" or nil,
      children = {} } end
    local tree = { id = 1, activity_id = "p", type = "process", children = { { id = 9, activity_id = "s", type = "subProcess",
      children = { leaf(2), leaf(3) } }, leaf(4) } }
    assert.equal("p  process 1\n├─ s  subProcess 9\n│  ├─ a2  Two  userTask 2\n│  └─ a3  userTask 3\n└─ a4  userTask 4",
      inspect.tree(tree))
  end)
end)

describe("inspect.rows", function()
  it("aligns columns by what they show", function()
    local rows = { { id = 1, name = "é" }, { id = 22, name = "long\nname", more = true } }
    assert.equal("ID  NAME        M\n1   é\n22  long\\nname  true", inspect.rows(rows, { { "ID", "id" }, { "NAME", "name" }, { "M",
      function(r) return r.more end } }))
  end)
end)
