--- Finds what a word of the command line names: people know an order by its business key, programs by its id.
local args = require "orrery.cli.args"
local errors = require "orrery.errors"
local executable = require "orrery.cli.model.executable"
local files = require "orrery.files"

local lookup = {}

local SHOWN = 5 -- ids in a message

local function several(word, rows)
  local ids = {}
  for i = 1, math.min(#rows, SHOWN) do ids[i] = rows[i].id end
  args.usage('"%s" is the business key of several instances: %s%s', word, table.concat(ids, ", "), #rows > SHOWN and ", …" or "")
end

--- Raises that there is no instance, or none any more, of this word.
local function none(engine, word)
  local clock = require "orrery.cli.clock"
  local ended = engine:history_instance(word)
    or engine:history_instances({ business_key = word, order_by = { { "started_at", "desc" } }, limit = 1 })[1]
  if ended then
    errors.raise("not_found", ("instance %s has ended: %s at %s; 'orrery history' tells how"):format(ended.id, ended.state,
      clock.format(ended.ended_at)))
  end
  errors.raise("not_found", ('no running instance has the id or business key "%s"'):format(word))
end

--- The one running instance of an id or a business key.
function lookup.instance(engine, word)
  local found = engine:instance(word)
  if found then return found end
  local rows = engine:instances { business_key = word, limit = SHOWN + 1 }
  if #rows > 1 then several(word, rows) end
  return rows[1] or none(engine, word)
end

--- "check (12), pack (13)" of tasks, jobs or the like.
local function shown(rows)
  local out = {}
  for i = 1, math.min(#rows, SHOWN) do
    out[i] = ("%s (%s)"):format(rows[i].key or rows[i].activity_id or "-", rows[i].id)
  end
  return table.concat(out, ", ") .. (#rows > SHOWN and ", …" or "")
end

--- The one user task of an id, or of an instance by its id or business key; of the topmost one,
--- those that it calls included.
function lookup.task(engine, word)
  local found = engine:task(word)
  if found then return found end
  local known, instance = pcall(lookup.instance, engine, word)
  local absent = not known and type(instance) == "table" and instance.kind == "not_found"
  if not known and not absent then error(instance, 0) end
  if absent then
    errors.raise("not_found",
      ("none of the tasks has the id %s, and no instance runs by this name"):format(word))
  end
  local of = instance.parent_id and "instance_id" or "root"
  local rows = engine:tasks { [of] = instance.id, order_by = "id" }
  if #rows == 1 then return rows[1] end
  if #rows > 1 then args.usage('"%s" has several tasks: %s', word, shown(rows)) end
  errors.raise("not_found", ("instance %s has no task"):format(instance.id))
end

--- A running instance or a user task by its id, or an instance by its business key: what has variables.
function lookup.scope(engine, word)
  return engine:task(word) or engine:execution(word) or lookup.instance(engine, word)
end

--- The instances of the history, running ones included, of an id or a business key, the oldest first.
function lookup.past_instances(engine, word)
  local found = engine:history_instance(word)
  if found then return { found } end
  local rows = engine:history_instances { business_key = word, order_by = "started_at" }
  if not rows[1] then errors.raise("not_found", ('the history knows no instance of the id or business key "%s"'):format(word)) end
  return rows
end

local DEPLOYMENTS_MAX <const> = 50 -- looked through for a process that is not executable

--- The newest model that has a process of this key which says that it is not executable; nil when none has.
local function not_executable(engine, key)
  for _, d in ipairs(engine:deployments { order_by = { { "time", "desc" } }, limit = DEPLOYMENTS_MAX }) do
    for _, name in ipairs(engine:resources(d.id)) do
      local ids = files.is_process_model(name) and executable.refused(engine:resource(d.id, name)) or {}
      for _, id in ipairs(ids) do
        if id == key then return name end
      end
    end
  end
end

--- A definition: its id, KEY:VERSION, or KEY for the latest version.
function lookup.definition(engine, word)
  local key, version = word:match "^(.+):(%d+)$"
  local found = key and engine:definition { key = key, version = math.tointeger(version) }
    or engine:definition { key = word, latest = true } or engine:definition(word)
  if found then return found end
  local model = not_executable(engine, key or word)
  if model then
    errors.raise("not_found", ('process "%s" of %s says isExecutable="false", as drawing tools save it, so that it has no definition; \z
      say "true" and deploy it again'):format(key or word, model))
  end
  local known = {}
  for i, d in ipairs(engine:definitions { latest = true, order_by = "key" }) do known[i] = ("%s:%d"):format(d.key, d.version) end
  errors.raise("not_found", ('no definition "%s"%s'):format(word, #known > 0 and "; there are " .. table.concat(known, ", ") or ""))
end

return lookup
