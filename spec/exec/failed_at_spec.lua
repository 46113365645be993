-- Which activity a failure is told of: the one that could not begin, not the one whose job came to it.
local peers = require "spec.exec.peers"
local orrery = require "orrery"

local function timer(what) return ("<timerEventDefinition><timeDate>%s</timeDate></timerEventDefinition>"):format(what) end
local function loop(attributes, inside)
  return ("<multiInstanceLoopCharacteristics %s>%s</multiInstanceLoopCharacteristics>"):format(attributes, inside or "")
end
local function task(attributes, inside) return ('<userTask id="x" %s>%s</userTask>'):format(attributes, inside or "") end

local CATCH <const> = '<intermediateCatchEvent id="x">' .. timer "${value}" .. "</intermediateCatchEvent>"

-- name -> what stands behind the job's task, the value of the variable `value`, and where it fails when not at "x"
local cases = {
  ["a timer without a date"] = { CATCH, orrery.null },
  ["a timer with a bad date"] = { CATCH, "soon" },
  ["a boundary event's timer"] = { task "" .. '<boundaryEvent id="b" attachedToRef="x">' .. timer "${value}" .. "</boundaryEvent>",
    "soon", "b" },
  ["an event sub-process's timer"] = { [[<subProcess id="x"><startEvent id="is"/><subProcess id="e" triggeredByEvent="true">
    <startEvent id="es">]] .. timer "${value}" .. "</startEvent></subProcess></subProcess>", "soon", "es" },
  ["a collection that is none"] = { task("", loop 'o:collection="value" o:elementVariable="item"'), 5 },
  ["a number of instances that is none"] = { task("", loop("", "<loopCardinality>${value}</loopCardinality>")), "many" },
  ["a process that is not there"] = { '<callActivity id="x" calledElement="${value}"/>', "missing" },
  ["an external task's topic"] = { '<serviceTask id="x" o:type="external" o:topic="${value}"/>', orrery.null },
  ["an assignee"] = { task 'o:assignee="${missing}"', 1 },
  ["a delegate"] = { '<serviceTask id="x" o:expression="${fails()}"/>', 1 },
  ["a gateway without a way out"] = { [[<exclusiveGateway id="x"/><userTask id="n"/>
    <sequenceFlow id="f1" sourceRef="x" targetRef="n"><conditionExpression>${false}</conditionExpression></sequenceFlow>
    <sequenceFlow id="f2" sourceRef="x" targetRef="n"><conditionExpression>${false}</conditionExpression></sequenceFlow>]], 1 },
}

describe("a job that fails at the next activity says so:", function()
  for name, case in pairs(cases) do
    peers.shows(name, function(engine)
      engine:register("work", function() end)
      engine:register("fails", function() error "no" end)
      peers.run(engine, '<startEvent id="s"/><serviceTask id="work" o:class="work" o:asyncBefore="true"/>' .. case[1],
        "s -> work work -> x", { variables = { value = case[2] } })
      engine:run_jobs(1)
      local job = engine:jobs({ activity = "work" })[1]
      return job.failed_activity_id
    end, case[3] or "x")
  end

  peers.shows("and so does the error of a command", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/>' .. CATCH, "s -> x"))
    local _, problem = peers.kind(engine.start, engine, "p", { variables = { value = "soon" } })
    return problem.activity_id
  end, "x")
end)
