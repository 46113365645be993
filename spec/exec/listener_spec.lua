-- Execution listeners: when they run.
-- Marks: records
local peers = require "spec.exec.peers"
local shows, run = peers.shows, peers.run

local function listener(event)
  return ('<extensionElements><o:executionListener event="%s" class="see"/></extensionElements>'):format(event)
end

local function sees(engine)
  local seen = {}
  engine:register("see", function(execution) seen[#seen + 1] = execution.event_name end)
  return seen
end

describe("start listeners of a process", function()
  shows("wait for the job of its start event, and run once", function(engine)
    local seen = sees(engine)
    run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    local before = #seen
    engine:run_jobs()
    return { before, #seen, peers.tasks(engine) }
  end, { 0, 1, "a" })

  shows("run again when the job is tried again", function(engine)
    local tries = 0
    engine:register("see", function()
      tries = tries + 1
      if tries == 1 then error "not yet" end
    end)
    run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    engine:run_jobs()
    engine:advance(60)
    engine:run_jobs()
    return { tries, peers.tasks(engine) }
  end, { 2, "a" })

  shows("do not run when a modification goes back to the start event", function(engine)
    local seen = sees(engine)
    local instance = run(engine, listener "start" .. '<startEvent id="s" o:async="true"/><userTask id="a"/>', "s -> a")
    engine:run_jobs()
    instance:modify { { start_before = "s" } }
    engine:run_jobs()
    return { #seen, peers.tasks(engine) }
  end, { 1, "a a" })
end)

describe("the activity_id that listeners see", function()
  local nodes = [[<startEvent id="s"/><userTask id="a"/><endEvent id="e"/>
    <sequenceFlow id="f" sourceRef="s" targetRef="a"><extensionElements>
    <o:executionListener event="take" class="see"/></extensionElements></sequenceFlow>]]

  local function seen_by(ends)
    return function(engine)
      local seen = {}
      engine:register("see", function(e)
        seen[#seen + 1] = e.event_name .. " " .. tostring(e.activity_id)
      end)
      ends(engine, run(engine, listener "start" .. listener "end" .. nodes, "a -> e"))
      return table.concat(seen, ", ")
    end
  end

  local none, own = "start nil, take nil, end nil", "start s, take s, end nil"

  shows("of a process is where it begins and has ended, of a flow its source", seen_by(function(e)
    e:task({}):complete()
  end), { camunda = "start s, take s, end e", flowable = none, orrery = "start s, take s, end e" })

  shows("of a process that is deleted is none", seen_by(function(_, instance)
    instance:delete()
  end), { camunda = own, flowable = none, orrery = own })
end)

--- A task whose start listener is a script, in one of its two spellings; what became of "out" and "other".
local function scripted(listener, variables)
  return function(engine)
    local failed, got = peers.kind(run, engine, '<startEvent id="s"/><userTask id="a"><extensionElements>' .. listener
      .. "</extensionElements></userTask>", "s -> a", { variables = variables })
    if failed then return failed end
    return { out = got:get "out", other = got:get "other" }
  end
end

local function class(event, fields)
  local out = {}
  for name, value in pairs(fields) do out[#out + 1] = ('<o:field name="%s">%s</o:field>'):format(name, value) end
  return ('<o:%s event="%s" class="org.flowable.engine.impl.bpmn.listener.Script%sListener">%s</o:%s>'):format(event.element, event.name,
    event.kind, table.concat(out), event.element)
end

local EXECUTION <const> = { element = "executionListener", name = "start", kind = "Execution" }
local TASK <const> = { element = "taskListener", name = "create", kind = "Task" }
local function text(value) return "<o:string>" .. value .. "</o:string>" end
local function expression(value) return "<o:expression>" .. value .. "</o:expression>" end

describe("a listener's script", function()
  for _, event in ipairs { EXECUTION, TASK } do
    local function fields(more)
      local all = { script = text "return 1 + 1", language = text "lua", resultVariable = text "out" }
      for name, value in pairs(more) do all[name] = value end
      return class(event, all)
    end
    shows("by a class keeps its result: " .. event.kind, scripted(fields {}), { out = 2 })
    shows("keeps its result by the name that an expression gives: " .. event.kind,
      scripted(fields { resultVariable = expression "${name}" }, { name = "other" }), { other = 2 })
    shows("may say its language by an expression: " .. event.kind,
      scripted(fields { language = text "${language}" }, { language = "lua" }), { out = 2 })
    shows("fails in another language that an expression gives: " .. event.kind,
      scripted(fields { language = text "${language}" }, { language = "groovy" }), "expression")
    shows("must not be empty: " .. event.kind, scripted(fields { script = text "" }), "deployment")
    shows("must be there: " .. event.kind, scripted(class(event, { language = text "lua" })), "deployment")
  end

  shows("may say both inside, too", scripted('<o:executionListener event="start" type="script"><o:script language="${language}" '
    .. 'resultVariable="${name}">return 3</o:script></o:executionListener>', { language = "Lua", name = "other" }), { other = 3 })
  shows("must not be empty inside", scripted('<o:executionListener event="start"><o:script scriptFormat="lua"></o:script>'
    .. "</o:executionListener>"), "deployment")
end)
