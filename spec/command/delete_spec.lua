-- Deleting an instance while it is told that it goes.
local peers = require "spec.exec.peers"
local shows, run, kind = peers.shows, peers.run, peers.kind

local LISTENER <const> = '<extensionElements><o:%s event="%s" class="delete"/></extensionElements>'

--- Deletes the instance that a listener belongs to, once more.
local function deletes(engine)
  local told = 0
  engine:register("delete", function(what)
    told = told + 1
    engine:instance(what.instance_id):delete "again"
  end)
  return function() return told end
end

describe("deleting an instance again", function()
  local function probe(head, task)
    return function(engine)
      local told = deletes(engine)
      local instance = run(engine, head .. '<startEvent id="s"/><userTask id="a">' .. task .. "</userTask>", "s -> a")
      return { kind(instance.delete, instance, "first") or "done", told(), #engine:instances {},
        engine:history_instance(instance.id).delete_reason }
    end
  end

  shows("in an activity's end listener is harmless", probe("", LISTENER:format("executionListener", "end")),
    { camunda = { "done", 1, 0, "first" }, flowable = { "done", 0, 0, "first" }, orrery = { "done", 1, 0, "first" } })
  shows("in a task's delete listener is harmless", probe("", LISTENER:format("taskListener", "delete")), { "done", 1, 0, "first" })
  shows("in the process's end listener is harmless", probe(LISTENER:format("executionListener", "end"), ""), { "done", 1, 0, "first" })

  shows("is harmless where it ends by itself", function(engine)
    local told = deletes(engine)
    local instance = run(engine, LISTENER:format("executionListener", "end") .. '<startEvent id="s"/>')
    return { told(), #engine:instances {}, engine:history_instance(instance.id).state }
  end, { 1, 0, "completed" })

  shows("reaches a caller whose called instance goes", function(engine)
    peers.deploy(engine, peers.process('<startEvent id="s"/><callActivity id="c" calledElement="q"/>', "s -> c")
      .. peers.process(LISTENER:format("executionListener", "end") .. '<startEvent id="qs"/><userTask id="qa"/>', "qs -> qa", "q"))
    local caller = engine:start "p"
    engine:register("delete", function() caller:delete "with it" end)
    return { kind(caller.delete, caller, "first") or "done", #engine:instances {} }
  end, { "done", 0 })
end)
