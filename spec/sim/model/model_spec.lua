-- What is drawn: legal in its dialect, in that dialect's own words, the same for the same seed, and
-- with everything in it that a random model may have.
local Model = require "spec.sim.model"
local orrery = require "orrery"

local first <const> = require("spec.support.random").seed()
local MODELS <const>, MANY <const> = 40, 200

local prefixes = { orrery = "o", camunda = "camunda", flowable = "flowable" }

local everywhere = [[asyncBefore|async= asyncAfter|asyncLeave exclusive="false" executionListener
  taskListener failedJobRetryTimeCycle timeDuration timeCycle callActivity external
  conditionalEventDefinition <transaction cancelEventDefinition linkEventDefinition
  compensateEventDefinition escalationEventDefinition errorEventDefinition signalEventDefinition
  messageEventDefinition terminateEventDefinition eventBasedGateway inclusiveGateway
  parallelGateway exclusiveGateway triggeredByEvent multiInstanceLoopCharacteristics
  standardLoopCharacteristics completionCondition receiveTask scriptTask event="take"]]
local in_some = { orrery = "inputOutput triggerable jobPriority inheritVariables completeAsync",
  camunda = 'inputOutput jobPriority variables="all" variableName',
  flowable = "triggerable inheritVariables completeAsync" }

local function all_of(dialect, options, count)
  local out = {}
  for i = 1, count or MODELS do out[i] = Model.random(first + i, dialect, options).xml end
  return out
end

local function says(text, word)
  for one in word:gmatch "[^|]+" do
    if text:find(one, 1, true) then return true end
  end
  return false
end

--- Without what says where transactions end.
local function without_points(xml)
  for _, name in ipairs { "asyncBefore", "asyncAfter", "async", "asyncLeave", "exclusive",
    "completeAsync" } do
    xml = xml:gsub((' %%a+:%s="%%a+"'):format(name), "")
  end
  return xml
end

for dialect, prefix in pairs(prefixes) do
  describe("a random model of the dialect " .. dialect, function()
    it("deploys without a warning, and uses that dialect's words alone", function()
      local engine <close> = orrery.open(nil, { log = "none", dialect = dialect })
      for _, calm in ipairs { false, true } do
        for _, xml in ipairs(all_of(dialect, { calm = calm })) do
          assert.same({}, engine:deploy({ ["p.bpmn"] = xml }).warnings)
          for used in xml:gmatch "[</ ](%a+):%a+" do
            assert(used == prefix or used == "xmlns" or used == "xsi", used)
          end
        end
      end
    end)

    it("is the same for the same seed, and another for another", function()
      local once = all_of(dialect)
      assert.same(once, all_of(dialect))
      assert.not_equal(once[1], once[2])
    end)

    it("differs in its save points alone where only those are drawn anew", function()
      local one, other = all_of(dialect, { calm = true }), all_of(dialect, { calm = true, cut = 1 })
      local differ = 0
      for i, xml in ipairs(one) do
        assert.equal(without_points(xml), without_points(other[i]))
        if xml ~= other[i] then differ = differ + 1 end
      end
      assert(differ > MODELS / 2, differ)
    end)

    it("has, now and then, everything", function()
      local text = table.concat(all_of(dialect, {}, MANY))
      for word in (everywhere .. " " .. in_some[dialect]):gmatch "%S+" do
        assert(says(text, word), word)
      end
    end)
  end)
end
