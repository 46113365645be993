-- Models that somebody has damaged: whatever is wrong, it is a problem or a null, and nothing else happens.
local core = require "orrery.core"
local model = require "orrery.decision.model"
local fault = require "spec.fault.models"
local models = require "spec.decision.models"
local random = require "spec.support.random"

local TIMES = tonumber(os.getenv "ORRERY_RANDOM") or 600

local samples = {
  fault.decisions,
  models.file(models.input("x", "number") .. models.decision("d", models.table { policy = "COLLECT", aggregation = "SUM",
    inputs = { { "x", "number", values = "[0..9]" }, { "x + 1" } }, outputs = { { "a", "number", values = "1, 2", default = "3" } },
    rules = { { "< 3", "-", "x" }, { "[1..5]", "not(4)", "2" }, { "?", "x", "1" } } }, { inputs = { "x" } }) ..
    '<decision id="e" name="e"><for iteratorVariable="i"><in>' .. models.text "[1..3]" .. "</in><return><conditional><if>" ..
    models.text "i = 1" .. "</if><then>" .. models.text "partial" .. "</then><else>" .. models.text "x" ..
    "</else></conditional></return></for></decision>"),
  models.file(models.decision("d", models.table { policy = "FIRST", inputs = { { "${x}", "integer" } }, outputs = { { "a" }, { "b" } },
    rules = { { '== "1"', "x.size()", "'a'" }, { ".startsWith('x')", "${y}", "fn_now()" } } }),
    { version = "1.2", attributes = 'xmlns:flowable="http://flowable.org/dmn" exporter="Flowable"' }),
}

--- A piece of another place of the text, or none, in place of a piece of it.
local function damaged(text, n)
  local from, size, other = n(#text), n(40), n(#text)
  local piece = n(3) == 1 and "" or text:sub(other, other + n(60))
  return text:sub(1, from - 1) .. piece .. text:sub(from + size)
end

--- Words exchanged for others keep the text an XML file more often.
local function exchanged(text, n)
  local words = {}
  for word in text:gmatch "[%w_]+" do words[#words + 1] = word end
  local old, new = words[n(#words)], words[n(#words)]
  local at = text:find(old, n(#text), true)
  return at and text:sub(1, at - 1) .. new .. text:sub(at + #old) or text
end

local function is_named(problem) return type(problem) == "table" and (problem.kind == "limit" or problem.kind == "expression") end

local function evaluate(code)
  local loaded = model.load(code, "m.dmn")
  for _, node in ipairs(loaded.nodes) do
    if node.kind ~= "knowledge" then
      local ok, problem = pcall(loaded.run, loaded, node, { x = 4, y = "z", person = { age = 3 } }, {})
      assert(ok or is_named(problem), tostring(problem))
    end
  end
end

describe("a damaged model", function()
  for i, sample in ipairs(samples) do
    it("is refused or evaluates: sample " .. i, function()
      local n, compiled = random.seeded(i), 0
      for _ = 1, TIMES do
        local text = (n(2) == 1 and damaged or exchanged)(sample, n)
        local answer = core.decision_compile({ ["m.dmn"] = text, ["library.dmn"] = fault.library }, "m.dmn", n(2) == 1)
        assert(answer.code or answer.problems[1], text)
        if answer.code then
          compiled = compiled + 1
          local ok, problem = pcall(evaluate, answer.code)
          assert(ok, ("%s\n%s"):format(tostring(problem), text))
        end
      end
      assert.is_true(compiled > 10 and compiled < TIMES)
    end)
  end
end)
