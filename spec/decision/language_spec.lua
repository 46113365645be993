-- Texts in other languages than FEEL, as the files of the peers' users have them.
local models = require "spec.decision.models"

local function table_file(options, file_options)
  return models.file(models.decision("d", models.table(options)), file_options)
end

local CAMUNDA = 'xmlns:camunda="http://camunda.org/schema/1.0/dmn" exporter="Camunda Modeler"'
local FLOWABLE = 'xmlns:flowable="http://flowable.org/dmn" exporter="Flowable Open Source Modeler"'

describe("Camunda's DMN 1.1", function()
  local function decide(options, vars) return models.decide(table_file(options, { version = "1.1", attributes = CAMUNDA }), "d", vars) end

  it("has JUEL in input expressions and outputs, FEEL in cells", function()
    local options = { policy = "FIRST", inputs = { { "customer.age + bonus", "integer" } }, outputs = { { "o", "string" } },
      rules = { { "[1..10]", 'name.concat("!")' }, { "> 10", '"old"' }, { "-", "null" } } }
    assert.equal("Ann!", (decide(options, { customer = { age = 4 }, bonus = 1, name = "Ann" })))
    assert.equal("old", (decide(options, { customer = { age = 40 }, bonus = 1 })))
    assert.is_nil((decide(options, { customer = { age = -4 }, bonus = 1 })))
  end)

  it("knows the input as cellInput, and by the name it gives it in JUEL cells", function()
    local options = { policy = "FIRST", inputs = { { "x", "integer" } }, rules = { { "cellInput > 5 and cellInput < 8", '"six"' } } }
    assert.equal("six", (decide(options, { x = 6 })))
    options = { policy = "FIRST", inputs = { { "x", "integer" } }, rules = { { "cellInput % 2 == 1", '"odd"', language = "juel" } } }
    assert.equal("odd", (decide(options, { x = 7 })))
    assert.is_nil((decide(options, { x = 8 })))
    options = { policy = "FIRST", inputs = { { "y", "integer" }, { "x", "integer", attributes = 'camunda:inputVariable="mine"' } },
      rules = { { "-", "${mine % 2 == 1}", '"odd"' }, { "-", "mine > 7", '"large"' } } }
    assert.equal("odd", (decide(options, { x = 7, y = 1 })))
    assert.equal("large", (decide(options, { x = 8, y = 1 })))
  end)

  it("converts inputs and outputs to their types", function()
    local options = { policy = "FIRST", inputs = { { "x", "integer" }, { "b", "boolean" }, { "s", "string" } },
      outputs = { { "o", "double" } }, rules = { { "5", "true", '"1"', '"2.5"' } } }
    assert.equal(2.5, (decide(options, { x = "5", b = "true", s = 1 })))
    assert.equal(2.5, (decide(options, { x = 5.9, b = true, s = "1" })))
    local err = models.raises("expression", decide, options, { x = "five", b = true, s = "1" })
    assert.matches("no value of the type 'integer'", err.message)
  end)

  it("takes ${…} anywhere", function()
    local options = { policy = "FIRST", inputs = { { "${x}", "integer" } }, rules = { { "${x > limit}", "${x * 2}" } } }
    assert.equal(14, (decide(options, { x = 7, limit = 6 })))
  end)

  it("reads FEEL where a text is no JUEL", function()
    local options = { policy = "FIRST", inputs = { { "x", "integer" } }, rules = { { "-", "if x > 1 then [x] else []" } } }
    assert.same({ 7 }, (decide(options, { x = 7 })))
  end)

  it("knows a required decision by the names of its outputs", function()
    local season = models.table { policy = "FIRST", inputs = { { "month", "integer" } }, outputs = { { "season", "string" } },
      rules = { { "< 6", '"spring"' }, { "-", '"autumn"' } } }
    local both = models.table { policy = "FIRST", inputs = { { "month", "integer" } }, outputs = { { "a" }, { "b" } },
      rules = { { "-", "1", "2" } } }
    local dish = models.table { policy = "FIRST", inputs = { { "season", "string" }, { "a + b", "integer" } }, outputs = { { "dish" } },
      rules = { { '"spring"', "3", '"asparagus"' }, { '"autumn"', "3", '"pumpkin"' } } }
    local file = models.file(models.decision("s", season) .. models.decision("t", both) ..
      models.decision("d", dish, { decisions = { "s", "t" } }), { version = "1.1", attributes = CAMUNDA })
    assert.equal("asparagus", (models.decide(file, "d", { month = 3 })))
    assert.equal("pumpkin", (models.decide(file, "d", { month = 9 })))
  end)

  it("is what DMN 1.1 without marks is, unless types say otherwise", function()
    local options = { policy = "FIRST", inputs = { { 'name.concat("!")', "string" } }, rules = { { '"Ann!"', "1" } } }
    assert.equal(1, (models.decide(table_file(options, { version = "1.1" }), "d", { name = "Ann" })))
    local feel = { policy = "FIRST", inputs = { { "string length(name)", "feel:number" } }, rules = { { "3", "1" } } }
    assert.equal(1, (models.decide(table_file(feel, { version = "1.1" }), "d", { name = "Ann" })))
  end)
end)

