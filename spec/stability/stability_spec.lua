-- What is stable within 1.x (docs/stability.md) is as its lists have it: a line of a list that is
-- gone is a promise that
-- is not kept. What has come since stands in no list until spec/stability/freeze.lua writes them
-- before a release.
local command = require "spec.cli.command"
local surfaces = dofile "spec/stability/surfaces.lua"

local words = { c = "the C library", lua = "the Lua API", store = "the store's format",
  rest = "REST", command = "the command line" }

describe("within 1.x", function()
  for _, name in ipairs(surfaces.names) do
    it(("%s has everything that it had"):format(words[name]), function()
      local frozen = surfaces.frozen(name)
      assert.is_true(#frozen > 100, "its list is cut")
      assert.same({}, surfaces.broken(frozen, surfaces.today(name, command.path)))
    end)
  end

  it("a line that is gone or changed is found, and one that came is not", function()
    local frozen = { "f(a)", "g()" }
    assert.same({}, surfaces.broken(frozen, { "f(a)", "g()", "h()" }))
    assert.same({ "f(a)" }, surfaces.broken(frozen, { "f(a, b)", "g()" }))
  end)

  it("the lists have what a program would notice", function()
    local some = {
      c = { "void orr_engine_close(orr_engine *engine)", "error ORR_E_SCRIPT = -5",
        "typedef int64_t orr_time" },
      lua = { "orrery.Engine:start(key: string, options?: orrery.StartOptions) -> orrery.Instance" },
      store = { "record variable: tag V, key (scope id, name text)" },
      rest = { "query job, jobId: id", "JobDto.retries: int" },
      command = { "orrery serve --listen HOST:PORT", "orrery init, argument 1: NAME, optional" },
    }
    for name, lines in pairs(some) do assert.same({}, surfaces.broken(lines, surfaces.frozen(name)),
      name) end
  end)
end)
