-- What spec/run makes of files that fail, fail once, hang, or end before their specs do; and what
-- the files say about themselves.
-- Marks: load
local folder = require "spec.support.folder"
local sources = require "spec.tidy.sources"

local preset = os.getenv("ORRERY_BUILD"):match "[^/]+$"

--- Runs spec/run over a file of specs with this text; returns what it printed, and whether it passed.
local function run(text, environment)
  local place <close> = setmetatable({ path = folder.make() }, { __close = function(t) folder.remove(t.path) end })
  folder.write(place.path .. "/planted_spec.lua", text:gsub("PLACE", place.path))
  local command = "unset ORRERY_STORE; %s spec/run %s '%s' 2>&1"
  local pipe = assert(io.popen(command:format(environment or "", preset, place.path)))
  local out = pipe:read "a"
  return out, pipe:close() == true
end

local function last_line(out) return out:match "([^\n]*)\n$" end

describe("spec/run", function()
  it("passes what passes", function()
    local out, passed = run 'it("holds", function() end)'
    assert.same({ true, "1 passed, 0 failed" }, { passed, last_line(out) })
    assert.is_nil(out:find "Unsteady")
  end)

  it("tries what fails twice more, and tells of it once", function()
    local out, passed = run [[it("does not hold", function()
      local file <close> = io.open("PLACE/tries", "a")
      file:write "x"
      error(("tried %d"):format(file:seek "end"))
    end)]]
    assert.same({ false, "0 passed, 1 failed" }, { passed, last_line(out) })
    assert.truthy(out:find("== What fell\n.*tried 1"), out)
    local _, again = run [[it("holds the third time", function()
      local file <close> = io.open("PLACE/tries", "a")
      file:write "x"
      assert(file:seek "end" == 3)
    end)]]
    assert.is_true(again)
  end)

  it("lists what failed once as unsteady, with why, and lets it pass", function()
    local out, passed = run [[it("holds now", function()
      if not io.open "PLACE/tried" then
        io.open("PLACE/tried", "w"):close()
        error "the first time"
      end
    end)]]
    assert.same({ true, "1 passed, 0 failed" }, { passed, last_line(out) })
    assert.truthy(out:find("== Unsteady\n.*the first time"), out)
  end)

  it("ends a spec that hangs, shows where it was, and does not try it again", function()
    local out, passed = run([[it("hangs", function()
      io.open("PLACE/tries", "a"):write "x"
      os.execute "sleep 1000"
    end)]], "IT_SECONDS_MAX=10")
    assert.same({ false, "0 passed, 1 failed" }, { passed, last_line(out) })
    assert.truthy(out:find("planted_spec.lua: hung", 1, true), out)
    assert.truthy(out:find("no end after 10 s: hangs", 1, true), out)
    assert.truthy(out:find("sleep 1000", 1, true), out)
    if os.execute "command -v gdb >/dev/null" then assert.truthy(out:find("Thread 1 ", 1, true), out) end
  end)

  it("counts a file that ends before its specs do as failed", function()
    local out, passed = run 'it("leaves", function() os.exit(0, false) end)'
    assert.same({ false, "0 passed, 1 failed" }, { passed, last_line(out) })
  end)

  it("says what was skipped, and why", function()
    local out, passed = run 'it("waits", function() pending "the wheel is not installed" end)'
    assert.same({ true, "0 passed, 0 failed" }, { passed, last_line(out) })
    assert.truthy(out:find("1 the wheel is not installed\n", 1, true), out)
    assert.truthy(out:find("make extras", 1, true), out)
  end)
end)

describe("the files of specs", function()
  it("have marks that are known", function()
    local known = { threads = true, load = true, commands = true, records = true }
    local out = sources.findings({ "spec/" }, function(path, line)
      if path:find "_spec%.lua$" and not path:find "^spec/tidy/" then
        for mark in (line:match "^%-%- Marks:(.*)" or ""):gmatch "[^, ]+" do
          if not known[mark] then return mark end
        end
      end
    end)
    assert.same({}, out)
  end)

  it("are there when the list of the longest names them", function()
    for path in io.lines "spec/support/runner/longest.txt" do assert(io.open(path), path):close() end
  end)
end)
