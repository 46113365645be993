-- A server that cannot have its port or its socket has done nothing.
-- Marks: threads
local folder = require "spec.support.folder"
local support = require "spec.server.support"

local model = support.model([==[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="u"/>
  <userTask id="u"/>]==], "p")

describe("a place that is taken", function()
  local path
  before_each(function() path = folder.make() end)
  after_each(function() folder.remove(path) end)

  --- A second server, with a new store and something to deploy.
  local function refused(more)
    more.store = path .. "/store"
    more.files = { ["p.bpmn"] = model }
    more.arguments = (more.arguments or "") .. " --deploy %f/p.bpmn"
    local ok, problem = pcall(support.serve, more)
    assert.is_false(ok)
    assert.is_nil(io.open(path .. "/store/data.mdb"))
    assert.is_nil(os.rename(path .. "/store", path .. "/store"))
    return problem
  end

  it("is told of before the second server makes a store or deploys", function()
    local first <close> = support.serve()
    assert.matches("the address cannot be listened at", refused { port = math.tointeger(first.port) })
    assert.equal(200, (first:ask("GET", "/version")))
  end)

  it("may be a socket, whose server keeps it", function()
    local first <close> = support.serve { arguments = "--socket " .. path .. "/s" }
    assert.matches("cannot be listened at", refused { arguments = "--socket " .. path .. "/s" })
    assert.is_true(first:alive())
    assert.is_not_nil(os.rename(path .. "/s", path .. "/s"))
  end)
end)
