-- Declared values: the types of Camunda's clients, from where they come in to where they are read, and on every way between.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local support = require "spec.support.process"
local typed, refused = orrery.typed, support.refused

local JSON = '{"b": [1, 2.50, {"x": null}], "a":"\\u00e9"}'

local function file(content)
  return typed { type = "File", value = content, info = { filename = "a.txt", mimetype = "text/plain", encoding = "utf-8" } }
end

local function object()
  return typed { type = "Object", value = "<x/>", info = { objectTypeName = "com.X", serializationDataFormat = "application/xml" } }
end

-- One of each type.
local function samples()
  return {
    short = typed { type = "Short", value = 7 }, integer = typed { type = "Integer", value = 7 }, long = typed { type = "Long", value = 7 },
    date = typed { type = "Date", value = "2026-03-04T05:06:07.250Z" }, bytes = typed { type = "Bytes", value = "\0\255" },
    file = file "abc", xml = typed { type = "Xml", value = "<a/>" }, json = typed { type = "Json", value = JSON }, object = object(),
    none = typed { type = "Date" }, absent = typed { type = "Null" },
  }
end

local types = { short = "Short", integer = "Integer", long = "Long", date = "Date", bytes = "Bytes", file = "File", xml = "Xml",
  json = "Json", object = "Object", none = "Date", absent = "Null" }

local function same(expected, actual)
  for name, value in pairs(expected) do
    assert.equal(value.type, actual[name].type, name)
    assert.equal(value.value, actual[name].value, name)
    assert.same(value.info, actual[name].info, name)
  end
end

local function waiting(options)
  local engine = support.engine(options)
  support.user_task(engine)
  return engine
end

describe("orrery.typed", function()
  it("knows a value by its type's name in any case, and says it as Camunda writes it", function()
    for name, value in pairs(samples()) do assert.equal(types[name], value.type) end
    assert.equal("Date", typed { type = "dAtE", value = 0 }.type)
    assert.equal("orrery.typed(Long)", tostring(typed { type = "long", value = 1 }))
    assert.is_true(typed { type = "Long", value = 1 } == typed { type = "Long", value = 1.0 })
    assert.is_false(typed { type = "Long", value = 1 } == typed { type = "Short", value = 1 })
  end)

  it("gives what it was made of", function()
    local f = file "abc"
    assert.same({ "abc", "a.txt", "text/plain", "utf-8", false },
      { f.value, f.info.filename, f.info.mimetype, f.info.encoding, f.transient })
    assert.equal(JSON, typed { type = "Json", value = JSON }.value)
    assert.equal(orrery.parse_time "2026-03-04T05:06:07.250Z", typed { type = "Date", value = "2026-03-04T05:06:07.250Z" }.value)
    assert.is_nil(typed { type = "Boolean" }.value)
    assert.equal("Boolean", typed { type = "Boolean" }.type)
    assert.equal('{"k":[1,"x"]}', typed { type = "Json", value = { k = { 1, "x" } } }.value)
    assert.is_true(typed { type = "String", value = "x", transient = true }.transient)
  end)

  it("refuses what does not fit the type", function()
    for kind, wrong in pairs { Short = 32768, Integer = 2147483648, Long = 1.5, Date = "yesterday", Boolean = 1, Double = "1", String = 1,
      Bytes = 1, Xml = {}, Json = true, Object = {}, Null = 1, File = 1 } do
      local err = refused("argument", typed, { type = kind, value = wrong, info = { filename = "f" } })
      assert.truthy(err.message:find(kind, 1, true), err.message)
    end
    refused("argument", typed, { type = "Number", value = 1 })
    refused("argument", typed, { type = "File", value = "x" })
    refused("argument", typed, { type = "File", value = "x", info = { filename = 1 } })
    refused("argument", typed, { type = "Long", value = 1, info = { transient = 1 } })
    refused("argument", typed, { type = "Long", kind = 1 })
  end)

  it("refuses a Json that is none, and says where", function()
    for text, place in pairs { ["{"] = 2, ["[1,]"] = 4, ["nul"] = 1, ['"a'] = 3, ["1 2"] = 3, ['"\\x"'] = 3, ['"\\ud800"'] = 8, ["01"] = 2,
      ["1."] = 3, ['{"a" 1}'] = 6, ["[1"] = 3, ["-"] = 2, [""] = 1, ['"\n"'] = 2, ["{1:2}"] = 2 } do
      local err = refused("argument", typed, { type = "Json", value = text })
      assert.truthy(err.message:find("at byte " .. place, 1, true), text .. ": " .. err.message)
    end
    assert.truthy(refused("argument", typed, { type = "Json", value = ("["):rep(65) }).message:find("64 deep", 1, true))
    assert.equal("Json", typed { type = "Json", value = ("["):rep(64) .. ("]"):rep(64) }.type)
  end)
end)

