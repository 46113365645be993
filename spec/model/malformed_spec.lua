-- Bad models, each with the diagnosis it must get: place, element, and what the message says.
local model = require("orrery_inside").model

local function file(body, attributes)
  return [[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:flowable="http://flowable.org/bpmn" targetNamespace="t"]] .. (attributes or "") .. ">\n" .. body .. "\n</definitions>"
end

-- the body's first line is line 5 of the file
local function process(body) return file('<process id="p" isExecutable="true">\n' .. body .. "\n</process>") end

local start = '<startEvent id="s"/>'
local function task(xml) return process(start .. '<sequenceFlow id="f" sourceRef="s" targetRef="t"/>\n' .. xml) end

local function deep(n) return ("<subProcess>"):rep(n) end
local many = {}
for i = 1, 300 do many[i] = ' a' .. i .. '="1"' end

-- each row: what it is, the bytes, then line, column, element (nil: any) and what the message holds (plain text)
local cases = {
  { "nothing", "", 1, 1, nil, "the document is empty" },
  { "only spaces", "  \n\t ", 1, 1, nil, "the document is empty" },
  { "an end that is missing", file '<process id="p">', 5, nil, nil, "<process> of line 4 is open" },
  { "a tag that does not match", file '<process id="p"></proces>', 4, nil, "process", "not well-formed" },
  { "an undeclared prefix", file '<process id="p" foo:x="1"/>', 4, nil, nil,
    'the root element has to declare it: xmlns:foo="…"' },
  { "a vendor's prefix that is not declared", file '<process id="p" orrery:x="1"/>', 4, nil, nil,
    'xmlns:orrery="urn:orrery:bpmn"' },
  { "a ZIP", "PK\3\4 ....", 1, 1, nil, "it looks like a ZIP archive" },
  { "a PNG", "\x89PNG\r\n\x1A\n", 1, 1, nil, "it looks like a PNG image" },
  { "JSON", '{"id": 1}', 1, 1, nil, "it looks like JSON" },
  { "HTML", "<!DOCTYPE html><html></html>", 1, 1, nil, "it looks like HTML" },
  { "Lua", "local x = 1", 1, 1, nil, "it looks like plain text" },
  { "bad UTF-8", "<a>\n\xFF</a>", 2, 1, nil, "byte 4 (0xFF) is not UTF-8" },
  { "a NUL", "<a>\0</a>", 1, 4, nil, "byte 3 is NUL" },
  { "UTF-7 declared", '<?xml version="1.0" encoding="UTF-7"?><a/>', 1, 1, nil, 'encoding "UTF-7" is not accepted' },
  { "UTF-16 declared but not meant", '<?xml version="1.0" encoding="UTF-16"?><a/>', 1, 1, nil, "its bytes are not UTF-16" },
  { "half a UTF-16 character", "\xFF\xFE<\0a\0/\0>", 1, nil, nil, "ends within a character" },
  { "ASCII that is not", '<?xml version="1.0" encoding="US-ASCII"?><a>\xE9</a>', 1, nil, nil, "is no character of the encoding" },
  { "a DOCTYPE", '<?xml version="1.0"?>\n <!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>', 2, 2, nil, "DOCTYPE" },
  { "an entity", file '<process id="p" name="&x;"/>', 4, nil, nil, "Entity 'x' not defined" },
  { "nesting", file(deep(80)), nil, nil, nil, "elements are nested too deep: 65, but the limit is 64" },
  { "attributes without end", "<a" .. table.concat(many) .. "/>", 1, 1, nil, "too many attributes: 257, but the limit is 256" },
  { "an attribute without end", '<a b="' .. ("x"):rep(65537) .. '"/>', 1, 4, nil, "too many bytes: 65537" },
  { "a text without end", "<a>" .. ("x"):rep(1024 * 1024 + 1) .. "</a>", 1, 4, nil, "a text has too many bytes" },
  { "another root", "<a/>", 1, 1, "a", "the root element must be <definitions>" },
  { "no namespace", '\n <definitions id="d"/>', 2, 2, "definitions", "in no namespace" },
  { "an older BPMN", '<definitions xmlns="http://schema.omg.org/spec/BPMN/2.0"/>', 1, 1, nil, "http://schema.omg.org/spec/BPMN/2.0" },
  { "no process", file "", 2, 1, "definitions", "the file has no <process>" },
  { "an id twice", process(start .. '\n<userTask id="s"/>'), 6, 11, "s", 'id "s" is used twice: by <startEvent> in line 5 and here' },
  { "an id twice, before what follows from it", process(start .. '<userTask id="t"/>\n<userTask id="t"/>'
      .. '<sequenceFlow id="f" sourceRef="s" targetRef="t"/>'), 6, 11, "t", 'id "t" is used twice: by <userTask> in line 5 and here' },
  { "no process id", file '<process isExecutable="true"><startEvent id="s"/></process>', 4, 1, "process", "must have an id" },
  { "an empty id", process(start .. '<userTask id=" "/>'), 5, 31, nil, "the id of <userTask> is empty" },
  { "an illegal id", process(start .. '<userTask id="a b"/>'), 5, nil, nil, '"a b" is not a legal id' },
  { "a long id", process(start .. '<userTask id="' .. ("x"):rep(256) .. '"/>'), 5, nil, nil, "has 256 bytes; the limit is 255" },
  { "a flow to nowhere", process(start .. '<sequenceFlow id="f" sourceRef="s" targetRef="nowhere"/>'), 5, 56, "f",
      'Invalid destination "nowhere"' },
  { "a flow without source", process(start .. '<sequenceFlow id="f" targetRef="s"/>'), 5, nil, "f", 'Invalid source ""' },
  { "a flow over a border", process(start
      .. '<subProcess id="u"><startEvent id="v"/></subProcess><sequenceFlow id="f" sourceRef="s" targetRef="v"/>'),
    5, nil, "f", "crosses the border" },
  { "no start event", process '<userTask id="t"/>', 4, 1, "p", "must define a startEvent element" },
  { "two none start events", process(start .. '<startEvent id="s2"/>'), 4, 1, "p", "has 2 none start events" },
  { "a form by key and by reference", process(start .. '<userTask id="t" camunda:formKey="k" camunda:formRef="f"/>'), 5, nil, "t",
      "has both a formKey and a formRef" },
  { "a start event's, too", process '<startEvent id="s" camunda:formKey="k" camunda:formRef="f"/>', 5, nil, "s",
      "has both a formKey and a formRef" },
  { "a form's binding", process(start .. '<userTask id="t" camunda:formRef="f" camunda:formRefBinding="none"/>'), 5, nil, "t",
      'must be deployment, latest or version, not "none"' },
  { "a flow into a start event", task '<userTask id="t"/><sequenceFlow id="g" sourceRef="t" targetRef="s"/>', 6, nil, "g",
      "leads into the start event" },
  { "an unknown element", process(start .. '<usertask id="t"/>'), 5, nil, "t",
      'there is no BPMN element <usertask>; did you mean "userTask"?' },
  { "an element out of place", process '<startEvent id="s"><userTask id="t"/></startEvent>', 5, nil, nil,
      "<userTask> may not stand inside <startEvent>" },
  { "an unknown attribute", process(start .. '<userTask id="t" nmae="x"/>'), 5, nil, "t", 'has no attribute "nmae"; did you mean "name"?' },
  { "a missing prefix", process(start .. '<userTask id="t" assignee="x"/>'), 5, nil, "t", "needs a vendor's prefix" },
  { "a complex gateway", process(start .. '<complexGateway id="g"/>'), 5, nil, "g", "<complexGateway> is known, but not supported" },
  { "an ad-hoc sub-process", process(start .. '<adHocSubProcess id="g"/>'), 5, nil, "g", "not supported" },
  { "an extension outside its place", process(start .. '<userTask id="t"><camunda:taskListener/></userTask>'), 5, nil, "t",
      "<extensionElements>" },
  { "a gateway without a way out", task '<exclusiveGateway id="t"/>', 6, 1, "t", "has no outgoing sequence flows" },
  { "a default flow of somewhere else", task '<exclusiveGateway id="t" default="f"/>', 6, 26, "t",
      '"f" of exclusiveGateway "t" is not one of its' },
  { "two flows without condition", task [[<exclusiveGateway id="t"/><userTask id="u"/>
    <sequenceFlow id="a" sourceRef="t" targetRef="u"/><sequenceFlow id="b" sourceRef="t" targetRef="u"/>]], 6, 1, "t", '"a", "b"' },
  { "an event gateway before a task",
      task '<eventBasedGateway id="t"/><userTask id="u"/><sequenceFlow id="g" sourceRef="t" targetRef="u"/>',
    6, 1, "t", "can only be connected to catching events" },
  { "a boundary event of nothing", process(start .. '<boundaryEvent id="b" attachedToRef="x"><cancelEventDefinition/></boundaryEvent>'), 5,
      nil, "b",
    'attached to "x"' },
  { "cancel outside of a transaction",
      task '<userTask id="t"/><boundaryEvent id="b" attachedToRef="t"><cancelEventDefinition/></boundaryEvent>', 6, nil, "b",
    "only supported on transaction" },
  { "a message that is not there", process '<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>', 5, nil, "s",
      'no message with id "m"' },
  { "a message without name", file '<message id="m"/><process id="p"><startEvent id="s"><messageEventDefinition messageRef="m"/>\z
      </startEvent></process>', 4, nil, "s",
    "empty or missing name" },
  { "a signal without name", file '<signal id="x"/><process id="p"><startEvent id="s"/></process>', 4, 1, "x", "has no name" },
  { "one message, two start events", file [[<message id="m" name="m"/><process id="p">
<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent><startEvent id="s2"><messageEventDefinition messageRef="m"/>
    </startEvent></process>]],
    5, nil, "s2", 'more than one message event subscription with name "m"' },
  { "an error thrown without code",
      file '<error id="e"/><process id="p"><startEvent id="s"/><endEvent id="x"><errorEventDefinition errorRef="e"/></endEvent></process>',
    4, nil, "x", "'errorCode' is mandatory" },
  { "a timer without time", process '<startEvent id="s"><timerEventDefinition/></startEvent>', 5, 20, "s",
      "either timeDate, timeCycle or timeDuration" },
  { "a timer with two times",
    process '<startEvent id="s"><timerEventDefinition><timeDate>2030-01-01</timeDate><timeDuration>PT1H</timeDuration>\z
      </timerEventDefinition></startEvent>',
    5, 20, "s", "not 2" },
  { "a duration of nothing", process '<startEvent id="s"><timerEventDefinition><timeDuration>PT</timeDuration></timerEventDefinition>\z
      </startEvent>', 5, nil, "s",
    '"PT" is not a duration' },
  { "month 13", process '<startEvent id="s"><timerEventDefinition><timeDate>2030-13-01T00:00:00</timeDate></timerEventDefinition>\z
      </startEvent>', 5, nil, "s",
    "2030-13-01" },
  { "a cycle counted backwards",
      process '<startEvent id="s"><timerEventDefinition><timeCycle>R-1/PT1H</timeCycle></timerEventDefinition></startEvent>', 5, nil, "s",
    "R-1/PT1H" },
  { "a condition that does not compile", task [[<userTask id="t"/><userTask id="u"/><sequenceFlow id="g" sourceRef="t" targetRef="u">
<conditionExpression>
  ${a >}</conditionExpression></sequenceFlow>]], 8, nil, "g", "${a >}" },
  { "a script that does not compile", task [[<scriptTask id="t" scriptFormat="lua">
<script>
local a
x = = 1
</script></scriptTask>]], 9, nil, "t", "this is not Lua" },
  { "a script in another language", task '<scriptTask id="t" scriptFormat="groovy"><script>x</script></scriptTask>', 6, 20, "t",
      "supported are lua, feel and juel" },
  { "a script from nowhere", task '<scriptTask id="t" scriptFormat="lua" camunda:resource="deployment://x.lua"/>', 6, 39, "t",
      '"deployment://x.lua" is not among' },
  { "a script without text", task '<scriptTask id="t" scriptFormat="lua"/>', 6, 1, "t", "has no script" },
  { "a service without implementation", task '<serviceTask id="t"/>', 6, 1, "t",
    'is mandatory on serviceTask; orrery:class="NAME" calls NAME.lua' },
  { "a service with two", task '<serviceTask id="t" camunda:class="a" camunda:expression="${b}"/>', 6, 1, "t",
      "only one of class, expression" },
  { "an HTTP task without a method", task '<serviceTask id="t" flowable:type="http"/>', 6, 1, "t", 'needs the field "requestMethod"' },
  { "a task type nobody knows", task '<serviceTask id="t" camunda:type="extrnal"/>', 6, 21, "t", 'did you mean "external"?' },
  { "an external task without topic", task '<serviceTask id="t" camunda:type="external"/>', 6, nil, "t", "must specify a 'topic'" },
  { "a decision task that takes what there is not", task '<businessRuleTask id="t" camunda:decisionRef="d" camunda:mapDecisionResult="x"/>',
    6, 1, "t", 'the field "mapDecisionResult" must be one of singleEntry singleResult collectEntries resultList, not "x"' },
  { "a loop over nothing", task '<userTask id="t"><multiInstanceLoopCharacteristics/></userTask>', 6, 18, "t",
      "either <loopCardinality> or a collection" },
  { "a negative loop", task '<userTask id="t"><multiInstanceLoopCharacteristics><loopCardinality>-1</loopCardinality>\z
      </multiInstanceLoopCharacteristics></userTask>',
    6, nil, "t", '"-1" must be a whole number' },
  { "a loop without end", task '<userTask id="t"><standardLoopCharacteristics/></userTask>', 6, 18, "t", "never ends" },
  { "a call of nothing", task '<callActivity id="t"/>', 6, 1, "t", "Missing attribute 'calledElement'" },
  { "a call of no version", task '<callActivity id="t" calledElement="x" camunda:calledElementBinding="version"/>', 6, 40, "t",
      "'calledElementVersion'" },
  { "a mapping without target", task '<callActivity id="t" calledElement="x"><extensionElements><camunda:in source="a"/>\z
      </extensionElements></callActivity>', 6, nil, "t",
    "Missing attribute 'target'" },
  { "a handler that is none", task [[<userTask id="t"/><boundaryEvent id="b" attachedToRef="t"><compensateEventDefinition/></boundaryEvent>
<userTask id="u"/><association sourceRef="b" targetRef="u"/>]], 7, nil, nil, "isForCompensation=true" },
  { "an association without a target", task '<userTask id="t"/><association sourceRef="t"/>', 6, nil, nil, "has no targetRef" },
  { "an association without a source", task '<userTask id="t"/><association targetRef="t"/>', 6, nil, nil, "has no sourceRef" },
  { "a flow into a handler", task '<userTask id="t" isForCompensation="true"/>', 6, 1, "t", "should not have an incoming or outgoing" },
  { "an event sub-process with a plain start", process(start
      .. '<subProcess id="u" triggeredByEvent="true"><startEvent id="v"/></subProcess>'), 5, nil, "v", "must be of type" },
  { "an error start that goes on beside",
    process(start .. '<subProcess id="u" triggeredByEvent="true"><startEvent id="v" isInterrupting="false"><errorEventDefinition/>\z
      </startEvent></subProcess>'),
    5, nil, "v", "must be interrupting" },
  { "a link to nowhere", task '<intermediateThrowEvent id="t"><linkEventDefinition name="L"/></intermediateThrowEvent>', 6, 1, "t",
      "no catching link event" },
  { "a priority of words", task '<userTask id="t" camunda:jobPriority="high"/>', 6, 18, "t",
      '"high" for attribute ' .. "'jobPriority' is not a valid number" },
  { "neither true nor false", task '<userTask id="t" camunda:asyncBefore="yes"/>', 6, 18, "t", 'must be true or false, not "yes"' },
  { "a listener without event", task '<userTask id="t"><extensionElements><camunda:executionListener class="a"/></extensionElements>\z
      </userTask>', 6, 37, "t",
    "Attribute 'event' is mandatory" },
  { "a time to live of words", file '<process id="p" camunda:historyTimeToLive="long" isExecutable="true"><startEvent id="s"/></process>',
      4, 17, "p",
    'Cannot parse historyTimeToLive "long"' },
}

local function find(result, row)
  for _, p in ipairs(result.problems) do
    if not p.warning and p.message:find(row[6], 1, true) and (not row[3] or p.line == row[3]) and (not row[4] or p.column == row[4])
        and (not row[5] or p.element == row[5]) then
      return p
    end
  end
end

local function listed(result)
  local lines = {}
  for i, p in ipairs(result.problems) do
    lines[i] = ("%s %d:%d [%s] %s"):format(p.warning and "warning" or "error", p.line, p.column, p.element, p.message)
  end
  return table.concat(lines, "\n")
end

describe("a malformed model", function()
  for _, row in ipairs(cases) do
    it("with " .. row[1] .. " is refused, and told why", function()
      local result = model.parse(row[2], { resource = "bad.bpmn", check = true, dialect = row[7] or "orrery" })
      assert.equal(-3, result.code)
      assert.same({}, result.definitions)
      assert.equal(0, result.leaked)
      assert(find(result, row), "got:\n" .. listed(result))
      for _, p in ipairs(result.problems) do assert.equal("bad.bpmn", p.resource) end
    end)
  end

  -- Two events of one activity or scope that the same thing would trigger: told once for each that is too many, against the first.
  describe("gets events told that the same would trigger:", function()
    local roots = '<message id="m" name="m"/><signal id="g" name="g"/><escalation id="e1" escalationCode="1"/>'
      .. '<escalation id="e2" escalationCode="2"/><message id="n" name="n"/><signal id="h" name="h"/>'
    local events = { message = '<messageEventDefinition messageRef="m"/>', other = '<messageEventDefinition messageRef="n"/>',
      signal = '<signalEventDefinition signalRef="g"/>', code = '<escalationEventDefinition escalationRef="e1"/>',
      other_code = '<escalationEventDefinition escalationRef="e2"/>', every = "<escalationEventDefinition/>" }

    local function told(make, kinds)
      local out = { start, '<subProcess id="sub"><startEvent id="is"/></subProcess>' }
      for i, kind in ipairs(kinds) do out[#out + 1] = make(i, events[kind]) end
      local count = 0
      for _, p in ipairs(model.parse((process(table.concat(out)):gsub("<process", roots .. "<process", 1))).problems) do
        if p.message:find "ore than one" or p.message:find "multiple escalation" then count = count + 1 end
      end
      return count
    end
    local function boundary(i, event) return ('<boundaryEvent id="b%d" attachedToRef="sub">%s</boundaryEvent>'):format(i, event) end
    local function within(i, event)
      return ('<subProcess id="es%d" triggeredByEvent="true"><startEvent id="es%ds">%s</startEvent></subProcess>'):format(i, i, event)
    end

    for _, case in ipairs {
      { 1, "message", "message" }, { 2, "message", "message", "message" }, { 0, "message", "other" },
      { 1, "code", "code" }, { 0, "code", "other_code" }, { 1, "every", "code" }, { 1, "code", "every" }, { 1, "every", "every" },
      { 2, "code", "every", "other_code" }, { 2, "every", "code", "other_code" }, { 1, "code", "other_code", "code" },
    } do
      it(table.concat(case, " ", 2), function()
        local kinds = table.move(case, 2, #case, 1, {})
        assert.equal(case[1], told(boundary, kinds))
        assert.equal(case[1], told(within, kinds))
      end)
    end

    it("signals, whether they interrupt or not", function()
      for _, case in ipairs { { 1, "true", "true" }, { 1, "true", "false" }, { 1, "false", "false" }, { 2, "false", "true", "false" } } do
        local function start_of(i, event)
          return (within(i, event):gsub("<startEvent", ('<startEvent isInterrupting="%s"'):format(case[i + 1])))
        end
        local function boundary_of(i, event)
          return (boundary(i, event):gsub("<boundaryEvent", ('<boundaryEvent cancelActivity="%s"'):format(case[i + 1])))
        end
        local kinds = {}
        for i = 2, #case do kinds[i - 1] = "signal" end
        assert.equal(case[1], told(start_of, kinds), table.concat(case, " ", 2))
        assert.equal(case[1], told(boundary_of, kinds), table.concat(case, " ", 2))
      end
    end)

    it("those behind one event-based gateway", function()
      local function behind(i, event)
        local flow = ('<sequenceFlow id="f%d" sourceRef="g" targetRef="c%d"/>'):format(i, i)
        local caught = ('<intermediateCatchEvent id="c%d">%s</intermediateCatchEvent>'):format(i, event)
        return (i == 1 and '<eventBasedGateway id="g"/>' or "") .. caught .. flow
      end
      for _, case in ipairs { { 1, "message", "message" }, { 0, "message", "other" }, { 1, "signal", "signal" },
        { 0, "signal", "message" } } do
        assert.equal(case[1], told(behind, table.move(case, 2, #case, 1, {})), table.concat(case, " ", 2))
      end
    end)

    it("a receive task and its boundary event, but for one that is multi-instance", function()
      local loop = "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>"
      for _, case in ipairs { { 1, "message", "" }, { 0, "other", "" }, { 0, "message", loop } } do
        assert.equal(case[1], told(function(_, event)
          return ('<receiveTask id="r" messageRef="m">%s</receiveTask><boundaryEvent id="b" attachedToRef="r">%s</boundaryEvent>')
            :format(case[3], event)
        end, { case[2] }), case[2])
      end
    end)
  end)

  -- Kinds of errors, each of an element of its own.
  local kinds = { '<serviceTask id="k%d"/>', '<exclusiveGateway id="k%d"/>', '<intermediateCatchEvent id="k%d"/>', '<userTusk id="k%d"/>',
    '<callActivity id="k%d"/>', '<subProcess id="k%d"/>' }
  local function broken(count, number)
    local body = start
    for i = 1, count do
      for k = 1, number do body = body .. "\n" .. kinds[k]:format(i * 10 + k) end
    end
    return model.parse(process(body))
  end
  local function errors_of(result)
    local errors = {}
    for _, p in ipairs(result.problems) do
      if not p.warning then errors[#errors + 1] = p end
    end
    return errors
  end

  it("gets all its problems listed, in order of place, and no more than a hundred", function()
    for _, count in ipairs { 15, 20, 100 } do
      local result = broken(count, #kinds)
      assert.equal(count * #kinds, result.errors)
      assert.equal(math.min(100, count * #kinds), #errors_of(result))
      assert.is_true(#result.problems <= 100)
      for i, p in ipairs(result.problems) do assert(i == 1 or p.line >= result.problems[i - 1].line) end
    end
  end)

  it("gets at most twenty-five problems of one kind listed, and the count of the others", function()
    local result = broken(120, 2)
    local errors, told = errors_of(result), 0
    assert.equal(240, result.errors)
    assert.equal(50, #errors)
    for _, p in ipairs(errors) do
      if p.message:find("(and 95 more like this)", 1, true) then told = told + 1 end
    end
    assert.equal(2, told)
    assert.matches("more like this%)$", errors[50].message)
    for _, p in ipairs(broken(25, 1).problems) do assert.not_matches("more like this", p.message) end
  end)
end)
