-- Executions and tasks as models of other engines address them.
local peers = require "spec.exec.peers"

local shows, run = peers.shows, peers.run

describe("a vendor's spelling", function()
  shows("is called with a dot in scripts, or a colon", function(engine)
    return run(engine, [[<startEvent id="s"/><scriptTask id="t" scriptFormat="lua"><script>
        execution.setVariable("dot", 1)
        execution:setVariable("colon", 2)
        execution.setVariables { all = 3 }
        execution.setVariable("sum", execution.getVariable "dot" + execution:getVariable "colon")
        execution.setVariable("place", execution.getCurrentActivityId())
        execution.setVariable("gone", 4)
        execution.removeVariable "gone"
        execution.setVariable("has", execution.hasVariable "gone")
      </script></scriptTask><userTask id="u"/>]], "s -> t t -> u"):variables()
  end, { dot = 1, colon = 2, all = 3, sum = 3, place = "t", has = false })

  shows("is called with a dot of tasks, too", function(engine)
    run(engine, [[<startEvent id="s"/><userTask id="u"><extensionElements><o:taskListener event="create"><o:script scriptFormat="lua">
      task.setOwner("kermit")
      task.addCandidateGroup("frogs")
      task.setVariable("named", task.getName() or "none")
    </o:script></o:taskListener></extensionElements></userTask>]], "s -> u")
    local task = engine:task {}
    return { task.owner, task:get "named", #engine:tasks { candidate_group = "frogs" } }
  end, { "kermit", "none", 1 })

  shows("is what expressions use", function(engine)
    return run(engine, [[<startEvent id="s"/><serviceTask id="t" o:expression="${execution.setVariable('x', 1)}"/>
      <serviceTask id="v" o:expression="${execution.getVariable('x') + 1}" o:resultVariable="y"/><userTask id="u"/>]],
      "s -> t t -> v v -> u"):variables()
  end, { x = 1, y = 2 })

  shows("gives a listener its event", function(engine)
    local heard = {}
    engine:register("bean", { method = function(_, event) heard[#heard + 1] = event end })
    run(engine, [[<startEvent id="s"/><userTask id="u"><extensionElements>
      <o:executionListener event="start" expression="${bean.method(execution.event)}"/>
      <o:executionListener event="end" expression="${bean.method(execution.eventName)}"/>
      <o:taskListener event="create" expression="${bean.method(task.event)}"/></extensionElements></userTask>]], "s -> u")
    engine:task({}):complete()
    return heard
  end, { "start", "create", "end" })
end)
