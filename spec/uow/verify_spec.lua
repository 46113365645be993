local uow = require("orrery_inside").uow

local ROOT = 8388609

local source
before_each(function()
  source = uow.open()
  local unit = source:begin()
  unit:new("deployment", 1, { name = "d" })
  unit:new("definition", 2, { key = "order", version = 1, deployment_id = 1 })
  unit:new("instance", ROOT, { definition_id = 2, root_id = ROOT, business_key = "b-1" })
  unit:new("execution", ROOT + 1, { parent = ROOT, task_id = ROOT + 2 })
  unit:new("task", ROOT + 2, { execution_id = ROOT + 1, instance_id = ROOT, assignee = "ann" })
  unit:new("link", { ROOT + 2, "candidate", "bob", "" })
  unit:new("variable", { ROOT, "x" }, { value = 1 })
  unit:new("job", ROOT + 3, { kind = 1, state = 2, execution_id = ROOT + 1, instance_id = ROOT })
  assert(unit:commit())
end)
after_each(function() source:close() end)

-- The one key that begins with `prefix`.
local function key_of(prefix)
  for key in pairs(source:dump()) do
    if key:sub(1, #prefix) == prefix then return key end
  end
  error("no such key")
end

local function problems_after(key, value)
  source:plant(key, value)
  return (source:verify())
end

local function found(problems, text)
  for _, problem in ipairs(problems) do
    if problem:find(text, 1, true) then return true end
  end
  error("not among the problems: " .. text .. "\n" .. table.concat(problems, "\n"))
end

describe("the checker", function()
  it("finds nothing in a sound store, and counts everything in it", function()
    local problems, records, rows = source:verify()
    assert.same({}, problems)
    local entries = 0
    for _ in pairs(source:dump()) do entries = entries + 1 end
    assert.equal(entries, records + rows)
  end)

  it("finds a record whose bytes are damaged", function()
    local key = key_of("T")
    local value = source:dump()[key]
    found(problems_after(key, value:sub(1, -2) .. string.char(value:byte(-1) ~ 1)), "task 8388611 is damaged: wrong checksum")
  end)

  it("finds each index row that is missing", function()
    local rows = 0
    for key in pairs(source:dump()) do
      if key:match("^[ir]") then
        rows = rows + 1
        found(problems_after(key), "has no row in index")
        source:plant(key, "")
        assert.same({}, (source:verify()))
      end
    end
    assert.is_true(rows >= 5)
  end)

  it("finds rows of records that are gone", function()
    found(problems_after(key_of("L")), "a row of index link_user names link (8388611, 'candidate', 'bob', ''), which is not there")
  end)

  it("finds rows that do not fit their record, or nothing at all", function()
    local row = key_of("i")
    found(problems_after(row:sub(1, 2) .. "zz" .. row:sub(5), ""), "row")
    source:plant(row:sub(1, 2) .. "zz" .. row:sub(5))
    found(problems_after("i\255abc", ""), "belongs to no index")
    source:plant("i\255abc")
    found(problems_after("r\8" .. ("x"):rep(17), ""), "belongs to no order")
    source:plant("r\8" .. ("x"):rep(17))
    found(problems_after("?what", "ever"), "is of no known kind")
  end)

  it("finds a ready row of a job that stands elsewhere", function()
    local row = key_of("r\0")
    found(problems_after(row:sub(1, 2) .. "\1" .. row:sub(3), ""), "a row of index ready does not fit job 8388612")
  end)

  it("finds references to what is not there", function()
    source:plant(key_of("E"))
    local problems = source:verify()
    found(problems, "task 8388611: execution_id 8388610 is not there")
    found(problems, "job 8388612: execution_id 8388610 is not there")
    source:plant(key_of("I"))
    problems = source:verify()
    found(problems, "variable (8388609, 'x'): scope 8388609 is not there")
  end)
end)
