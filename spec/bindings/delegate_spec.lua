-- Delegates in C that fail: whatever they return, the job fails with a text, is tried again, and
-- becomes an incident; and no value is stored that nothing could read.
local command = require "spec.cli.command"

--- Compiles a host and runs it: its exit code, what it printed, and what it complained of.
local function execute(name)
  local dir <close> = command.folder()
  local line = (". %s/env && cc -std=c11 -Wall -Wextra -Werror -o %s/host "
    .. "spec/bindings/%s.c $(pkg-config --cflags --libs orrery) && %s/host"):format(
    command.build, dir.path, name, dir.path)
  return command.execute { "bash", "-c", line }
end

local function run_host()
  local code, out, err = execute "delegate_host"
  local said = {}
  for name, rest in out:gmatch "([^\n\t]+)\t([^\n]*)" do said[name] = rest end
  return said, { code, out:match "([^\n]*)\n$", err }
end

describe("a delegate in C", function()
  -- a plain program cannot be linked with what has a sanitizer in it
  if not command.build:find "/release$" then return end
  local said, ending
  setup(function() said, ending = run_host() end)

  it("never keeps its engine from closing", function() assert.same({ 0, "end", "" }, ending) end)

  it("fails its job with the number that it returns, where that is no code", function()
    for _, number in ipairs { 1, 2, 12345, -99 } do
      assert.equal(("3\t1\tthe delegate returned %d, which is no code of Orrery's"):format(number),
        said["returns " .. number])
    end
    assert.equal("3\t1\ta delegate, listener or script raised an error", said["returns -5"])
  end)

  it("fails its job with its own words", function()
    for _, way in ipairs { "", ", with a number", ", returns a number" } do
      assert.equal("3\t1\tthe bank answers 503", said["says why" .. way])
    end
    assert.equal("1\t0\t", said["is done all the same"])
  end)

  it("sets no value of an unknown type", function()
    for _, way in ipairs { "", " locally", " until the end" } do
      assert.equal("3\t1\tthe value's type is 99, which is no orr_type",
        said["sets an unknown type" .. way])
    end
    assert.equal("3\t1\tthe value is damaged", said["sets an unknown declaration"])
    assert.equal("1\t0\t", said["sets 1"])
  end)

  it("reads the model's fields, and the job and the task that it is called for", function()
    local code, out, err = execute "field_host"
    assert.same({ 0, "" }, { code, err })
    local task, listener = out:match "([^\n]*)\n([^\n]*)\n$"
    assert.equal("at=t bank=north sum=500", task:match "^ ?(at=t bank=%S+ sum=%S+)")
    assert.matches('lost: .*there is no variable "missing";', task)
    assert.equal("none=(0) job_id=t task_id=(0)", task:match "none=.*")
    assert.equal(" at=u bank=south sum=(0) lost=(0) none=(0) job_id=t task_id=u", listener)
  end)
end)