describe("Camunda's DMN 1.3", function()
  it("is FEEL throughout", function()
    local options = { policy = "FIRST", inputs = { { "string length(name)", "integer" } }, rules = { { "3", "upper case(name)" } } }
    assert.equal("ANN", (models.decide(table_file(options, { version = "1.3", attributes = CAMUNDA }), "d", { name = "Ann" })))
  end)
end)

describe("Flowable's DMN", function()
  local function decide(options, vars) return models.decide(table_file(options, { version = "1.2", attributes = FLOWABLE }), "d", vars) end

  it("has cells that continue the input: operators, values, methods", function()
    local options = { policy = "FIRST", inputs = { { "name", "string" }, { "age", "number" }, { "vip", "boolean" } }, outputs = { { "o" } },
      rules = { { '== "Ann"', "< 18", "-", '"a"' }, { '!= "Ann"', ">= 18", "true", '"b"' }, { '.startsWith("A")', "-", "== false", '"c"' },
        { '"Bob"', "", "-", '"d"' }, { "-", "== limit", "-", '"e"' } } }
    assert.equal("a", (decide(options, { name = "Ann", age = 3, vip = true })))
    assert.equal("b", (decide(options, { name = "Bob", age = 18, vip = true })))
    assert.equal("c", (decide(options, { name = "Ann", age = 30, vip = false })))
    assert.equal("d", (decide(options, { name = "Bob", age = 3, vip = false })))
    assert.equal("e", (decide(options, { name = "Cid", age = 7, limit = 7 })))
  end)

  it("has expressions in ${…} and #{…}, and outputs in JUEL", function()
    local options = { policy = "FIRST", inputs = { { "age", "number" } }, outputs = { { "o" } },
      rules = { { "${age > limit}", "age + 1" }, { "#{age == limit}", "${name}" } } }
    assert.equal(8, (decide(options, { age = 7, limit = 3 })))
    assert.equal("Ann", (decide(options, { age = 3, limit = 3, name = "Ann" })))
  end)

  it("compares dates", function()
    local options = { policy = "FIRST", inputs = { { "due", "date" } }, outputs = { { "o" } },
      rules = { { "< fn_date('2020-01-01')", '"early"' }, { "== date:toDate('2020-05-05')", '"then"' }, { "-", '"late"' } } }
    assert.equal("early", (decide(options, { due = "2019-12-31" })))
    assert.equal("then", (decide(options, { due = "2020-05-05" })))
    assert.equal("late", (decide(options, { due = "2020-12-31" })))
  end)

  it("knows the functions of collections and of moving dates", function()
    local options = { policy = "FIRST", inputs = { { "tags", "collection" } }, outputs = { { "o" } },
      rules = { { '${collection:allOf(tags, "a, b")}', '"all"' }, { "${collection:anyOf(tags, wanted)}", '"any"' },
        { "${collection:containsAny(tags, '[\"p\", \"q\"]')}", '"json"' },
        { '${collection:noneOf(tags, "z")}', "date:format(date:addDate('2020-01-31', 1, 1, 1), 'yyyy-MM-dd')" } } }
    assert.equal("all", (decide(options, { tags = { "b", "c", "a" } })))
    assert.equal("any", (decide(options, { tags = { "b" }, wanted = { "b", "x" } })))
    assert.equal("json", (decide(options, { tags = { "q" }, wanted = {} })))
    assert.equal("2021-03-01", (decide(options, { tags = { "c" }, wanted = {} })))
  end)

  it("takes an input without expression, and dates that are null, for null", function()
    local options = { policy = "FIRST", inputs = { { "" }, { "x", "string" } }, outputs = { { "o" } },
      rules = { { "", '== "a"', "fn_addDate(missing, 0, 0, 1)" }, { "", '== "b"', '"b"' } } }
    assert.equal("b", (decide(options, { x = "b" })))
    assert.is_nil((decide(options, { x = "a" })))
  end)

  it("has an index over cells with ==", function()
    local rules = {}
    for i = 1, 50 do rules[i] = { ('== "k%d"'):format(i), tostring(i) } end
    local file = table_file({ policy = "FIRST", inputs = { { "x", "string" } }, rules = rules }, { version = "1.2", attributes = FLOWABLE })
    local _, compiled = models.load(file)
    assert.matches("D%.index_texts", compiled.code)
    assert.equal(44, (models.decide(file, "d", { x = "k44" })))
  end)
end)

