--- orrery draw: a model's drawing as SVG, or where an instance of a store has been and is.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local draw = require "orrery.draw"
local errors = require "orrery.errors"
local files = require "orrery.files"
local store = require "orrery.cli.store"
local lookup = require "orrery.cli.lookup"

--- What each element is marked as: where tokens were, where they are, and what failed there; and how often it was done, if not once.
local function marks_of(engine, row)
  local marks, times, notes = {}, {}, {}
  for _, activity in ipairs(engine:history_activities { instance = row.id }) do
    if activity.ended_at and not activity.canceled then
      local id = activity.activity_id
      marks[id], times[id] = "passed", (times[id] or 0) + 1
      notes[id] = times[id] > 1 and tostring(times[id]) or nil
    end
  end
  local running = engine:instance(row.id)
  for _, id in ipairs(running and running:active() or {}) do marks[id] = "here" end
  for _, incident in ipairs(running and engine:incidents { instance = row.id } or {}) do marks[incident.activity_id] = "failed" end
  return marks, notes
end

--- The newest instance that an id or a business key names.
local function instance_drawing(path, word, options)
  local engine <close> = store.open(path, {})
  local rows = lookup.past_instances(engine, word)
  local row = rows[#rows]
  local definition = engine:definition(row.definition_id)
  if not definition then errors.raise("not_found", ("the definition of instance %s is deleted"):format(row.id)) end
  local marks, notes = marks_of(engine, row)
  return draw.svg(engine:resource(definition.deployment_id, definition.resource), { diagram = options.diagram, marks = marks,
    notes = notes, title = ("%s, instance %s: %s"):format(definition.key, row.id, row.state) })
end

local function model_drawing(path, options)
  local _, xml = next(files.read(path))
  local ok, svg = pcall(draw.svg, xml, { diagram = options.diagram })
  if ok then return svg end
  if type(svg) ~= "table" then error(svg, 0) end
  errors.raise(svg.kind, ("%s: %s"):format(path, svg.message))
end

local function run(options)
  local path, word = options[1], options[2]
  local is_folder = core.folder(path) ~= nil
  if is_folder and not word then args.usage("%s is a folder: name one model of it, or with a store an instance", path) end
  if word and not is_folder then args.usage("%s is no store, which an INSTANCE would be in", path) end
  local svg = word and instance_drawing(path, word, options) or model_drawing(path, options)
  if options.output then files.write(options.output, svg) else io.stdout:write(svg) end
  return 0
end

return {
  spec = {
    name = "draw", summary = "Draws a model as SVG, or where an instance of a store has been and is.",
    arguments = { { "MODEL|STORE", "a .bpmn or .bpmn20.xml file, or a store's folder" },
      { "INSTANCE", "an instance of the store, by its id or business key", optional = true } },
    options = {
      { "--diagram", "the diagram's id, its name, or what it shows; otherwise the first", value = "NAME" },
      { "--output", "write to this file rather than to the standard output", value = "FILE" },
    },
    notes = "A model without a diagram is placed as well as it can be. Of an instance, what tokens passed is green, with how often\n"
      .. "if more than once, where they are is blue, and what waits with an incident is red.",
  },
  run = run,
}
