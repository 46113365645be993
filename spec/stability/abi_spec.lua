-- `make abi` compares the ABI of the public headers with the dump spec/stability/frozen/abi.xml.
local command = require "spec.cli.command"
local folder = require "spec.support.folder"

local DUMP <const> = "spec/stability/frozen/abi.xml"

local function check(source) return command.execute { "spec/stability/abi.sh", "check", DUMP, source } end

describe("the ABI of the C library", function()
  local has_abidiff = os.execute "command -v abidiff abidw cc >/dev/null"
  local with_abidiff = has_abidiff and it or function(what)
    pending(what .. ": skipped, abidiff is not installed (package abigail-tools)")
  end
  local source

  before_each(function()
    source = folder.make()
    assert(os.execute(("mkdir '%s/runtime' && cp -r runtime/include '%s/runtime/'"):format(source, source)))
  end)
  after_each(function() folder.remove(source) end)

  --- Puts `new` in place of `old` in one of the headers.
  local function change(name, old, new)
    local path = ("%s/runtime/include/orrery/%s"):format(source, name)
    local text = folder.read(path)
    local from, to = assert(text:find(old, 1, true))
    folder.write(path, text:sub(1, from - 1) .. new .. text:sub(to + 1))
  end

  with_abidiff("has all that its dump has", function()
    local code, out = check "."
    assert.equal(0, code, out)
  end)

  with_abidiff("may get functions, and members at the end of a struct of options", function()
    change("instances.h", "} orr_restart_options", "  bool more;\n} orr_restart_options")
    change("executor.h", "ORR_API(1) bool orr_engine_executor_active(",
      "ORR_API(1) bool orr_engine_go(orr_engine *engine);\nORR_API(1) bool orr_engine_executor_active(")
    local code, out = check(source)
    assert.equal(0, code, out)
  end)

  with_abidiff("loses nothing, and changes nothing", function()
    change("instances.h", "  bool without_business_key;\n", "")
    change("executor.h", "ORR_API(1) bool orr_engine_executor_active(orr_engine *engine);", "")
    change("queries.h", "double timeout_ms", "float timeout_ms")
    local code, out = check(source)
    assert.not_equal(0, code)
    assert.matches("orr_engine_executor_active", out)
    assert.matches("orr_feed_wait", out)
    assert.matches("without_business_key", out)
  end)
end)