describe("a declared variable", function()
  it("is read with its type, wherever it is read", function()
    local engine <close> = waiting()
    local pi = engine:start("p", { variables = samples() })
    local task = engine:task { instance = pi.id }
    same(samples(), pi:typed_variables())
    same(samples(), task:typed_variables())
    same({ json = samples().json }, { json = task:get_typed "json" })
    assert.is_nil(pi:get_typed "nothing")
    task:set_local("own", typed { type = "Short", value = 1 })
    assert.same({ own = "Short" }, { own = task:local_typed_variables().own.type })
    assert.equal("Short", task:get_local_typed "own".type)
    assert.is_nil(task:get_local_typed "long")
  end)

  it("is a plain value to scripts and to the program", function()
    local engine <close> = waiting()
    local pi = engine:start("p", { variables = samples() })
    local v = pi:variables()
    assert.same({ 7, 7, 7 }, { v.short, v.integer, v.long })
    assert.equal("integer", math.type(v.long))
    assert.equal(orrery.parse_time "2026-03-04T05:06:07.250Z", v.date)
    assert.same({ "\0\255", "abc", "<a/>", "<x/>", orrery.null, orrery.null }, { v.bytes, v.file, v.xml, v.object, v.none, v.absent })
    assert.same({ "é", 1, 2.5, orrery.null }, { v.json.a, v.json.b[1], v.json.b[2], v.json.b[3].x })
    assert.is_nil(pi:get "none")
    assert.equal(8, engine:evaluate("${long + 1}", { execution = pi.id }))
    assert.equal(2.5, engine:evaluate("${json.b[1]}", { execution = pi.id }))
  end)

  it("is told by its Lua type when nothing was declared", function()
    local engine <close> = waiting()
    local pi = engine:start("p", { variables = { a = 2147483647, b = 2147483648, c = 1.0, d = "x", e = true, f = { 1 }, g = { k = 1 },
      h = orrery.null, i = -2147483649 } })
    local got = {}
    for name, value in pairs(pi:typed_variables()) do got[name] = value.type end
    assert.same({ a = "Integer", b = "Long", c = "Double", d = "String", e = "Boolean", f = "Json", g = "Json", h = "Null",
      i = "Long" }, got)
    assert.equal("[1]", pi:get_typed "f".value)
  end)

  it("takes the type of what is set last", function()
    local engine <close> = waiting()
    local pi = engine:start("p", { variables = { x = typed { type = "Long", value = 1 } } })
    pi:set("x", 2)
    assert.equal("Integer", pi:get_typed "x".type)
    pi:set("x", typed { type = "Short", value = 3 })
    assert.equal("Short", pi:get_typed "x".type)
  end)

  it("is found by its value, whatever its type", function()
    local engine <close> = waiting()
    local pi = engine:start("p", { variables = samples() })
    for _, name in ipairs { "short", "integer", "long" } do
      assert.equal(pi.id, engine:instance { variables = { [name] = 7 } }.id)
      assert.equal(pi.id, engine:instance { variables = { [name] = typed { type = "Long", value = 7 } } }.id)
    end
    assert.equal(pi.id, engine:instance { variables = { date = { gt = 0 } } }.id)
  end)

  it("is a time where a model wants one", function()
    local engine <close> = support.engine()
    support.deploy(engine, '<startEvent id="s"/><intermediateCatchEvent id="t">' .. support.timer("Date", "${due}")
      .. '</intermediateCatchEvent><endEvent id="e"/>', "s -> t t -> e")
    engine:start("p", { variables = { due = typed { type = "Date", value = "2026-01-02T00:00:00Z" } } })
    assert.equal(orrery.parse_time "2026-01-02T00:00:00Z", engine:job({}).due)
  end)

  it("is a Date when an expression's time is kept", function()
    local engine <close> = waiting()
    local pi = engine:start("p")
    pi:set("d", engine:evaluate "${dateTime()}")
    support.deploy(engine, '<startEvent id="s"/><scriptTask id="x" scriptFormat="juel" camunda:resultVariable="when"><script>'
      .. '${dateTime()}</script></scriptTask><userTask id="u"/>', "s -> x x -> u", { key = "q" })
    assert.equal("Date", engine:start "q":get_typed "when".type)
    assert.equal(engine:now(), engine:instance { key = "q" }:get "when")
  end)

  for vendor, namespace in pairs { camunda = "http://camunda.org/schema/1.0/bpmn",
    flowable = "http://flowable.org/bpmn" } do
    it("is a Date when now() or toDate() give it, as in " .. vendor, function()
      local engine <close> = support.engine()
      engine:register("tell", function(value) return math.type(value) ~= nil end)
      local result = vendor == "camunda" and "resultVariable" or "resultVariableName"
      local mapped = vendor == "camunda" and [[<V:inputOutput>
        <V:inputParameter name="mapped">${dateTime().plusDays(1).toDate()}</V:inputParameter>
        <V:outputParameter name="out">${mapped}</V:outputParameter></V:inputOutput>]] or ""
      local body = ([[<startEvent id="s"/>
        <serviceTask id="x" V:expression="${now()}" V:RESULT="result"><extensionElements>MAPPED
        <V:executionListener event="start"
          expression="${execution.setVariable('listener', now())}"/>
        <V:executionListener event="end"
          expression="${execution.setVariable('plain', tell(now()))}"/>
        </extensionElements></serviceTask><userTask id="u"><extensionElements>
        <V:taskListener event="create"
          expression="${task.setVariable('task', dateTime().toDate())}"/>
        <V:taskListener event="create"
          expression="${task.setDueDate(dateTime().plusDays(1).toDate())}"/>
        <V:taskListener event="create"
          expression="${task.setFollowUpDate(dateTime().plusDays(2))}"/>
        </extensionElements></userTask>]])
      body = body:gsub("RESULT", result):gsub("MAPPED", mapped):gsub("V:", vendor .. ":")
      local text = support.model(body, "s -> x x -> u"):gsub('xmlns:camunda="[^"]*"',
        ("xmlns:%s=%q"):format(vendor, namespace))
      engine:deploy { ["p.bpmn"] = text }
      local pi, told = engine:start "p", {}
      for name, value in pairs(pi:typed_variables()) do told[name] = value.type end
      assert.is_true(pi:get "plain")
      assert.same({ result = "Date", listener = "Date", task = "Date", plain = "Boolean",
        out = vendor == "camunda" and "Date" or nil }, told)
      assert.equal(engine:now(), pi:get "result")
      local task = engine:task { instance = pi.id }
      assert.same({ engine:now() + 86400, engine:now() + 2 * 86400 }, { task.due, task.follow_up })
    end)
  end
end)

