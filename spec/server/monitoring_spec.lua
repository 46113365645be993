-- The dashboard and the alerts of docs/monitoring: each asks for metrics that a server tells, and
-- Prometheus takes them.
local json = require "orrery".json
local support = require "spec.server.support"

local RULES <const>, DASHBOARD <const> = "docs/monitoring/rules.yml", "docs/monitoring/grafana.json"
local has_promtool = os.execute "command -v promtool >/dev/null 2>&1" == true
local with_promtool = has_promtool and it or function(what) pending(what
  .. ": skipped, promtool is not installed (package prometheus)") end

--- The expressions of the alerts, and their names.
local function alerts()
  local expressions, names = {}, {}
  for name, expression in support.read(RULES):gmatch "%- alert: (%w+)\n +expr: ([^\n]+)" do
    names[#names + 1], expressions[#expressions + 1] = name, expression
  end
  return expressions, names
end

--- The expressions of the dashboard's panels.
local function panels()
  local expressions = {}
  for _, panel in ipairs(json.decode(support.read(DASHBOARD)).panels) do
    for _, target in ipairs(panel.targets or {}) do expressions[#expressions + 1] = target.expr end
  end
  return expressions
end

--- Names of metrics as a query may write them, from the text that Prometheus scrapes.
local function told(text)
  local names = {}
  for name, kind in text:gmatch "# TYPE ([%w_]+) (%w+)" do
    names[name] = true
    for _, part in ipairs(kind == "histogram" and { "_bucket", "_count", "_sum" }
      or {}) do names[name .. part] = true end
  end
  return names
end

local function asked(expressions)
  local names = {}
  for _, expression in ipairs(expressions) do
    for name in expression:gmatch "orrery_[%w_]+" do names[name] = true end
  end
  return names
end

local function missing(expressions, there)
  local out = {}
  for name in pairs(asked(expressions)) do
    if not there[name] then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

describe("docs/monitoring", function()
  local text, there

  setup(function()
    local server <close> = support.serve { arguments = "--traces http://127.0.0.1:9" }
    text = select(2, server:ask("GET", "/metrics"))
    there = told(text)
  end)

  it("asks in its alerts for metrics that there are, by labels that they have", function()
    local expressions = alerts()
    assert.is_true(#expressions >= 15)
    assert.same({}, missing(expressions, there))
    for _, expression in ipairs(expressions) do
      for name, label, value in expression:gmatch '(orrery_[%w_]+){(%w+)=~?"(%w+)' do
        assert.truthy(text:find(('\n%s{[^\n]*%s="%s"'):format(name, label, value)), name
          .. " has no " .. label .. " " .. value)
      end
    end
  end)

  it("asks in its dashboard for metrics that there are", function()
    local expressions = panels()
    assert.is_true(#expressions >= 30)
    assert.same({}, missing(expressions, there))
  end)

  it("says in operating.md what each alert means, and watches what is to be watched there",
    function()
    local manual = support.read "docs/operating.md"
    local expressions, names = alerts()
    for _, name in ipairs(names) do assert.truthy(manual:find(name, 1, true), name
      .. " is not described") end
    for name in manual:gmatch "`(Orrery%u%w+)`" do assert.truthy(support.read(RULES):find("alert: "
      .. name .. "\n", 1, true), name) end
    local watched = asked(expressions)
    for name in manual:match "| watch | what it means.-\n\n":gmatch "`(orrery_[%w_]+)`" do
      assert.is_true(watched[name] or name == "orrery_views_held", name .. " has no alert")
    end
  end)

  local function promtool(arguments)
    local pipe = assert(io.popen("promtool " .. arguments .. " 2>&1"))
    local out = pipe:read "a"
    return pipe:close() == true, out
  end

  with_promtool("has alerts that Prometheus takes, and that come when they should", function()
    for _, arguments in ipairs { "check rules " .. RULES,
      "test rules docs/monitoring/rules.test.yml" } do
      local fine, out = promtool(arguments)
      assert.is_true(fine, out)
    end
    local tested = support.read "docs/monitoring/rules.test.yml"
    for _, name in ipairs(select(2, alerts())) do assert.truthy(tested:find(name, 1, true), name
      .. " has no test") end
  end)

  with_promtool("has a dashboard whose queries Prometheus takes", function()
    local path = os.tmpname()
    local out = { "groups:", "- name: panels", "  rules:" }
    for i, expression in ipairs(panels()) do
      local plain = expression:gsub("%$__rate_interval", "5m"):gsub("%$engine", "shop")
      out[#out + 1] = ("  - record: panel_%d\n    expr: '%s'"):format(i, plain)
    end
    local file <close> = assert(io.open(path, "w"))
    file:write(table.concat(out, "\n"), "\n")
    file:flush()
    local fine, said = promtool("check rules " .. path)
    os.remove(path)
    assert.is_true(fine, said)
  end)
end)
