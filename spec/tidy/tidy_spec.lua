-- The house rules that a machine can check: which room may include what, where the outside world comes in, and how long things get.
-- Paths are the project's; the specs run in its root.
-- Marks: load

local LINE_MAX, C_LINE_MAX, FUNCTION_MAX = 140, 128, 60
-- A spec is a list, as stubs are, which reads as well when it is long.
local FILE_MAX, LIST_MAX, FOLDER_MAX = 640, 800, 24
-- Files in a circle outside of the runtime; bindings/ has the largest.
local ELSEWHERE_MAX = 20

local calls = require "spec.tidy.calls"
local sources = require "spec.tidy.sources"
local lines_of_command, is_in, findings = sources.lines_of_command, sources.is_in, sources.findings

-- An include as the path of the project's file, as far as the text tells: "job/job.h" is runtime/job/job.h.
local function included(path, line)
  local name = line:match '^#include "([^"]+)"'
  if not name then return line:match "^#include (<[^>]+>)" end
  local folder = path:match "^(.*)/[^/]+$"
  for _, root in ipairs { folder .. "/", "", "runtime/" } do
    local file = io.open(root .. name)
    if file then
      file:close()
      return root .. name
    end
  end
  return "runtime/" .. name
end

-- What these rooms include of others, which are beginnings of paths.
local function includes(rooms, others)
  return findings(rooms, function(path, line)
    local target = included(path, line)
    if target and is_in(target, others) then return "includes " .. target end
  end)
end

local core = { "base/", "store/", "runtime/" }

