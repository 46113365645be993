-- Rows of runtime/model/dialect.def that real engines showed.
local peers = require "spec.exec.peers"
local flows = peers.flows

local function node(kind, id, inner)
  return ('<%s id="%s">%s</%s>'):format(kind, id, inner or "", kind)
end
local function user(ids) return (ids:gsub("%S+", function(id) return node("userTask", id) end)) end
local function class(name, ids)
  return (ids:gsub("%S+", ('<serviceTask id="%%0" o:class="%s"/>'):format(name)))
end
local function message(name) return ('<messageEventDefinition messageRef="%s"/>'):format(name) end
local START <const> = '<startEvent id="s"/>'

--- `probes`: what rows share.
return function(row, probes)
  local process, deploy, run = probes.process, probes.deploy, probes.run

  row("start_first_of_many", function(t)
    local starts = node("startEvent", "x", message "m") .. node("startEvent", "y", message "m2")
    deploy(t, process(starts .. user "a b", "x -> a y -> b"))
    local ok, instance = pcall(t.engine.start, t.engine, "p")
    return ok and table.concat(instance:active(), " ") or instance.kind
  end, "state", "a", "state")

  row("startable_when_named", function(t)
    deploy(t, process(START) .. '<process id="q" isExecutable="true" '
      .. 'o:candidateStarterGroups="staff"><startEvent id="qs"/></process>')
    t.engine:set_groups(function(who) return who == "kermit" and { "staff" } or {} end)
    local found = {}
    for i, who in ipairs { "kermit", "gonzo" } do
      local keys = {}
      for k, d in ipairs(t.engine:definitions { startable_by = who, order_by = "key" }) do
        keys[k] = d.key
      end
      found[i] = table.concat(keys, " ")
    end
    return table.concat(found, ", ")
  end, "p q, p", "q, ", "p q, p")

  row("join_keeps_branch", function(t)
    local seen = {}
    t.engine:register("set", function(x) x:set_local("v", x.activity_id) end)
    t.engine:register("see", function(x) seen[#seen + 1] = x:get "v" or "-" end)
    local nodes = START .. class("set", "a1 b1") .. class("see", "a2 b2 c") .. user "u"
      .. node("parallelGateway", "f")
    for _, kind in ipairs { "parallelGateway", "inclusiveGateway" } do
      run(t, nodes .. node(kind, "j"), "s -> f f -> a1 a1 -> a2 a2 -> j f -> b1 b1 -> b2 b2 -> j "
        .. "j -> c c -> u")
    end
    return table.concat(seen, " ")
  end, "a1 b1 - a1 b1 -", "a1 b1 b1 a1 b1 b1", "a1 b1 - a1 b1 -")

  --- Moves an instance of `from` to `to`: what `look` sees then, or the kind of the refusal.
  local function migrated(t, from, to, instructions, look)
    deploy(t, from)
    local instance = t.engine:start "p"
    deploy(t, to)
    local target = t.engine:definition({ key = "p", latest = true }).id
    local plan = t.engine:migration_plan(instance.definition_id, target,
      { map_equal = false, instructions = instructions })
    local ok, err = pcall(t.engine.migrate, t.engine, plan, { instances = { instance.id } })
    return ok and look(instance) or err.kind
  end

  row("migration_conditions_asked", function(t)
    local model = process(START .. user "a" .. '<boundaryEvent id="b" attachedToRef="a">'
      .. "<conditionalEventDefinition><condition>${x == 1}</condition></conditionalEventDefinition>"
      .. "</boundaryEvent>", "s -> a")
    local function armed() return #t.engine:subscriptions { type = "conditional" } end
    local function move(update)
      local event = { from = "b", to = "b", update_event_trigger = update }
      return migrated(t, model, model, { { from = "a", to = "a" }, event }, armed)
    end
    return ("%s %s"):format(move(nil), move(true))
  end, "argument 2", "1 2", "1 2")

  row("migration_rearms_starts", function(t)
    local from = node("subProcess", "sub", node("startEvent", "ss") .. user "a" .. flows "ss -> a")
    local to = '<subProcess id="es" triggeredByEvent="true">'
      .. node("startEvent", "x", message "m") .. user "b" .. flows "x -> b" .. "</subProcess>"
    local moves = { { from = "sub", to = "es" }, { from = "a", to = "b" } }
    from, to = process(START .. from, "s -> sub"), process(START .. user "u" .. to, "s -> u")
    return migrated(t, from, to, moves, function(instance)
      local before = t.engine:task({ key = "b" })
      local listens = #t.engine:subscriptions { type = "message", name = "m" }
      before:complete()
      return ("%d %s"):format(listens, t.engine:history_instance(instance.id).state)
    end)
  end, "1 completed", "0 completed", "0 completed")
end
