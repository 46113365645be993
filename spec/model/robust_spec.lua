-- Nothing that comes as a model brings the parser down: mutilated models, memory that runs out, and the models of two peers.
local model = require("orrery_inside").model
local work = require "spec.support.work"

local sample = [==[<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t">
  <message id="m" name="msg"/><error id="err" errorCode="E"/>
  <process id="p" isExecutable="true" camunda:candidateStarterUsers="a,${b}">
    <startEvent id="s" camunda:initiator="who"><messageEventDefinition messageRef="m"/></startEvent>
    <sequenceFlow id="f" sourceRef="s" targetRef="t"><conditionExpression>${a.b[1] &gt; 2 ? 'x' : "y"}</conditionExpression></sequenceFlow>
    <userTask id="t" camunda:assignee="${who}"><documentation>Do &amp; done</documentation><extensionElements>
      <camunda:taskListener event="create"><camunda:script scriptFormat="lua"><![CDATA[ task.name = "x" ]]></camunda:script>
      </camunda:taskListener>
      <camunda:inputOutput><camunda:inputParameter name="l"><camunda:list><camunda:value>1</camunda:value></camunda:list>
      </camunda:inputParameter></camunda:inputOutput>
      </extensionElements><multiInstanceLoopCharacteristics camunda:collection="${list}"/></userTask>
    <boundaryEvent id="b" attachedToRef="t"><timerEventDefinition><timeCycle>R3/PT10M</timeCycle></timerEventDefinition></boundaryEvent>
    <subProcess id="u"><startEvent id="v"/><endEvent id="w"><errorEventDefinition errorRef="err"/></endEvent></subProcess>
    <callActivity id="c" calledElement="q"><extensionElements><camunda:in source="a" target="b"/></extensionElements></callActivity>
  </process>
</definitions>]==]

local function survives(text, options)
  local result = model.parse(text, options)
  assert(result.code == 0 or result.code == -3 or result.code == -14, result.code)
  assert.equal(0, result.leaked)
  if result.code == -3 then assert(result.errors > 0) end
  return result
end

local function mutate(text, random)
  local at, kind = random(1, #text), random(1, 4)
  if kind == 1 then return text:sub(1, at - 1) .. string.char(random(0, 255)) .. text:sub(at + 1) end
  if kind == 2 then return text:sub(1, at - 1) .. text:sub(at + random(1, 40)) end
  if kind == 3 then return text:sub(1, at) .. text:sub(at - random(0, 40)) end
  local other = random(1, #text)
  return text:sub(1, at) .. text:sub(other, other + random(1, 60)) .. text:sub(at + 1)
end

describe("the parser survives", function()
  it("a model cut off at any byte", function()
    for n = 0, #sample - 1 do assert.equal(-3, survives(sample:sub(1, n), { check = true }).code) end
    assert.equal(0, survives(sample, { check = true }).code)
  end)

  it("random damage", function()
    local seed = tonumber(os.getenv "ORRERY_SEED") or 20261120
    math.randomseed(seed)
    for i = 1, 3000 do
      local text = sample
      for _ = 1, math.random(1, 4) do text = mutate(text, math.random) end
      local ok, why = pcall(survives, text, { check = true })
      assert(ok, ("seed %d, round %d: %s"):format(seed, i, tostring(why)))
    end
  end)

  it("memory that runs out at any allocation, once", function()
    local failures = 0
    for n = 1, 200 do
      local result = survives(sample, { check = true, fail_after = n })
      if result.code == 0 then break end
      assert.equal(-14, result.code)
      assert.same({}, result.definitions)
      failures = failures + 1
    end
    assert(failures > 0)
  end)

  for _, forever in ipairs { false, true } do
    it("memory that runs out in libxml2 at any allocation, " .. (forever and "for good" or "once"), function()
      local sound = model.parse(sample, { check = true })
      local n, result = 0
      repeat
        n = n + 1
        result = survives(sample, { check = true, xml_fail_after = n, xml_forever = forever })
        assert.equal(0, result.xml_leaked, "request " .. n)
        if result.code == 0 then assert.same(sound.definitions, result.definitions) -- it could do without
        else assert.equal(-14, result.code, "request " .. n) end
      until not result.xml_refused
      assert(n > 30, n)
      assert.equal(0, result.code)
    end)
  end

  for name, attack in pairs {
    ["attributes"] = { 200000, function(n) return "<a" .. (' x="1"'):rep(n) .. "/>" end },
    ["depth"] = { 100000, function(n) return ("<a>"):rep(n) end },
    ["texts"] = { 150000, function(n) return "<a>" .. ("x<b/>"):rep(n) .. "</a>" end },
    ["entities"] = { 10000, function(n) return '<a b="' .. ("&amp;"):rep(n) .. '"/>' end },
    ["a comment"] = { 1000000, function(n) return "<!--" .. ("-"):rep(n) end },
    ["processes"] = { 5000, function(n)
      return "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'>" .. ("<process id='p'/>"):rep(n) .. "</definitions>"
    end },
  } do
    it("an attack at a cost that grows with its size: " .. name, function()
      local most, text = table.unpack(attack)
      survives(text(most))
      work.assert_grows_with_size(function(n)
        return work.done_by(function() survives(text(n)) end)
      end, most // 16, most // 4, 4.4)
    end)
  end
end)

local corpus = os.getenv "ORRERY_CONFORMANCE"
describe("the models of two peers", function()
  if not corpus then
    pending "needs ORRERY_CONFORMANCE"
    return
  end
  it("are all answered, and most are accepted", function()
    local accepted, refused, reasons = 0, 0, {}
    for path in io.popen(("find '%s/corpus' -name '*.bpmn' -o -name '*.xml'"):format(corpus)):lines() do
      local handle = assert(io.open(path, "rb"))
      local text = handle:read "a"
      handle:close()
      local result = survives(text, { dialect = path:match "/corpus/(%w+)/" })
      if result.code == 0 then
        accepted = accepted + 1
      else
        refused = refused + 1
        for _, p in ipairs(result.problems) do
          local reason = p.message:gsub("'[^']*'", "'…'"):gsub("%d+", "n")
          if not p.warning then reasons[reason] = (reasons[reason] or 0) + 1 end
        end
      end
    end
    local lines = {}
    for reason, n in pairs(reasons) do lines[#lines + 1] = ("%5d  %s"):format(n, reason) end
    table.sort(lines, function(a, b) return a > b end)
    print(("\n%d models accepted, %d refused:\n%s"):format(accepted, refused, table.concat(lines, "\n")))
    assert(accepted > refused * 5)
  end)
end)
