-- Libraries that few hosts need are in no process that has not called for them.
local base = require("orrery_inside").base

local UNSUPPORTED <const> = -12

--- Which of these libraries a Lua process has after running `code`.
local function loaded_after(code)
  local script = os.tmpname()
  local file <close> = assert(io.open(script, "w"))
  file:write('local orrery = require "orrery"\n', code, [[

    for line in io.lines "/proc/self/maps" do
      for _, name in ipairs { "libcurl", "libpq", "libcrypto" } do
        if line:find("/" .. name .. "%.so") then print(name) end
      end
    end]])
  file:close()
  local found = {}
  local pipe <close> = assert(io.popen((os.getenv "ORRERY_LUA" or "lua5.4") .. " " .. script .. " 2>&1"))
  for name in pipe:lines() do found[name] = true end
  os.remove(script)
  return found
end

describe("a library that is loaded when it is first needed", function()
  it("is not there in a process that runs a model", function()
    assert.same({}, loaded_after [[
      local engine = orrery.open(nil, { log = "none" })
      engine:deploy { ["p.bpmn"] = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="spec">'
        .. '<process id="p" isExecutable="true"><startEvent id="s"/></process></definitions>' }
      engine:start "p"
      engine:close()]])
  end)

  it("is there once something is asked of a server", function()
    assert.is_true(loaded_after [[
      local engine = orrery.open(nil, { log = "none" })
      pcall(function() orrery.await(orrery.http { url = "http://127.0.0.1:1/" }) end)
      engine:close()]].libcurl)
  end)

  it("is there once a store in PostgreSQL is named, wherever that is", function()
    assert.is_true(loaded_after [[pcall(orrery.open, "postgresql://nobody@127.0.0.1:1/none", { log = "none" })]].libpq)
  end)

  it("is named when it is missing, or has not what is asked of it", function()
    assert.is_true(base.library("libm.so.6", "cos"))
    local _, message, code = base.library("libmissing.so.9", "cos")
    assert.equal(UNSUPPORTED, code)
    assert.matches("^this needs a library that cannot be loaded: .*libmissing%.so%.9: .*install it$", message)
    _, message, code = base.library("libm.so.6", "no_such_function")
    assert.equal(UNSUPPORTED, code)
    assert.matches("libm%.so%.6: undefined symbol: no_such_function", message)
  end)
end)
