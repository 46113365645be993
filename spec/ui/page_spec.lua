-- The operator's page in a real browser: ui/test, where Node.js, Chromium and the built page are
-- there. One file runs each time; the others take minutes of processor time and wait for `make full`
-- (ORRERY_FULL=1).
-- Marks: load
local progress = require "spec.support.progress"

local DAILY <const> = "ui/test/page.test.mjs"

local function there(command) return os.execute(command .. " >/dev/null 2>&1") == true end

local missing = not there "command -v node" and "Node.js" or not there "test -x ${ORRERY_CHROMIUM:-/usr/bin/chromium}" and "Chromium"
  or not there "test -d ui/node_modules/playwright-core" and "the packages of ui/ (make ui)"
  or not there "test -f ui/dist/index.html" and "the built page (make ui)"

describe("the operator's page", function()
  if missing then
    pending("in a real browser: " .. missing .. " is not here")
    return
  end

  --- What `node --test` prints of a file, part by part, and whether it passed.
  local function play(file)
    local command = "node --test --test-concurrency=1 --test-reporter=spec '%s' 2>&1"
    local pipe, out = assert(io.popen(command:format(file))), {}
    for line in pipe:lines() do
      out[#out + 1] = line
      progress(file .. ": " .. line)
    end
    return table.concat(out, "\n"), pipe:close() == true
  end

  local function tried(file)
    if os.getenv "ORRERY_FULL" or file == DAILY then return it end
    return function(name) pending(name .. ": skipped, it is for make full") end
  end

  for file in io.popen("ls ui/test/*.test.mjs"):lines() do
    tried(file)("does in a real browser what an operator does daily: " .. file, function()
      local out, passed = play(file)
      local said = { out:match "✖ failing tests:.*" or out }
      for shown in out:gmatch "\n *(a page was left at [^\n]*)" do said[#said + 1] = shown end
      assert.is_true(passed, table.concat(said, "\n"))
      assert.truthy(out:find "ℹ tests [1-9]", out)
    end)
  end
end)
