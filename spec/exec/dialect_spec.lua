-- Every row of the dialect table in each of its columns.
local orrery = require "orrery"
local rows = require "spec.exec.dialect_rows"

local head <const> = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">'

local function definitions(body) return head .. body .. "</definitions>" end

describe("dialect", function()
  for _, row in ipairs(rows) do
    describe(row.name, function()
      for _, dialect in ipairs { "camunda", "flowable", "orrery" } do
        it(dialect, function()
          local options = { clock = "manual", dialect = dialect, log = "none", durability = "none", history = "full" }
          local engine <close> = orrery.open(nil, options)
          assert.equal(row.expected[dialect], row.probe { engine = engine, dialect = dialect, definitions = definitions })
        end)
      end
    end)
  end

  it("has no row without a spec", function()
    local known = {}
    for _, row in ipairs(rows) do known[row.name] = true end
    local count = 0
    for line in io.lines "runtime/model/dialect.def" do
      local name = line:match "^DIALECT%(([%w_]+)," or line:match "^DIALECT_NUMBER%(([%w_]+),"
        or line:match "^DIALECT_CHOICE%([%w_]+, ([%w_]+),"
      if name then
        assert(known[name], "no spec of " .. name)
        count = count + 1
      end
    end
    assert.equal(#rows, count)
  end)
end)
