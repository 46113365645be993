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

  -- Lengths that do not fit what a length is sometimes kept in.
  it("come out whole by every path, however long a text is", function()
    local other = model.script "execution:set('copy', text)"
    other["p.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">
      <message id="m" name="m"/><signal id="sg" name="sg"/><process id="q" isExecutable="true"><startEvent id="s"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="script"/><scriptTask id="script" scriptFormat="lua">
      <script>execution:set("by_script", text)</script></scriptTask><sequenceFlow id="f2" sourceRef="script" targetRef="later"/>
      <serviceTask id="later" o:asyncBefore="true" o:class="later"/><sequenceFlow id="f3" sourceRef="later" targetRef="ask"/>
      <userTask id="ask" o:formKey="${by_script}"><documentation>d</documentation></userTask>
      <sequenceFlow id="f4" sourceRef="ask" targetRef="catch"/>
      <intermediateCatchEvent id="catch"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
      <sequenceFlow id="f5" sourceRef="catch" targetRef="hear"/>
      <intermediateCatchEvent id="hear"><signalEventDefinition signalRef="sg"/></intermediateCatchEvent>
      <sequenceFlow id="f6" sourceRef="hear" targetRef="end"/><userTask id="end"/></process></definitions>]]
    engine:deploy(other)
    for _, size in ipairs { 255, 256, 65535, 65536, 65537, 200000, 1024 * 1024 + 1 } do
      local text = ("x\0y"):rep(size // 3 + 1):sub(1, size - 1) .. "."
      local function same(found, path)
        if found ~= text then error(("%s, %d bytes: %s came out"):format(path, size, type(found) == "string" and #found or type(found))) end
      end
      same(back(text), "set and get")
      same(back({ { text } })[1][1], "in an array")
      same(pi:variables().v[1][1], "all variables")
      same(back({ [("k"):rep(200)] = { text = text } })[("k"):rep(200)].text, "in a map")
      engine:register("later", function(execution)
        same(execution:get "text", "a delegate's get")
        execution:set("by_delegate", execution:get "text")
      end)
      local pi = engine:start("q", { variables = { text = text } })
      same(pi:get "by_script", "a script's variable")
      assert.equal(1, engine:run_jobs())
      same(pi:get "by_delegate", "a delegate's set")
      local task = engine:task { instance = pi.id }
      task:complete { by_task = text }
      engine:message("m", { instance = pi.id, variables = { by_message = text } })
      engine:signal("sg", { variables = { by_signal = text }, async = true })
      assert.equal(1, engine:run_jobs())
      for _, name in ipairs { "by_task", "by_message", "by_signal" } do same(pi:get(name), name) end
      same(engine:evaluate("${by_task}", { execution = engine:execution({ instance = pi.id, activity = "end" }).id }), "an expression")
      local rows = engine:history_variables { instance = pi.id }
      assert.equal(6, #rows)
      for _, row in ipairs(rows) do same(row.value, "history of " .. row.name) end
      task = engine:task { instance = pi.id }
      task:set("description", text)
      pi:delete "enough"
    end
    assert.same({}, engine:verify())
  end)

  it("may be used twice in one value, which is no cycle", function()
    local shared = { 1 }
    assert.same({ a = { 1 }, b = { 1 } }, back { a = shared, b = shared })
  end)
end)