describe("what was declared stays", function()
  it("through the history, which can be asked for types", function()
    local engine <close> = waiting { history = "full" }
    local pi = engine:start("p", { variables = samples() })
    engine:task { instance = pi.id }:complete()
    local told = {}
    for _, row in ipairs(engine:history_variables { instance = pi.id }) do
      told[row.name] = row.type
      if row.name == "file" then assert.same({ filename = "a.txt", mimetype = "text/plain", encoding = "utf-8" }, row.info) end
    end
    assert.same(types, told)
    assert.same({ "file" }, support.fields(engine:history_variables { type = "File" }, "name"))
    local again = engine:restart(pi.definition_id, { instances = { pi.id } })[1]
    same(samples(), again:typed_variables())
    local first = engine:restart(pi.definition_id, { instances = { pi.id }, initial_variables = true })[1]
    same(samples(), first:typed_variables())
  end)

  it("through mappings by a variable's name, into called processes and back", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><callActivity id="c" calledElement="q"><extensionElements>
      <camunda:in variables="all"/><camunda:out source="json" target="back"/></extensionElements></callActivity>
      <userTask id="u"/>]], "s -> c c -> u")
    support.deploy(engine, [[<startEvent id="s"/><userTask id="t"><extensionElements><camunda:inputOutput>
      <camunda:inputParameter name="mapped">${long}</camunda:inputParameter></camunda:inputOutput></extensionElements></userTask>
      <endEvent id="e"/>]], "s -> t t -> e", { key = "q" })
    local pi = engine:start("p", { variables = samples() })
    local task = engine:task { key = "t" }
    same(samples(), task:typed_variables())
    assert.equal("Long", task:get_typed "mapped".type)
    task:complete()
    same({ back = samples().json }, { back = pi:get_typed "back" })
  end)

  it("through messages, jobs, tasks and workers", function()
    local engine <close> = support.engine()
    engine:deploy { ["m.bpmn"] = support.started_by("q", "go") }
    local pi = engine:start_by_message("go", { variables = samples() })
    same(samples(), pi:typed_variables())
    support.deploy(engine, [[<startEvent id="s"/><userTask id="t"/><serviceTask id="x" camunda:type="external" camunda:topic="x"/>
      <userTask id="u"/>]], "s -> t t -> x x -> u")
    pi = engine:start("p", { variables = samples(), async = true })
    engine:run_jobs()
    pi = engine:instance { key = "p" }
    same(samples(), pi:typed_variables())
    engine:task { key = "t" }:complete { file = file "def" }
    assert.equal("def", pi:get_typed "file".value)
    local fetched = engine:fetch_and_lock { worker = "w", max = 1, topics = { { name = "x", lock = 10 } } }[1]
    assert.equal(7, fetched.variables.long)
    fetched:complete("w", { long = typed { type = "Short", value = 8 } })
    assert.equal("Short", pi:get_typed "long".type)
  end)

  it("in delegates, by both spellings", function()
    local engine <close> = support.engine()
    local seen = {}
    engine:register("work", function(execution)
      seen[1] = execution:get_typed "long".type
      seen[2] = execution.getVariableTyped("file").info.filename
      seen[3] = execution:get_typed "nothing"
      execution:set("copy", execution:get_typed "object")
      execution:set_local("here", typed { type = "Xml", value = "<b/>" })
      seen[4] = execution:get_local_typed "here".type
    end)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="w" camunda:class="work"/><scriptTask id="l" scriptFormat="lua"><script>'
      .. 'execution:set("made", orrery.typed { type = "Short", value = 1 })</script></scriptTask><userTask id="u"/>',
      "s -> w w -> l l -> u")
    local pi = engine:start("p", { variables = samples() })
    assert.same({ "Long", "a.txt", nil, "Xml" }, seen)
    same({ copy = object() }, { copy = pi:get_typed "copy" })
    assert.equal("Short", pi:get_typed "made".type)
  end)

  it("in a store that is closed and opened, and is found whole", function()
    local path = folder.make()
    do
      local engine <close> = orrery.open(path, { log = "none" })
      support.user_task(engine)
      engine:start("p", { variables = samples() })
    end
    do
      local engine <close> = orrery.open(path, { log = "none" })
      same(samples(), engine:instance { key = "p" }:typed_variables())
      assert.same({}, engine:verify())
    end
    folder.remove(path)
  end)
