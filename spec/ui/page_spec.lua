-- The operator's page in a real browser: ui/test, where Node.js, Chromium and the built page are there.
-- Marks: load
local function there(command) return os.execute(command .. " >/dev/null 2>&1") == true end

local missing = not there "command -v node" and "Node.js" or not there "test -x ${ORRERY_CHROMIUM:-/usr/bin/chromium}" and "Chromium"
  or not there "test -d ui/node_modules/playwright-core" and "the packages of ui/ (make ui)"
  or not there "test -f ui/dist/index.html" and "the built page (make ui)"

describe("the operator's page", function()
  if missing then
    pending("in a real browser: " .. missing .. " is not here")
    return
  end

  it("does in a real browser what an operator does daily", function()
    local pipe = assert(io.popen("node --test --test-concurrency=1 --test-reporter=spec ui/test/*.test.mjs 2>&1"))
    local out = pipe:read "a"
    local said = { out:match "✖ failing tests:.*" or out }
    for shown in out:gmatch "\n *(a page was left at [^\n]*)" do said[#said + 1] = shown end
    assert.is_true(pipe:close() or false, table.concat(said, "\n"))
    print(out:match "ℹ tests[^\n]*" or "")
  end)
end)
