--- Models are drawn in the words of Orrery's own dialect, and written in those of any.
local dialects = {}

local head = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:%s="%s"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="sim">
]]

local words = {
  orrery = { prefix = "o", uri = "urn:orrery:bpmn" },
  camunda = { prefix = "camunda", uri = "http://camunda.org/schema/1.0/bpmn" },
  flowable = {
    prefix = "flowable", uri = "http://flowable.org/bpmn",
    asyncBefore = "async", asyncAfter = "asyncLeave", resultVariable = "resultVariableName",
    ['type="external"'] = 'type="external-worker"',
  },
}

--- Whether a dialect has words for a thing.
local has = {
  mappings = { camunda = true, orrery = true },
  variable_names = { camunda = true, orrery = true }, -- of conditional events
  all_variables = { camunda = true, orrery = true },  -- at a call
  task_updates = { camunda = true, orrery = true },   -- as an event of task listeners
  triggerable = { flowable = true, orrery = true },
  priorities = { camunda = true, orrery = true },
  inherited_variables = { flowable = true, orrery = true },
  completed_async = { flowable = true, orrery = true },
}

function dialects.have(what, dialect) return has[what][dialect] == true end

--- A whole model from what is drawn.
function dialects.write(text, dialect)
  local own = words[dialect]
  text = text:gsub('([</ ])o:(%a+)(="?%a*"?)', function(before, word, value)
    local both = own[word .. value]
    return before .. own.prefix .. ":" .. (both or (own[word] or word) .. value)
  end)
  text = text:gsub("([</ ])o:", "%1" .. own.prefix .. ":")
  return head:format(own.prefix, own.uri) .. text .. "</definitions>"
end

return dialects
