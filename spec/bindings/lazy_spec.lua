-- What most programs do not use is not loaded with an engine, and is found when it is used, wherever package.path leads by then.
local lua = os.getenv "ORRERY_LUA" or "lua5.4"

--- What a program prints that runs in a process of its own.
local function printed(program)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(program)
  file:close()
  local pipe = assert(io.popen(("%s %s 2>&1"):format(lua, path)))
  local text = pipe:read "a"
  pipe:close()
  os.remove(path)
  return text
end

describe("opening an engine", function()
  it("loads no FEEL, no methods of Java, no HTTP client, no routes", function()
    assert.equal("", printed [[
      local engine <close> = require "orrery".open()
      for _, name in ipairs { "camel", "decision", "el.methods", "feel", "mail", "migration", "net", "serving", "wsdl" } do
        if package.loaded["orrery." .. name] then print(name) end
      end
    ]])
  end)

  it("adds half a megabyte to the heap of its program", function()
    assert.equal("true\n", printed [[
      collectgarbage()
      local before = collectgarbage "count"
      local engine <close> = require "orrery".open()
      collectgarbage()
      print(collectgarbage "count" - before < 512)
    ]])
  end)

  it("finds what is loaded late though package.path has changed, and leaves that as it is", function()
    assert.equal("not_found\tfalse\tshell.spawn\tnowhere/?.lua\n", printed [[
      local orrery = require "orrery"
      local engine <close> = orrery.open(nil, { log = "none" })
      package.path = "nowhere/?.lua"
      local _, problem = pcall(engine.decide, engine, "nothing", {})
      local ok, failure = pcall(function() return orrery.await(orrery.spawn { arguments = { "/no/such/program" } }) end)
      print(problem.kind, ok, type(failure) == "table" and failure.type or failure, package.path)
    ]])
  end)
end)
