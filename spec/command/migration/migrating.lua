-- Models, plans and engines for the specs of migration.
local assert = require "luassert"
local support = require "spec.support.process"

local migrating = {}

--- A process "p": `nodes` between definitions' own messages, signals and the start event; flows are "a>b" (id "a_b") or "id:a>b".
function migrating.process(nodes, flows)
  local out = { [[<message id="m" name="go"/><message id="m2" name="other"/><signal id="alarm" name="alarm"/>
    <process id="p" isExecutable="true"><startEvent id="start"/>]], nodes }
  for flow in flows:gmatch "%S+" do
    local id, from, to = flow:match "^([%w_]+):([%w_]+)>([%w_]+)$"
    if not id then from, to = flow:match "^([%w_]+)>([%w_]+)$" end
    out[#out + 1] = ('<sequenceFlow id="%s" sourceRef="%s" targetRef="%s"/>'):format(id or from .. "_" .. to, from, to)
  end
  out[#out + 1] = "</process>"
  return support.definitions(table.concat(out))
end

function migrating.user(id) return ('<userTask id="%s"/>'):format(id) end
function migrating.timer(duration)
  return ('<timerEventDefinition><timeDuration>%s</timeDuration></timerEventDefinition>'):format(duration)
end

migrating.message, migrating.other = '<messageEventDefinition messageRef="m"/>', '<messageEventDefinition messageRef="m2"/>'
migrating.signal = '<signalEventDefinition signalRef="alarm"/>'
function migrating.boundary(id, to, event, attributes)
  return ('<boundaryEvent id="%s" attachedToRef="%s" %s>%s</boundaryEvent>'):format(id, to, attributes or "", event)
end

function migrating.catch(id, event) return ('<intermediateCatchEvent id="%s">%s</intermediateCatchEvent>'):format(id, event) end
function migrating.sub(id, inside, attributes) return ('<subProcess id="%s" %s>%s</subProcess>'):format(id, attributes or "", inside) end
function migrating.multi(id, attributes)
  return ([[<userTask id="%s"><multiInstanceLoopCharacteristics %s><loopCardinality>3</loopCardinality>
    </multiInstanceLoopCharacteristics></userTask>]]):format(id, attributes or "")
end

function migrating.undone_by(activity, handler) -- a boundary event with its handler
  return migrating.boundary("c", activity, "<compensateEventDefinition/>") .. ([[<userTask id="%s" isForCompensation="true"/>
    <association id="as" associationDirection="One" sourceRef="c" targetRef="%s"/>]]):format(handler, handler)
end

function migrating.inner(id, flows) -- a start event and flows of a sub-process
  local out = { ('<startEvent id="%s"/>'):format(id) }
  for from, to in flows:gmatch "([%w_]+)>([%w_]+)" do
    out[#out + 1] = ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s"/>'):format(from, to, from, to)
  end
  return table.concat(out)
end

function migrating.on_event(id, start, event, attributes, content)
  return ([[<subProcess id="%s" triggeredByEvent="true"><startEvent id="%s" %s>%s</startEvent>
    <sequenceFlow id="f_%s" sourceRef="%s" targetRef="in_%s"/>%s</subProcess>]])
    :format(id, start, attributes or "", event, id, start, id, content or migrating.user("in_" .. id))
end

-- ---- What an example has: one engine, and what is done with it --------------------------------------------------------------------------

function migrating.open(options)
  migrating.engine = support.engine { history = "full", dialect = options and options.dialect }
  return migrating.engine
end

function migrating.close()
  assert.same({}, migrating.engine:verify())
  migrating.engine:close()
end

function migrating.deploy(model) return migrating.engine:deploy({ ["p.bpmn"] = model }).definitions[1] end

--- Starts an instance of one model and deploys the other; the plan between them.
function migrating.prepare(from, to, options, start)
  local source = migrating.deploy(from)
  local pi = migrating.engine:start_by_id(source.id, start)
  local target = migrating.deploy(to)
  return pi, migrating.engine:migration_plan(source.id, target.id, options), source, target
end

function migrating.moved(from, to, options, start)
  local pi, plan, source, target = migrating.prepare(from, to, options, start)
  assert.equal(1, migrating.engine:migrate(plan, { instances = { pi.id } }))
  assert.equal(target.id, pi:reload().definition_id)
  return pi, plan, source, target
end

function migrating.migrate(pi, target, options)
  migrating.engine:migrate(migrating.engine:migration_plan(pi:reload().definition_id, target.id, options), { instances = { pi.id } })
end

function migrating.task(key) return migrating.engine:task { key = key } end
function migrating.complete(key) migrating.task(key):complete() end
function migrating.gone(pi) return migrating.engine:instance(pi.id) == nil end
function migrating.problems(plan, pi)
  local out = {}
  for i, problem in ipairs(plan:validate { instances = pi and { pi.id } or {} }) do out[i] = problem.message end
  return out
end

function migrating.refused(plan, pi)
  return support.refused("argument", function() migrating.engine:migrate(plan, { instances = { pi.id } }) end)
end

migrating.one = migrating.process(migrating.user "a", "start>a")
migrating.two = migrating.process(migrating.user "a" .. migrating.user "b", "start>a a>b")

return migrating
