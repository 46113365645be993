--- What the benchmarks share: models, stores on disk, batches of instances, statistics.
local core = require "orrery.core"
local measure = require "orrery_bench"
local orrery = require "orrery"

local support = { measure = measure }

-- Models ----------------------------------------------------------------------------------------------------------------------------

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:o="urn:orrery:bpmn"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="bench">]]

--- A process with these elements.
function support.model(key, elements)
  return ('%s<process id="%s" isExecutable="true">%s</process></definitions>'):format(head, key, table.concat(elements, "\n"))
end

function support.flow(from, to, condition)
  local expression = '<conditionExpression xsi:type="tFormalExpression" language="lua">%s</conditionExpression>'
  local inner = condition and expression:format(condition) or ""
  return ('<sequenceFlow id="%s_%s" sourceRef="%s" targetRef="%s">%s</sequenceFlow>'):format(from, to, from, to, inner)
end

--- start -> the elements in a row -> end; `task(i)` gives the i-th one's id and XML.
function support.chain(key, count, task)
  local elements, last = { '<startEvent id="start"/>' }, "start"
  for i = 1, count do
    local id, xml = task(i)
    elements[#elements + 1] = xml
    elements[#elements + 1] = support.flow(last, id)
    last = id
  end
  elements[#elements + 1] = '<endEvent id="end"/>'
  elements[#elements + 1] = support.flow(last, "end")
  return support.model(key, elements)
end

--- A service task that calls the module `noop`, which goes with the deployment.
function support.service(attributes)
  return function(i)
    local id = "task" .. i
    return id, ('<serviceTask id="%s" o:class="noop" %s/>'):format(id, attributes or "")
  end
end

support.noop = "return { execute = function() end }"

--- Deploys a model and the modules it names.
function support.deploy(engine, xml, modules)
  local resources = { ["bench.bpmn"] = xml, ["noop.lua"] = support.noop }
  for name, text in pairs(modules or {}) do resources[name] = text end
  return engine:deploy(resources)
end

-- Stores ----------------------------------------------------------------------------------------------------------------------------

local function run(command, ...)
  local words = { command }
  for _, word in ipairs { ... } do words[#words + 1] = "'" .. word:gsub("'", "'\\''") .. "'" end
  assert(os.execute(table.concat(words, " ")))
end

--- An empty directory for a store, beside the build.
function support.directory(name)
  local path = ("%s/bench-store/%s"):format(support.build, name)
  run("rm -rf", path)
  run("mkdir -p", path)
  return path
end

function support.remove(path) run("rm -rf", path) end

--- A copy of a closed store; holes stay holes.
function support.copy(from, to)
  support.remove(to)
  run("cp -r --sparse=always", from, to)
  return to
end

--- A PostgreSQL server of the benchmark's own, which ends when it is closed, and the URL of a store in it; what is committed is on the
--- disk. Without PostgreSQL it says that `name` is skipped, and gives nil.
function support.postgresql(name)
  package.path = "./?.lua;" .. package.path -- run in the project's folder
  local postgres = require "spec.support.postgres"
  if not postgres.is_installed() then
    io.stderr:write(name, ": skipped, PostgreSQL is not installed\n")
    return nil
  end
  local server = postgres.start { durable = true }
  local url = server:schema()
  core.store_make_schema(url)
  return server, url
end

function support.open(path, options) return orrery.open(path, options) end

-- Instances -------------------------------------------------------------------------------------------------------------------------

support.batch = 1000

--- Starts `count` instances, `support.batch` to a transaction. `options()` (may be nil) gives each one's.
function support.populate(engine, key, count, options)
  local left = count
  while left > 0 do
    local n = math.min(left, support.batch)
    engine:transaction(function()
      for _ = 1, n do engine:start(key, options and options()) end
    end)
    left = left - n
  end
end

--- Seconds that `f` took.
function support.time(f, ...)
  local begun = measure.now()
  f(...)
  return measure.now() - begun
end

--- Microseconds of processor time of all threads, for each of `count` that `f` does; and the pages it wrote.
function support.cost(count, f)
  local used, pages = measure.used(), support.pages_written()
  f()
  return (measure.used() - used) * 1e6 / count, (support.pages_written() - pages) / count
end

--- Pages that this process has given the system to write, as LMDB does with each that a commit has changed.
function support.pages_written()
  local file <close> = assert(io.open "/proc/self/io")
  return tonumber(file:read("a"):match "wchar: (%d+)") / 4096
end

function support.quantile(values, q)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return sorted[math.max(1, math.ceil(q * #sorted))]
end

return support
