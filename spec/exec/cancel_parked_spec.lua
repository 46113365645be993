-- Waits in what goes by a deletion, a migration or a modification, and in the mapper of a call:
-- each holds up its own branch alone, and what goes is out of reach before the first listener hears
-- of it. Each runs on disk, and the engine is opened anew before it. What is awaited is brought by
-- another branch, so that a run where that stands still fails.
local orrery = require "orrery"
local peers = require "spec.exec.peers"
local survives, process, flows = peers.survives, peers.process, peers.flows

local HEARD <const> = '<extensionElements><o:taskListener event="delete" class="%s"/>'
  .. "</extensionElements>"
local function service(id, class)
  return ('<serviceTask id="%s" o:class="%s"/>'):format(id, class)
end
local function user(id, class)
  return ('<userTask id="%s">%s</userTask>'):format(id, class and HEARD:format(class) or "")
end
local function fork(id) return ('<parallelGateway id="%s"/>'):format(id) end
local function sub(id, inside, path)
  return ('<subProcess id="%s">%s%s</subProcess>'):format(id, inside, flows(path))
end
local function boundary(id, to, event, attributes)
  return ('<boundaryEvent id="%s" attachedToRef="%s" %s>%s</boundaryEvent>'):format(id, to,
    attributes or "", event)
end
local MESSAGE <const>, ERROR <const> = '<messageEventDefinition messageRef="m"/>',
  '<errorEventDefinition errorRef="err"/>'
local SIGNAL <const> = '<signalEventDefinition signalRef="sig"/>'

local MAPPED <const> = [[<extensionElements><o:inputOutput><o:outputParameter name="v">
    <o:script scriptFormat="lua">return out()</o:script></o:outputParameter></o:inputOutput>
    </extensionElements>]]

-- A path that takes longer than those beside it have before they wait, also where branches take
-- turns.
local function long(from, to)
  local out, at = {}, from
  for i = 1, 20 do
    local id = from .. i
    out[i] = ('<task id="%s"/>%s'):format(id, flows(at .. " -> " .. id))
    at = id
  end
  return table.concat(out) .. flows(at .. " -> " .. to)
end

