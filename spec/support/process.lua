-- What specs of processes stand on: engines with a manual clock, models in few lines, a record of what ran in which order, and how
-- errors are looked at.
local orrery = require "orrery"

local support = {}

--- A private engine; `local engine <close>` ends it.
function support.engine(options)
  local merged = { clock = "manual", log = "none", durability = "none" }
  for k, v in pairs(options or {}) do merged[k] = v end
  return orrery.open(nil, merged)
end

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:o="urn:orrery:bpmn" targetNamespace="spec">]]

--- "a -> b b -> c" as sequence flows, whose ids are a-b and b-c.
function support.flows(text)
  local out = {}
  for from, to in text:gmatch "(%S+)%s*%->%s*(%S+)" do
    out[#out + 1] = ('<sequenceFlow id="%s-%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  return table.concat(out)
end

--- The source of a process: its elements, "a -> b" for its flows. Options: key (default "p"), attributes, before (elements beside it); a
--- text alone are attributes.
function support.model(elements, flows, options)
  options = type(options) == "string" and { attributes = options } or options or {}
  return ('%s%s<process id="%s" isExecutable="true" %s>%s%s</process></definitions>'):format(head, options.before or "", options.key or "p",
    options.attributes or "", elements, support.flows(flows))
end

function support.deploy(engine, elements, flows, options)
  local key = type(options) == "table" and options.key or "p"
  return engine:deploy { [key .. ".bpmn"] = support.model(elements, flows, options) }
end

--- An async service task of class "work".
function support.task(id, attributes, content)
  return ('<serviceTask id="%s" camunda:class="work" camunda:asyncBefore="true" %s>%s</serviceTask>'):format(id, attributes or "", content
    or "")
end

function support.cycle(text)
  return ("<extensionElements><camunda:failedJobRetryTimeCycle>%s</camunda:failedJobRetryTimeCycle></extensionElements>"):format(text)
end

--- start -> an async task "work" -> end
function support.single(engine, attributes, content, options)
  return support.deploy(engine, '<startEvent id="s"/>' .. support.task("work", attributes, content) .. '<endEvent id="e"/>',
    "s -> work work -> e", options)
end

--- The class "work" notes the instance's business key, or what `note` makes of its execution; returns the notes.
function support.record(engine, note)
  local notes = {}
  engine:register("work", function(execution) notes[#notes + 1] = note and note(execution) or execution.business_key
    or execution.activity_id end)
  return notes
end

--- The class "work" always fails.
function support.failing(engine, message)
  engine:register("work", function() error(message or "no luck", 0) end)
end

--- The error of `call`, which must be of this kind.
function support.refused(kind, call, ...)
  local ok, err = pcall(call, ...)
  assert(not ok, "an error of kind " .. kind .. " was expected")
  assert(type(err) == "table" and err.kind == kind, ("%s was expected, not: %s"):format(kind, tostring(err)))
  return err
end

function support.fields(list, field)
  local out = {}
  for i, record in ipairs(list) do out[i] = record[field] end
  return out
end

function support.sorted(list)
  table.sort(list)
  return list
end

--- Another process that dies while it runs a job of this store; its lock stays.
function support.die_running(store, now, lock_time, owner)
  local lua = os.getenv "ORRERY_LUA" or "lua5.4"
  local command = ("%s spec/executor/lock_child.lua '%s' %.3f %d '%s'"):format(lua, store, now, lock_time or 300, owner or "")
  local _, _, code = os.execute(command)
  assert(code == 7, "the other process did not run a job")
end

--- Runs `code` in another process, with its engine of the store at `path` as `engine`.
function support.elsewhere(path, code)
  local file = os.tmpname()
  local out = assert(io.open(file, "w"))
  out:write(('local engine <close> = require "orrery".open(%q, { log = "none" })\n%s'):format(path, code))
  out:close()
  assert(os.execute(("%s %s"):format(os.getenv "ORRERY_LUA" or "lua5.4", file)))
  os.remove(file)
end

--- A timer event definition with a duration, date or cycle.
function support.timer(kind, text)
  return ("<timerEventDefinition><time%s>%s</time%s></timerEventDefinition>"):format(kind, text, kind)
end

--- start -> a user task "task" -> end
function support.user_task(engine)
  return support.deploy(engine, '<startEvent id="s"/><userTask id="task" name="My task"/><endEvent id="e"/>', "s -> task task -> e")
end

--- start -> an async service task "work" of the class "work" -> end
function support.async(engine)
  return support.deploy(engine, [[<startEvent id="s"/><serviceTask id="work" camunda:class="work" camunda:asyncBefore="true"/>
    <endEvent id="e"/>]], "s -> work work -> e")
end

function support.definitions(body)
  return [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:o="urn:orrery:bpmn" targetNamespace="spec">]] .. body .. "</definitions>"
end

--- A process that waits in the user task "wait" between `start` (an element) and its end.
function support.waiting(key, start)
  return ([[<process id="%s" isExecutable="true">%s<sequenceFlow id="f1" sourceRef="start" targetRef="wait"/>
    <userTask id="wait"/><sequenceFlow id="f2" sourceRef="wait" targetRef="end"/><endEvent id="end"/></process>]])
    :format(key, start or '<startEvent id="start"/>')
end

support.message_start = '<startEvent id="start"><messageEventDefinition messageRef="m"/></startEvent>'
function support.started_by(key, message)
  return support.definitions(('<message id="m" name="%s"/>'):format(message) .. support.waiting(key, support.message_start))
end

--- The values of a field, sorted.
function support.each(list, field) return support.sorted(support.fields(list, field)) end

return support
