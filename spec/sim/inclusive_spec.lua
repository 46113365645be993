-- Inclusive joins in random graphs against a token game by the letter of the rule (oracle.lua): unbalanced, in loops, with jobs.
-- ORRERY_RANDOM: how many graphs (default 500), ORRERY_SEED: the first one's seed.
local orrery = require "orrery"
local Graph = require "spec.sim.graph"
local Oracle = require "spec.sim.oracle"
local Random = require "spec.sim.random"

local count = tonumber(os.getenv "ORRERY_RANDOM" or 500)
local first = require("spec.support.random").seed()
local STEPS_MAX <const> = 25
local TOKENS_MAX <const> = 12

local function draw(graph, random)
  local variables = {}
  for _, flow in ipairs(graph.flows) do
    if flow.variable then variables[flow.variable] = random:chance(flow.back and 0.3 or 0.5) end
  end
  return variables
end

--- One thing that a token waits for goes on; the node's id, or nil when nothing can.
local function act(engine, random, variables)
  local tasks, jobs = engine:tasks {}, engine:jobs {}
  if #tasks + #jobs == 0 then return nil end
  local number = random:integer(1, #tasks + #jobs)
  local task, job = tasks[number], jobs[number - #tasks]
  if task then
    task:complete(variables)
    return task.key
  end
  engine:instances({})[1]:set_all(variables)
  job:execute()
  return job.activity_id
end

local function active_of(engine)
  local instance = engine:instances({})[1]
  return instance and instance:active() or {}
end

local function play(engine, graph, random, done)
  local variables = draw(graph, random)
  engine:start("p", { variables = variables })
  local states = Oracle.start(graph, variables)
  done[1] = "start -> " .. table.concat(active_of(engine), " ")
  for _ = 1, STEPS_MAX do
    local active = active_of(engine)
    local matching = Oracle.matching(states, active)
    if #matching == 0 then error("tokens stand where the rule does not allow them; it allows\n" .. Oracle.describe(states), 0) end
    if #active == 0 or #active > TOKENS_MAX then return end
    variables = draw(graph, random)
    local id = act(engine, random, variables)
    if not id then return end
    states = Oracle.step(graph, matching, id, variables)
    done[#done + 1] = id .. " -> " .. table.concat(active_of(engine), " ")
  end
end

describe("inclusive joins", function()
  it("go on once the last token that could have come has turned away", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none", durability = "none" })
    engine:deploy { ["p.bpmn"] = [[
      <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="sim"><process id="p" isExecutable="true">
      <startEvent id="s"/><parallelGateway id="fork"/><userTask id="decide"/><exclusiveGateway id="way" default="elsewhere"/>
      <inclusiveGateway id="join"/><userTask id="behind"/><userTask id="aside"/><endEvent id="e"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="join"/>
      <sequenceFlow id="f3" sourceRef="fork" targetRef="decide"/><sequenceFlow id="f4" sourceRef="decide" targetRef="way"/>
      <sequenceFlow id="f5" sourceRef="way" targetRef="join"><conditionExpression>${comes}</conditionExpression></sequenceFlow>
      <sequenceFlow id="elsewhere" sourceRef="way" targetRef="aside"/><sequenceFlow id="f6" sourceRef="join" targetRef="behind"/>
      <sequenceFlow id="f7" sourceRef="behind" targetRef="e"/><sequenceFlow id="f8" sourceRef="aside" targetRef="e"/>
      </process></definitions>]] }
    local instance = engine:start("p", { variables = { comes = false } })
    assert.same({ "decide", "join" }, instance:active())
    engine:task({ key = "decide" }):complete()
    assert.same({ "aside", "behind" }, instance:active())
  end)

  it("wait for a token that comes by a link, and for no link that leads elsewhere", function()
    local engine <close> = orrery.open(nil, { clock = "manual", log = "none", durability = "none" })
    engine:deploy { ["p.bpmn"] = [[
      <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="sim"><process id="p" isExecutable="true">
      <startEvent id="s"/><parallelGateway id="fork"/><userTask id="far"/><userTask id="away"/><inclusiveGateway id="join"/>
      <intermediateThrowEvent id="t1"><linkEventDefinition name="there"/></intermediateThrowEvent>
      <intermediateCatchEvent id="c1"><linkEventDefinition name="there"/></intermediateCatchEvent>
      <intermediateThrowEvent id="t2"><linkEventDefinition name="elsewhere"/></intermediateThrowEvent>
      <intermediateCatchEvent id="c2"><linkEventDefinition name="elsewhere"/></intermediateCatchEvent>
      <userTask id="behind"/><userTask id="aside"/>
      <sequenceFlow id="f1" sourceRef="s" targetRef="fork"/><sequenceFlow id="f2" sourceRef="fork" targetRef="join"/>
      <sequenceFlow id="f3" sourceRef="fork" targetRef="far"/><sequenceFlow id="f4" sourceRef="far" targetRef="t1"/>
      <sequenceFlow id="f5" sourceRef="c1" targetRef="join"/><sequenceFlow id="f6" sourceRef="fork" targetRef="away"/>
      <sequenceFlow id="f7" sourceRef="away" targetRef="t2"/><sequenceFlow id="f8" sourceRef="c2" targetRef="aside"/>
      <sequenceFlow id="f9" sourceRef="join" targetRef="behind"/></process></definitions>]] }
    local instance = engine:start "p"
    assert.same({ "away", "far", "join" }, instance:active())
    engine:task({ key = "far" }):complete()
    assert.same({ "away", "behind" }, instance:active())
    engine:task({ key = "away" }):complete()
    assert.same({ "aside", "behind" }, instance:active())
  end)

  it(("do what the rule says in %d random graphs, seeds from %d"):format(count, first), function()
    local joins = 0
    for seed = first, first + count - 1 do
      local random = Random.new(seed)
      local graph, done = Graph.random(random), {}
      local engine <close> = orrery.open(nil, { clock = "manual", log = "none", durability = "none" })
      engine:deploy { ["p.bpmn"] = Graph.xml(graph) }
      local ok, err = pcall(play, engine, graph, random, done)
      if not ok then error(("seed %d: %s\n%s\n%s"):format(seed, tostring(err), Graph.xml(graph), table.concat(done, "\n")), 0) end
      joins = joins + engine:count("history_activities", { type = "inclusiveGateway" })
    end
    assert(joins > count, "the graphs hold too few joins to show anything")
  end)
end)