--- What the classes below have seen, in each life of the engine; `ready` gives an engine that has
--- them.
local function lives(reopen)
  local seen, futures = {}, {}
  local function future(name)
    futures[name] = futures[name] or orrery.future()
    return futures[name]
  end
  local classes = {
    awaits = function()
      orrery.await(future "x")
      seen[#seen + 1] = "heard"
    end,
    tells = function()
      seen[#seen + 1] = "told"
      future "x":resolve()
    end,
    sees = function(execution) seen[#seen + 1] = execution.activity_id end,
    fails = function() orrery.bpmn_error "err" end,
    maps = { map_output = function(_, execution, called)
      orrery.await(future "x")
      seen[#seen + 1] = "mapped"
      execution:set("got", called:get "given")
    end },
  }
  local function ready(more)
    local engine = reopen()
    for name, class in pairs(classes) do engine:register(name, class) end
    for name, class in pairs(more or {}) do engine:register(name, class) end
    return engine
  end
  return ready, seen, future
end

local function sound(engine)
  assert.same({}, engine:verify())
  local open = engine:count("history_activities", { ended_at = orrery.null })
  assert.equal(engine:count "executions", open)
end

describe("what goes by a deletion is out of reach before the first listener:", function()
  local BODY <const> = '<startEvent id="s"/>' .. fork "f" .. user("a", "asks")
    .. '<intermediateCatchEvent id="b">' .. MESSAGE
    .. "</intermediateCatchEvent>" .. service("never", "sees") .. user("c", "asks")
  local FLOWS <const> = "s -> f f -> a f -> b f -> c b -> never"

  survives("no message finds it, while a listener waits or not", function(reopen)
    local ready, seen = lives(reopen)
    local asks = { asks = function(task)
      seen[#seen + 1] = peers.kind(task.engine.message, task.engine, "m",
        { instance = task.instance_id })
      orrery.sleep(0)
    end }
    local id = peers.run(ready(asks), BODY, FLOWS).id
    local engine = ready(asks)
    engine:instance(id):delete "enough"
    engine = ready()
    sound(engine)
    return { seen, engine:count "executions", engine:history_instance(id).delete_reason }
  end, { { "correlation", "correlation" }, 0, "enough" })

  survives("nor does another instance that goes in the same job wait for it", function(reopen)
    local ready, seen, future = lives(reopen)
    local first = true
    local hears = { hears = function()
      if first then
        first = false
        orrery.await(future "x")
        seen[#seen + 1] = "heard"
      else
        seen[#seen + 1] = "told"
        future "x":resolve()
      end
    end }
    local engine = ready(hears)
    peers.deploy(engine, process('<startEvent id="s"/>' .. user("a", "hears"), "s -> a"))
    local ids = { engine:start("p").id, engine:start("p").id }
    engine:batch { action = "cancel", size = 2, reason = "enough" }
    engine = ready(hears)
    engine:run_jobs()
    engine = ready()
    sound(engine)
    return { seen, engine:count "instances", engine:history_instance(ids[1]).delete_reason }
  end, { { "told", "heard" }, 0, "enough" })
end)

describe("the end of a called process that is canceled", function()
  local CALLED <const> = process('<extensionElements><o:executionListener event="end" '
    .. 'class="awaits"/></extensionElements><startEvent id="qs"/><userTask id="qa"/>',
    "qs -> qa", "q")

  survives("is told to listeners that wait, and no other branch waits for them", function(reopen)
    local ready, seen = lives(reopen)
    local engine = ready()
    peers.deploy(engine, CALLED .. process('<startEvent id="s"/>' .. fork "f"
      .. '<callActivity id="c" calledElement="q"/>'
      .. boundary("b", "c", SIGNAL) .. service("after", "sees") .. user "z" .. user "y"
        .. service("t", "tells")
      .. '<intermediateCatchEvent id="e">' .. SIGNAL .. "</intermediateCatchEvent>" .. long("e",
        "t"),
      "s -> f f -> c f -> e t -> y b -> after after -> z"))
    engine:start "p"
    engine = ready()
    engine:signal "sig"
    engine = ready()
    sound(engine)
    return { seen, peers.tasks(engine) }
  end, { { "told", "heard", "after" }, "y z" })
end)

describe("the output mapper of a call that waits", function()
  --- A call of "q" beside a branch that tells; both begin by the signal.
  local function begin(engine, called, more, path)
    peers.deploy(engine, called .. process('<startEvent id="s"/>' .. fork "f"
      .. '<callActivity id="c" calledElement="q" o:variableMappingClass="maps"/>'
        .. service("after", "sees") .. user "z" .. user "y"
      .. service("t", "tells") .. '<callActivity id="e" calledElement="r"/>' .. long("e", "t")
        .. more,
      "s -> f f -> c f -> e after -> z " .. path)
        .. process('<startEvent id="rs"/><intermediateCatchEvent id="ra">' .. SIGNAL
      .. "</intermediateCatchEvent>", "rs -> ra", "r")) -- which hears of the signal behind "q"
    return engine:start("p").id
  end
  local function called(ending)
    return process('<startEvent id="qs"/><intermediateCatchEvent id="qa">' .. SIGNAL
      .. '</intermediateCatchEvent><endEvent id="qe">'
      .. (ending or "") .. "</endEvent>", "qs -> qa qa -> qe", "q")
  end

  survives("holds up the call, and no other branch", function(reopen)
    local ready, seen = lives(reopen)
    local id = begin(ready(), called(), "", "c -> after t -> y")
    local engine = ready()
    engine:instance { key = "q" }:set("given", 7)
    engine:signal "sig"
    engine = ready()
    sound(engine)
    return { seen, peers.tasks(engine), engine:instance(id):get "got", engine:count("instances",
      { key = "q" }) }
  end, { { "told", "mapped", "after" }, "y z", 7, 0 })

  survives("holds up who catches the error that the called process ends with", function(reopen)
    local ready, seen = lives(reopen)
    local id = begin(ready(), called(ERROR), boundary("b", "c", ERROR), "b -> after t -> y")
    local engine = ready()
    engine:instance { key = "q" }:set("given", 7)
    engine:signal "sig"
    engine = ready()
    sound(engine)
    return { seen, peers.tasks(engine), engine:instance(id):get "got", engine:count("instances",
      { key = "q" }) }
  end, { { "told", "mapped", "after" }, "y z", 7, 0 })

  for what, ending in pairs { ["ends"] = "", ["throws"] = ERROR } do
    survives("is dropped when the call goes meanwhile: the called process " .. what,
      function(reopen)
      local ready, seen = lives(reopen)
      begin(ready(), called(ending), boundary("b", "c", MESSAGE) .. boundary("b2", "c", ERROR)
        .. user "w",
        "c -> w b2 -> w b -> after t -> y")
      local engine = ready { tells = function(execution) execution.engine:message("m",
        { instance = execution.instance_id }) end }
      engine:signal "sig"
      engine = ready()
      sound(engine)
      return { seen, peers.tasks(engine), engine:count("instances", { key = "q" }) }
    end, { { "after" }, "y z", 0 })

    survives("is dropped when its instance is deleted meanwhile: the called process " .. what,
      function(reopen)
      local ready, seen = lives(reopen)
      local id = begin(ready(), called(ending), boundary("b2", "c", ERROR) .. user "w",
        "c -> w b2 -> w t -> y")
      local engine = ready { tells = function(execution)
        execution.engine:instance(id):delete "enough"
      end }
      engine:signal "sig"
      engine = ready()
      sound(engine)
      return { seen, engine:count("instances", { key = "q" }), peers.tasks(engine),
        engine:history_instance(id).delete_reason }
    end, { {}, 0, "", "enough" })

    survives("is dropped when everything ends meanwhile: the called process " .. what,
      function(reopen)
      local ready, seen = lives(reopen)
      local id = begin(ready(), called(ending), boundary("b2", "c", ERROR) .. user "w"
        .. '<endEvent id="te"><terminateEventDefinition/></endEvent>', "c -> w b2 -> w t -> te")
      local engine = ready { tells = function() end }
      engine:signal "sig"
      engine = ready()
      sound(engine)
      return { seen, engine:count "instances", engine:count "executions",
        engine:history_instance(id).state }
    end, { {}, 0, 0, "completed" })
  end
end)

describe("what goes by a modification", function()
  local INSIDE <const> = '<startEvent id="i"/>' .. fork "g" .. service("w", "awaits") .. user "u"
    .. service("t", "tells") .. user "y"
  local SUB <const> = sub("sub", INSIDE, "i -> g g -> w g -> t w -> u t -> y")

  survives("and what begins by it wait for what each instruction began, and for nothing less",
    function(reopen)
    local ready, seen = lives(reopen)
    local id = peers.run(ready(), '<startEvent id="s"/>' .. user("a", "sees") .. SUB
      .. service("last", "sees") .. user "z",
      "s -> a last -> z").id
    local engine = ready { sees = function(what) seen[#seen + 1] = what.activity_id
      or what.key end }
    engine:instance(id):modify { { start_before = "sub" }, { cancel = "a" },
      { start_before = "last" } }
    engine = ready()
    sound(engine)
    return { seen, peers.tasks(engine) }
  end, { -- in Flowable's, what begins takes its turn behind the instructions
    camunda = { { "told", "heard", "a", "last" }, "u y z" },
    orrery = { { "told", "heard", "a", "last" }, "u y z" },
    flowable = { { "a", "last", "told", "heard" }, "u y z" },
  })

  survives("is out of reach before the first listener", function(reopen)
    local ready, seen = lives(reopen)
    local asks = { asks = function(task)
      seen[#seen + 1] = peers.kind(task.engine.message, task.engine, "m",
        { instance = task.instance_id })
      orrery.sleep(0)
    end }
    local id = peers.run(ready(asks), '<startEvent id="s"/>' .. sub("sub", '<startEvent id="i"/>'
      .. fork "f" .. user("a", "asks")
      .. '<intermediateCatchEvent id="b">' .. MESSAGE .. "</intermediateCatchEvent>"
        .. service("never", "sees"),
      "i -> f f -> a f -> b b -> never") .. user "z", "s -> sub").id
    local engine = ready(asks)
    engine:instance(id):modify { { cancel = "sub" }, { start_before = "z" } }
    engine = ready()
    sound(engine)
    return { seen, peers.tasks(engine) }
  end, { { "correlation" }, "z" })

  survives("and leaves scopes empty ends before the instance does", function(reopen)
    local ready = lives(reopen)
    local out = { out = function() orrery.sleep(0) end }
    local function around(id, inside)
      return sub(id, MAPPED .. ('<startEvent id="%s0"/>'):format(id) .. user(inside),
        ("%s0 -> %s"):format(id, inside))
    end
    local id = peers.run(ready(out), '<startEvent id="s"/>' .. fork "f" .. around("sub", "a")
      .. around("sub2", "b") .. '<task id="last"/>', "s -> f f -> sub f -> sub2").id
    local engine = ready(out)
    engine:instance(id):modify { { cancel = "a" }, { cancel = "b" }, { start_before = "last" } }
    engine = ready()
    sound(engine)
    return { engine:count "instances", engine:history_instance(id).state }
  end, { 0, "completed" })
end)

describe("what goes by a migration", function()
  survives("of several instances waits in each of them alone", function(reopen)
    local ready, seen, future = lives(reopen)
    local first = true
    local out = { out = function()
      if first then
        first = false
        orrery.await(future "x")
        seen[#seen + 1] = "heard"
      else
        seen[#seen + 1] = "told"
        future "x":resolve()
      end
      return 7
    end }
    local engine = ready(out)
    local from = peers.deploy(engine, process('<startEvent id="s"/>' .. sub("sub", MAPPED
      .. '<startEvent id="i"/>' .. user "a", "i -> a"),
      "s -> sub")).definitions[1]
    local ids = { engine:start("p").id, engine:start("p").id }
    engine = ready(out)
    local to = peers.deploy(engine, process('<startEvent id="s"/>' .. user "a" .. user "z",
      "s -> a a -> z")).definitions[1]
    engine:migrate(engine:migration_plan(from.id, to.id, { instructions = { { from = "a",
      to = "a" } } }), { instances = ids })
    engine = ready()
    sound(engine)
    for _, task in ipairs(engine:tasks {}) do task:complete() end
    return { seen, peers.tasks(engine), engine:instance(ids[1]):get "v",
      engine:instance(ids[2]):get "v" }
  end, { { "told", "heard" }, "z z", 7, 7 })
end)

-- A listener of what goes may delete its instance: that goes on behind the listener, which it
-- cannot wait for.
describe("a listener that deletes its instance while its activity is canceled", function()
  --- `goes` cancels the task `a`, whose listener deletes the instance; what is left, and what the
  -- history says.
  local function deletes(body, path, goes, waits)
    return function(reopen)
      local ready, seen = lives(reopen)
      local more = { deletes = function(task)
        if waits then orrery.sleep(0) end
        task.engine:instance(task.instance_id):delete "enough"
        seen[#seen + 1] = task.key
        if waits then orrery.sleep(0) end
      end }
      local id = peers.run(ready(more), body, path).id
      local engine = ready(more)
      local refused = peers.kind(goes, engine, engine:instance(id))
      engine = ready()
      sound(engine)
      local history = engine:history_instance(id)
      return { refused or "done", seen, engine:count "instances", engine:count "executions",
        engine:count "tasks", engine:count "jobs",
        history.state, history.delete_reason }
    end
  end
  local GONE <const> = { "done", { "a" }, 0, 0, 0, 0, "terminated", "enough" }
  local DELETES <const> = user("a", "deletes")
  local function message(engine) engine:message "m" end

  for name, waits in pairs { ["at once"] = false, ["after a while"] = true } do
    survives(name .. ", by a boundary event", deletes('<startEvent id="s"/>' .. fork "f" .. DELETES
      .. user "b"
      .. boundary("c", "a", MESSAGE) .. user "after", "s -> f f -> a f -> b c -> after", message,
        waits), GONE)
    survives(name .. ", by a boundary event of a sub-process around it",
      deletes('<startEvent id="s"/>' .. sub("sub",
      '<startEvent id="i"/>' .. fork "f" .. DELETES .. user "b", "i -> f f -> a f -> b")
        .. boundary("c", "sub", MESSAGE) .. user "after",
      "s -> sub c -> after", message, waits), GONE)
    survives(name .. ", by a boundary event within a sub-process", deletes('<startEvent id="s"/>'
      .. sub("sub",
      '<startEvent id="i"/>' .. fork "f" .. DELETES .. user "b" .. boundary("c", "a", MESSAGE)
        .. user "after",
      "i -> f f -> a f -> b c -> after"), "s -> sub", message, waits), GONE)
    survives(name .. ", by an event sub-process", deletes('<startEvent id="s"/>' .. DELETES
      .. '<subProcess id="es" triggeredByEvent="true"><startEvent id="es1">' .. MESSAGE
        .. "</startEvent>" .. user "v" .. flows "es1 -> v"
      .. "</subProcess>", "s -> a", message, waits), GONE)
    survives(name .. ", by a terminate end event", deletes('<startEvent id="s"/>' .. fork "f"
      .. DELETES .. user "b"
      .. '<endEvent id="te"><terminateEventDefinition/></endEvent>', "s -> f f -> a f -> b b -> te",
      function(engine) engine:task({ key = "b" }):complete() end, waits), GONE)
    survives(name .. ", by a modification", deletes('<startEvent id="s"/>' .. DELETES .. user "b",
      "s -> a",
      function(_, instance) instance:modify { { cancel = "a" }, { start_before = "b" } } end,
        waits), GONE)
    survives(name .. ", by a deletion", deletes('<startEvent id="s"/>' .. fork "f" .. DELETES
      .. user "b", "s -> f f -> a f -> b",
      function(_, instance) instance:delete "enough" end, waits), GONE)
  end

  for name, waits in pairs { ["at once"] = false, ["and waits then"] = true } do
    peers.shows("or the caller's, " .. name, function(engine)
      peers.deploy(engine, process('<startEvent id="qs"/>' .. sub("sub", '<startEvent id="i"/>'
        .. fork "g" .. DELETES .. user("b", "deletes"), "i -> g g -> a g -> b")
        .. boundary("c", "sub", MESSAGE) .. user "after", "qs -> sub c -> after", "q")
        .. process('<startEvent id="s"/>' .. fork "f"
          .. '<callActivity id="call" calledElement="q"/>'
        .. user "z" .. user "y", "s -> f f -> call f -> y call -> z"))
      local caller = engine:start "p"
      engine:register("deletes", function()
        if engine:instance(caller.id) then caller:delete "enough" end
        if waits then orrery.sleep(0) end
      end)
      engine:message "m"
      sound(engine)
      return { engine:count "instances", engine:count "executions", engine:count "tasks",
        engine:history_instance(caller.id).delete_reason }
    end, { 0, 0, 0, "enough" })

    peers.shows("or moves on by a modification, " .. name, function(engine)
      local instance = peers.run(engine, '<startEvent id="s"/>' .. sub("sub", '<startEvent id="i"/>'
        .. DELETES .. boundary("c", "a", MESSAGE) .. user "after", "i -> a c -> after") .. user "z",
        "s -> sub")
      engine:register("deletes", function()
        instance:modify { { cancel = "sub" }, { start_before = "z" } }
        if waits then orrery.sleep(0) end
      end)
      engine:message "m"
      sound(engine)
      return peers.tasks(engine)
    end, "z")
  end

  survives("in a called process takes the caller's way", function(reopen)
    local ready, seen = lives(reopen)
    local more = { deletes = function(task)
      task.engine:instance(task.instance_id):delete "enough"
      seen[#seen + 1] = task.key
    end }
    local engine = ready(more)
    peers.deploy(engine, process('<startEvent id="qs"/>' .. DELETES .. boundary("c", "a", MESSAGE)
      .. user "after", "qs -> a c -> after", "q")
      .. process('<startEvent id="s"/><callActivity id="call" calledElement="q"/>' .. user "z",
        "s -> call call -> z"))
    engine:start "p"
    engine = ready(more)
    local refused = peers.kind(message, engine)
    engine = ready()
    sound(engine)
    return { refused or "done", seen, engine:count "instances", peers.tasks(engine) }
  end, { camunda = { "done", { "a" }, 0, "" }, orrery = { "done", { "a" }, 0, "" },
    flowable = { "done", { "a" }, 1, "z" } })
end)