describe("any file", function()
  it("may name a text's language: feel, juel, lua", function()
    local body = '<decision id="j" name="j"><variable name="j"/>' ..
      models.text("x.toUpperCase()", 'expressionLanguage="juel"') .. "</decision>" ..
      '<decision id="l" name="l"><variable name="l"/>' .. models.text("x:rep(3)", 'expressionLanguage="lua"') .. "</decision>" ..
      '<decision id="m" name="m"><variable name="m"/>' ..
      models.text('local n = 0\nfor _, item in ipairs(items) do n = n + item end\nreturn n', 'expressionLanguage="lua"') .. "</decision>"
    assert.equal("AB", (models.decide(models.file(body), "j", { x = "ab" })))
    assert.equal("ababab", (models.decide(models.file(body), "l", { x = "ab" })))
    assert.equal(6, (models.decide(models.file(body), "m", { items = { 1, 2, 3 } })))
  end)

  it("reads == \"X\" in a cell as what it means", function()
    local options = { policy = "FIRST", inputs = { { "x", "string" } }, rules = { { '== "a"', "1" }, { "-", "2" } } }
    assert.equal(1, (models.decide(table_file(options), "d", { x = "a" })))
    assert.equal(2, (models.decide(table_file(options), "d", { x = "b" })))
  end)

  it("refuses languages it does not know", function()
    local file = models.file('<decision id="d" name="d">' .. models.text("1", 'expressionLanguage="groovy"') .. "</decision>")
    assert.matches('expressions in "groovy" are not supported', models.problems(file)[1])
  end)

  it("keeps Lua texts in bounds", function()
    local function lua(text)
      return models.file('<decision id="d" name="d"><variable name="d"/>' .. models.text(text, 'expressionLanguage="lua"') ..
        "</decision>")
    end
    models.raises("limit", models.decide, lua "while true do end", "d")
    for _, text in ipairs { "os", "io", "require", "load", "debug", "_G", "package" } do
      assert.is_nil((models.decide(lua(text), "d")), text)
    end
    assert.is_false((pcall(models.decide, lua "(function() string.rep = nil end)()", "d")))
  end)
end)