end)

describe("a Json text", function()
  it("is a collection for a multi-instance and a list of names for candidates", function()
    local engine <close> = support.engine()
    support.deploy(engine, [[<startEvent id="s"/><userTask id="t" camunda:candidateUsers="${people}" camunda:assignee="${who}">
      <multiInstanceLoopCharacteristics isSequential="false" camunda:collection="${list}" camunda:elementVariable="who"/></userTask>
      <endEvent id="e"/>]], "s -> t t -> e")
    engine:start("p", { variables = { list = typed { type = "Json", value = '["a","b"]' },
      people = typed { type = "Json", value = '["x", "y"]' } } })
    assert.same({ "a", "b" }, support.each(engine:tasks {}, "assignee"))
    assert.same({ "a", "x", "y" }, support.each(engine:tasks({ assignee = "a" })[1]:links(), "user"))
    engine:start("p", { variables = { list = "items", items = typed { type = "Json", value = "[]" }, people = "" } })
    assert.equal(2, #engine:tasks {})
  end)
end)

describe("a transient one", function()
  it("is seen in the transaction, with its type, and never stored", function()
    local engine <close> = support.engine()
    local seen
    engine:register("work", function(execution) seen = { execution:get "t", execution:get_typed "t".type } end)
    support.deploy(engine, '<startEvent id="s"/><serviceTask id="w" camunda:class="work"/><userTask id="u"/>', "s -> w w -> u")
    local pi = engine:start("p", { variables = { t = typed { type = "Short", value = 1, transient = true }, kept = 1 } })
    assert.same({ 1, "Short" }, seen)
    assert.same({ kept = 1 }, pi:variables())
    engine:transaction(function()
      pi:set("later", typed { type = "Long", value = 2, transient = true })
      assert.is_true(pi:get_typed "later".transient)
      assert.is_true(pi:typed_variables().later.transient)
      assert.is_false(pi:get_typed "kept".transient)
    end)
    assert.is_nil(pi:get_typed "later")
    assert.same({ "kept" }, support.fields(engine:history_variables { instance = pi.id }, "name"))
  end)
end)
