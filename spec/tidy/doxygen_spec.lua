-- `make docs`: Doxygen reads the public headers without a warning.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"

local function make(...) return command.execute { "packaging/doxygen/make.sh", ... } end

describe("the reference of the C library", function()
  local has_doxygen = os.execute "command -v doxygen >/dev/null"
  local with_doxygen = has_doxygen and it or function(what)
    pending(what .. ": skipped, doxygen is not installed")
  end
  local path

  before_each(function() path = folder.make() end)
  after_each(function() folder.remove(path) end)

  with_doxygen("is made without a warning, and has functions and members", function()
    local code, out, err = make("runtime/include", path)
    assert.same({ 0, path .. "/html/index.html\n", "" }, { code, out, err })
    local engine = folder.read(path .. "/html/engine_8h.html")
    assert.matches("Opens an engine.", engine, 1, true)
    local config = folder.read(path .. "/html/structorr__config.html")
    assert.matches("how often a job is tried", config, 1, true)
  end)

  with_doxygen("is not made when a comment names what is not there", function()
    local headers = path .. "/include"
    assert(os.execute(("cp -r runtime/include '%s'"):format(headers)))
    local file <close> = assert(io.open(headers .. "/orrery/engine.h", "a"))
    file:write "/// Goes.\n/// @param way  whose\nvoid orr_engine_go(orr_engine *engine);\n"
    file:close()
    local code, _, err = make(headers, path .. "/out")
    assert.not_equal(0, code)
    assert.matches("engine%.h:%d+: .*'way'", err)
  end)
end)
