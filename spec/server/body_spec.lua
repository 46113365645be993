-- Bodies in JSON: what is none is told with its place, and numbers are what they say.
local support = require "spec.server.support"

describe("the body of a request", function()
  local server
  setup(function()
    server = support.serve { files = { ["order.bpmn"] = support.order },
      arguments = "--deploy %f/order.bpmn" }
  end)
  teardown(function() server:close() end)

  local function start(body)
    return server:ask("POST", "/process-definition/key/order/start", body)
  end

  it("is refused where it is not JSON", function()
    for body, message in pairs {
      ['{"variables": [1,}'] = "a value expected at line 1, column 18",
      ['{"a": "é",\n "b" 1}'] = "':' expected at line 2, column 6",
      ['{"a": 1'] = "',' or '}' expected at line 1, column 8",
      ['{"a": "\255"}'] = "UTF-8 expected at line 1, column 8",
    } do
      local status, answer = start(body)
      assert.same({ 400, "the body is not JSON: " .. message }, { status, answer.message })
    end
  end)

  it("nests no deeper than a value may", function()
    local function nested(depth) return '{"a": ' .. ("["):rep(depth) .. ("]"):rep(depth) .. "}" end
    assert.equal(200, (start(nested(63))))
    local status, answer = start(nested(64))
    assert.same({ 400, "the JSON is nested deeper than 64 levels" }, { status, answer.message })
  end)

  it("may hold whole numbers of 64 bits, and greater ones as doubles; the last of equal keys holds",
    function()
      local _, made = start [[{"variables": {"id": {"value": 1}, "id": {"value": 9007199254740993},
        "wide": {"value": 123456789012345678901234567890, "type": "Double"},
        "text": {"value": "a\u0000\ud83d\ude00"}}}]]
      local _, all = server:ask("GET", "/process-instance/" .. made.id .. "/variables")
      assert.equal(9007199254740993, all.id.value)
      assert.equal(123456789012345678901234567890.0, all.wide.value)
      assert.equal("a\0\u{1f600}", all.text.value)
    end)
end)
