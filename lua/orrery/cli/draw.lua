--- orrery draw: a model's drawing as SVG.
local args = require "orrery.cli.args"
local core = require "orrery.core"
local draw = require "orrery.draw"
local errors = require "orrery.errors"
local files = require "orrery.files"

local function run(options)
  local path = options[1]
  if core.folder(path) then args.usage("%s is a folder: name one model of it", path) end
  local _, xml = next(files.read(path))
  local ok, svg = pcall(draw.svg, xml, { diagram = options.diagram })
  if not ok then errors.raise(type(svg) == "table" and svg.kind or "argument", ("%s: %s"):format(path, type(svg) == "table" and svg.message
    or tostring(svg))) end
  if options.output then files.write(options.output, svg) else io.stdout:write(svg) end
  return 0
end

return {
  spec = {
    name = "draw", summary = "Draws a model as SVG: as its diagram has it, and a model without a diagram as it can be placed.",
    arguments = { { "MODEL", "a .bpmn or .bpmn20.xml file" } },
    options = {
      { "--diagram", "the diagram's id, its name, or what it shows; otherwise the first", value = "NAME" },
      { "--output", "write to this file rather than to the standard output", value = "FILE" },
    },
  },
  run = run,
}