describe("the rooms", function()
  it("know Lua in bindings and specs alone", function()
    assert.same({}, includes(core, { "<lua", "<lauxlib" }))
  end)

  it("know LMDB in its own file alone", function()
    local out = findings({ "base/", "store/", "runtime/", "bindings/", "lua/", "spec/inside/" }, function(path, line)
      if line:find "^#include <lmdb" and path ~= "store/lmdb/lmdb_internal.h" then return line end
    end)
    assert.same({}, out)
  end)

  it("know libpq in the rooms of PostgreSQL alone", function()
    local out = findings(nil, function(path, line)
      if line:find "^#include <libpq" and not path:find "^store/postgresql/" then return line end
    end)
    assert.same({}, out)
  end)

  it("know libcurl in net alone", function()
    local out = findings(nil, function(path, line)
      if line:find "^#include <curl" and not path:find "^runtime/net/" then return line end
    end)
    assert.same({}, out)
  end)

  it("know libmicrohttpd in the server alone, which knows the runtime by its header, its errors and its traces", function()
    local out = findings(nil, function(path, line)
      if line:find "^#include <microhttpd" and not path:find "^server/" then return line end
    end)
    assert.same({}, out)
    assert.same({}, findings({ "server/" }, function(path, line)
      local target = included(path, line)
      local own = target and is_in(target, { "server/", "<", "runtime/orrery.h", "runtime/rest_table.h", "base/base64.h", "base/error.h",
        "base/hash.h", "base/heap.h", "base/json.h", "base/json_text.h", "base/limits.h",
        "base/serving.h", "base/trace.h", "runtime/engine/trace.h" })
      if target and (not own or target:find "^<lua") then return "includes " .. target end
    end))
    assert.same({}, includes(core, { "server/" }))
  end)

  it("know the libraries of decimals and of patterns in a file each", function()
    local out = findings(nil, function(path, line)
      if line:find "^#include <bid_" and path ~= "runtime/decision/feel/decimal.c" then return line end
      if line:find "^#include <pcre2" and path ~= "runtime/decision/feel/regex.c" then return line end
    end)
    assert.same({}, out)
  end)

  it("reach the store through the unit of work", function()
    local out = findings({ "runtime/" }, function(path, line)
      if line:find '^#include "store/store%.h"' and not (path:find "^runtime/uow/" or path:find "^runtime/engine/") then return line end
    end)
    assert.same({}, out)
  end)

  -- Every room may include itself, the ground, and what stands here: so there can be no circle that
  -- this table does not show. One is
  -- shown: an engine's threads know the type of the context that runs on them. engine/open.c puts
  -- all rooms together.
  it("point one way", function()
    local ground = { "base/", "runtime/include/", "runtime/orrery.h", "runtime/records.h", "<" }
    local graph = { "runtime/time/", "runtime/model/" }
    local bytes = { "store/", "runtime/record/" }
    local owner = { "runtime/engine/" }
    local state = { "runtime/time/", "runtime/model/", "runtime/record/", "runtime/uow/",
      "runtime/state/" }
    local happens = { "runtime/job/", "runtime/exec/" }
    local allowed = {
      ["store/"] = {},
      ["base/"] = {},
      ["runtime/record/"] = { { "store/bytes.h" } },
      ["runtime/time/"] = {},
      ["runtime/net/"] = {},
      ["runtime/decision/feel/"] = {},
      ["runtime/decision/dmn/"] = { graph, { "runtime/decision/feel/" } },
      ["runtime/model/"] = { graph, { "runtime/decision/feel/" } },
      ["runtime/uow/"] = { bytes },
      ["runtime/engine/"] = { graph, bytes, { "runtime/uow/", "runtime/state/context.h" } },
      ["runtime/state/"] = { state, owner },
      ["runtime/job/"] = { state, owner },
      ["runtime/exec/"] = { state, owner, { "runtime/job/" } },
      ["runtime/executor/"] = { state, owner, happens },
      ["runtime/query/"] = { state, owner, { "runtime/job/" } },
      ["runtime/command/"] = { state, owner, happens, { "runtime/executor/", "runtime/query/",
        "runtime/decision/dmn/dmn.h",
        "runtime/decision/dmn/outline.h" } },
      ["store/postgresql/"] = { { "store/" } },
    }
    for room, others in pairs(allowed) do
      assert.same({}, findings({ room }, function(path, line)
        local target = included(path, line)
        if not target or path == "runtime/engine/open.c" or is_in(target, { room }) or is_in(target, ground) then return end
        for _, list in ipairs(others) do
          if is_in(target, list) then return end
        end
        return "includes " .. target
      end))
    end
  end)

  -- A call needs no include of the file that is called: a header of another room, or the public
  -- one, may declare the function.
  it("call nothing of the rooms above them", function()
    local above, out = { "runtime/exec/", "runtime/executor/", "runtime/query/",
      "runtime/command/" }, {}
    local barred = {
      ["runtime/engine/"] = { "runtime/state/", "runtime/job/", table.unpack(above) },
      ["runtime/state/"] = { "runtime/job/", table.unpack(above) },
      ["runtime/job/"] = above,
      ["runtime/exec/"] = { "runtime/executor/", "runtime/query/", "runtime/command/" },
      ["runtime/query/"] = { "runtime/exec/", "runtime/executor/", "runtime/command/" },
    }
    for path, called in pairs(calls.callees()) do
      for room, others in pairs(barred) do
        for other, name in pairs(called) do
          local wrong = is_in(path, { room }) and path ~= "runtime/engine/open.c" and is_in(other,
            others)
          if wrong then out[#out + 1] = ("%s calls %s of %s"):format(path, name, other) end
        end
      end
    end
    table.sort(out)
    assert.same({}, out)
  end)

  -- What the server is, its inside and its table, all of its rooms may include. A request's way through transport asks who it is of (auth),
  -- and whether it is for the page (operator); nothing else there knows what is asked for.
  it("of the server point one way", function()
    local ground = { "server/server.h", "server/server_internal.h", "server/table.h", "base/", "runtime/", "<" }
    local below = { "server/transport/" }
    local allowed = {
      ["server/transport/"] = { { "server/auth/auth.h", "server/auth/people.h" } },
      ["server/auth/"] = { below },
      ["server/mapping/"] = { below, { "server/auth/people.h" } },
      ["server/operator/"] = { below, { "server/auth/", "server/mapping/" } },
      ["server/rest/"] = { below, { "server/auth/auth.h", "server/mapping/" } },
    }
    for room, others in pairs(allowed) do
      assert.same({}, findings({ room }, function(path, line)
        local target = included(path, line)
        if not target or is_in(target, { room }) or is_in(target, ground) then return end
        for _, list in ipairs(others) do
          if is_in(target, list) then return end
        end
        return "includes " .. target
      end))
    end
  end)

  -- host/ has scripts run and so knows what bounds them and what they call outside; script/ and net/ do not know each other, and only
  -- the command's program knows the server.
  it("of the bindings know no program, and the program of the server only how it is run", function()
    local program = { "bindings/program/" }
    for room, others in pairs {
      ["bindings/"] = { "server/transport/", "server/mapping/", "server/rest/", "server/operator/" },
      ["bindings/script/"] = { "bindings/net/" }, ["bindings/net/"] = { "bindings/script/" },
    } do
      assert.same({}, includes({ room }, others))
    end
    assert.same({}, findings({ "bindings/" }, function(path, line)
      local target = included(path, line)
      if target and not is_in(path, program) and is_in(target, { "bindings/program/", "server/" }) then return "includes " .. target end
    end))
  end)

  it("are those that architecture.md names", function()
    local plan, named, room = sources.read("docs/architecture.md"):match "## Rooms\n\n```\n(.-)```", {}, nil
    for line in plan:gmatch "[^\n]+" do
      local indent, name = line:match "^( *)([%w_]+)/"
      if indent == "" then room = name elseif indent == "  " then named[room .. "/" .. name] = true end
      if indent == "" then assert.is_truthy(os.execute(("test -d '%s'"):format(name)), name .. " is not there") end
    end
    local there = {}
    for _, path in ipairs(lines_of_command "ls -d runtime/*/ store/*/ bindings/*/ server/*/") do there[path:match "^(.*)/$"] = true end
    assert.same(there, named)
  end)

  -- x.h is the face of x.c, and x_internal.h the inside of its folder's files: so a header leads to its functions, and none can hide an
  -- arrow. The public header is the exception.
  local without_own_file = { "runtime/include/" }
  it("declare in x.h what x.c defines", function()
    local out = {}
    for _, d in ipairs(calls.declared) do
      local file = calls.defined[d.name]
      local folder, stem = d.path:match "^(.*)/([%w_]+)%.h$"
      local inside = stem:find "_internal$" and file and file.path:sub(1, #folder + 1) == folder .. "/"
      local own = not file or file.path == folder .. "/" .. stem .. ".c" or inside or is_in(d.path, without_own_file)
      if not own then out[#out + 1] = ("%s:%d: declares %s, which %s defines"):format(d.path, d.line, d.name, file.path) end
    end
    assert.same({}, out)
  end)

  -- Files of which each calls functions of each, by way of others or not: none of them can be read,
  -- or changed, alone. Those of the
  -- runtime stand here, each with the files that may lie in it, how many, and why it is one.
  -- Whoever cuts a file out lowers the number.
  it("hold in circles what they have a reason for", function()
    local known = {
      { 24, "operations plan one another: token, node, scope and back", "runtime/exec/" },
      { 15, "the tree, what hangs on it and its history count, look up and note each other",
        "runtime/state/" },
      { 20, "elements nest: what parses one parses those within", "runtime/model/parse/" },
      { 10, "a unit's records, lists, index rows and batch are one thing", "runtime/uow/" },
      { 8, "expressions nest", "runtime/decision/feel/" },
      { 7, "acquisition asks what holds it back, and is woken when that is over",
        "runtime/executor/" },
      { 6, "an executor and its workers stop each other", "runtime/executor/",
        "runtime/engine/open.c" },
      { 4, "a token is moved with what hangs on it, which may be tokens",
        "runtime/command/migration/" },
      { 3, "tables nest in expressions, and rules in tables", "runtime/decision/dmn/" },
      { 2, "a model may import models", "runtime/decision/dmn/dmn.c",
        "runtime/decision/dmn/read.c" },
      { 3, "filters on variables nest in filters", "runtime/query/" },
      { 2, "what suspends jobs suspends instances, and the reverse",
        "runtime/command/instance/suspend_commands.c",
        "runtime/command/job/job_changes.c" },
      { 2, "why a job waits is what its executors say", "runtime/command/job/" },
      { 2, "a task without a process ends as any task does", "runtime/exec/task/" },
      { 2, "a caller's run of jobs is begun by one, and ended by the other",
        "runtime/executor/caller_run.c",
        "runtime/executor/run_jobs.c" },
      { 2, "a name is free when nobody present has it", "runtime/executor/owner/" },
      { 2, "a time has a zone, and a zone's rules have times", "runtime/time/" },
    }
    local out = {}
    for _, circle in ipairs(calls.circles()) do
      local least = is_in(circle[1], { "runtime/" }) and 0 or ELSEWHERE_MAX
      for _, row in ipairs(known) do
        local fits = true
        for _, path in ipairs(circle) do fits = fits and is_in(path, { table.unpack(row, 3) }) end
        if fits then least = math.max(least, row[1]) end
      end
      if #circle > least then out[#out + 1] = #circle .. ": " .. table.concat(circle, " ") end
    end
    assert.same({}, out)
  end)

  -- A file of server/table/ says what there is, the file of its name in server/rest/ does it. The page's are in a room of their own;
  -- lists are all done alike.
  it("do an operation of the server in the file that has the name of its table", function()
    local home, out, file_of = {}, {}, {}
    findings({ "server/" }, function(path, line)
      local handler = path:find "%.c$" and line:match "^int rest_([%w_]+)%(request %*q%) {"
      if handler then home[handler] = path end
      if path:find "^server/table/" then file_of[path:match "([%w_]+)%.lua$"] = true end
    end)
    file_of.lines = nil
    for _, subject in ipairs(require "server.subjects") do
      local name = subject[1]
      local own = (name == "operator" or name == "session") and "server/operator/" or "server/rest/" .. name .. ".c"
      assert.is_true(file_of[name], name .. " has no file of operations")
      file_of[name] = nil
      for _, op in ipairs(require("server.table." .. name).operations) do
        local path = home[op[3]] or ("none, for " .. op[3])
        local general = path == "server/mapping/query.c" or op.unbuilt and path == "server/mapping/operation.c"
        if not general and path:sub(1, #own) ~= own then out[#out + 1] = ("%s %s is done in %s"):format(op[1], op[2], path) end
      end
    end
    assert.same({}, file_of)
    assert.same({}, out)
  end)

  it("never look into a delegate's language from below", function()
    assert.same({}, includes(core, { "bindings/" }))
  end)
end)

describe("the outside world", function()
  -- Clocks, randomness and memory come through env.h, so that specs and the simulation drive them.
  it("comes in through env.c alone", function()
    local calls = { "time", "clock", "gettimeofday", "clock_gettime", "localtime", "gmtime", "rand", "random", "srand", "getrandom",
      "getenv", "malloc", "calloc", "realloc", "usleep", "sleep" }
    local out = findings(core, function(path, line)
      if path == "base/env.c" or path:find "%.lua$" or line:find "^%s*[/*]" then return end
      for _, call in ipairs(calls) do
        if line:find("%f[%w_]" .. call .. "%(") and not line:find("[%.>]" .. call .. "%(") then return "calls " .. call end
      end
    end)
    assert.same({}, out)
  end)
end)

describe("one dialect of C", function()
  local rules = {
    { " [!=]= NULL", "compares with NULL: write p or !p" },
    { "%f[%w_]rc [!=]= 0%f[^%w]", "compares rc with 0: write rc or !rc" },
    { '^#include "%.%./', "includes by way of a folder above: name the file from the root" },
    { '"[^"]*%%0?%d*ll[dux]', "formats with ll: use PRId64, PRIu64 or PRIx64" },
    { "'%%[%.%*%d]*s'", 'quotes a name with \': write \\"%s\\"' },
  }
  local exempt = { -- what these lines say is somebody else's
    ["bindings/orrl.c"] = "snprintf(text, sizeof text", -- as Lua itself words it
    ["runtime/model/uel/lex.c"] = "expected instead of", -- tokens of code, not names
    ["runtime/record/record.c"] = "comma", -- keys as the store shows them
    ["runtime/executor/owner/reclaim.c"] = "o.machine", -- numbers of the system, which have no fixed width
  }

  it("is kept", function()
    local out = findings({ "base/", "store/", "runtime/", "bindings/", "server/", "spec/inside/", "spec/bench/" }, function(path, line)
      if not path:find "%.[ch]$" or line:find "^%s*[/*]" then return end
      for _, rule in ipairs(rules) do
        local told = exempt[path] or (path:find "^server/" and rule[1]:find "^'%%%%" and "'%s'") -- Camunda quotes so
        if line:find(rule[1]) and not (told and line:find(told, 1, true)) then return rule[2] end
      end
    end)
    assert.same({}, out)
  end)

  -- grep and every code browser lead to one place. A name that the preprocessor chooses between may stand twice in its file.
  it("gives each function a name of its own", function() assert.same({}, calls.twice) end)
end)

describe("the text", function()
  it("keeps its lines within the measure", function()
    local out = findings(nil, function(path, line)
      local length = utf8.len(line) or #line
      if length > (path:find "%.[ch]$" and C_LINE_MAX or LINE_MAX) then return length .. " characters" end
    end)
    assert.same({}, out)
  end)

  -- Tables cannot be wrapped; api.md is generated, performance.md are figures.
  it("keeps its manuals within it, too", function()
    local out = {}
    for _, path in ipairs(lines_of_command "ls README.md docs/*.md") do
      local number = 0
      for line in io.lines(path) do
        number = number + 1
        local wraps = not line:find "^|" and not path:find "api%.md$" and not path:find "performance%.md$"
        if wraps and (utf8.len(line) or #line) > LINE_MAX then out[#out + 1] = ("%s:%d: %d characters"):format(path, number, #line) end
      end
    end
    assert.same({}, out)
  end)

  it("keeps its files to one subject's length", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      local most = is_in(source.path, { "spec/", "lua/orrery/_meta/" }) and LIST_MAX or FILE_MAX
      if #source.lines > most then out[#out + 1] = ("%s: %d lines"):format(source.path, #source.lines) end
    end
    assert.same({}, out)
  end)

  -- Of C and of Lua each. Specs are found by their room, whatever their number.
  it("keeps its folders to what is read at a glance", function()
    local files, out = {}, {}
    for _, source in ipairs(sources.all) do
      local folder, language = source.path:match "^(.*)/[^/]+%.([%l]+)$"
      local kind = folder .. " " .. language
      if (language == "c" or language == "lua") and not source.path:find "^spec/.*%.lua$" then files[kind] = (files[kind] or 0) + 1 end
    end
    for kind, count in pairs(files) do
      if count > FOLDER_MAX then out[#out + 1] = ("%s: %d files"):format(kind, count) end
    end
    assert.same({}, out)
  end)

  -- A function of C begins at a line that stands at the margin and opens a brace, and ends at the brace at the margin.
  it("keeps its functions to a screen", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      if source.path:find "%.[ch]$" then
        local start
        for number, line in ipairs(source.lines) do
          if line:find "^[%a_].*%)[^;]*{$" then start = number end
          if line:find "^}" and start then
            if number - start + 1 > FUNCTION_MAX then
              out[#out + 1] = ("%s:%d: %d lines"):format(source.path, start, number - start + 1)
            end
            start = nil
          end
        end
      end
    end
    assert.same({}, out)
  end)

  it("says at the top of a file what it is for", function()
    local out = {}
    for _, source in ipairs(sources.all) do
      local first = source.lines[1] or ""
      if not source.path:find "^spec/.*%.lua$" and not (first:find "^/%*" or first:find "^%-%-") then out[#out + 1] = source.path end
    end
    assert.same({}, out)
  end)

  it("leaves nothing for later, and names no machine's folders", function()
    local words = { "TO" .. "DO", "FIX" .. "ME", "/ho" .. "me/", "/ro" .. "ot/", "/wo" .. "rk/" }
    local out = findings(nil, function(_, line)
      for _, word in ipairs(words) do
        if line:find(word, 1, true) then return word end
      end
    end)
    assert.same({}, out)
  end)

  it("has no blanks at the ends of lines, and no tabs", function()
    local out = findings(nil, function(_, line) if line:find "%s$" or line:find "\t" then return "blanks" end end)
    assert.same({}, out)
  end)
end)
