-- What the specs of jobs stand on: engines with a manual clock, models in few lines, and a record of what ran in which order.
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

local function flows_of(text)
  local out = {}
  for from, to in text:gmatch "(%S+)%s*%->%s*(%S+)" do
    out[#out + 1] = ('<sequenceFlow id="%s-%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  return table.concat(out)
end

--- The source of a process: its elements, "a -> b" for its flows. Options: key (default "p"), attributes, before (elements beside it).
function support.model(elements, flows, options)
  options = options or {}
  return ('%s%s<process id="%s" isExecutable="true" %s>%s%s</process></definitions>'):format(head, options.before or "", options.key or "p",
    options.attributes or "", elements, flows_of(flows))
end

function support.deploy(engine, elements, flows, options)
  return engine:deploy { [(options and options.key or "p") .. ".bpmn"] = support.model(elements, flows, options) }
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
  local _, _, code = os.execute(("%s spec/job/lock_child.lua '%s' %.3f %d '%s'"):format(lua, store, now, lock_time or 300, owner or ""))
  assert(code == 7, "the other process did not run a job")
end

--- A timer event definition with a duration, date or cycle.
function support.timer(kind, text)
  return ("<timerEventDefinition><time%s>%s</time%s></timerEventDefinition>"):format(kind, text, kind)
end

return support
