-- Comments and manuals that send their reader to another file: it is there.
-- Marks: load
local sources = require "spec.tidy.sources"

-- By name, and by each way to write its path from a folder above: "lua/orrery/cli.lua", "orrery/cli.lua", "cli.lua".
local there = {}
local function add(path)
  while path do
    there[path] = true
    path = path:match "^[^/]+/(.*)$"
  end
end
local tree = "find .ci base runtime store bindings server lua spec examples ui cmake docs -name node_modules -prune -o -type f -print; ls"
for _, path in ipairs(sources.lines_of_command(tree)) do add(path) end
-- What the generators make is there in a build, what libraries bring in the system.
for _, made in ipairs { "build/gen/records.c", "build/gen/records.h", "build/gen/orrl_api.c", "build/gen/rest_table.c",
  "build/gen/rest_table.h", "lmdb.h", "lua.h" } do add(made) end

-- Names in examples: what readers call files of their own.
local examples = { ["charge.lua"] = true, ["com/shop/Charge.lua"] = true, ["x.lua"] = true, ["D.lua"] = true,
  ["assets/x.js"] = true, ["*.rules.lua"] = true, ["spec.lua"] = true,
  ["hello.lua"] = true, ["x.c"] = true, ["x.h"] = true, ["x_internal.h"] = true, ["a.b.c"] = true, ["Node.js"] = true }

local kinds = { c = true, h = true, lua = true, def = true, sh = true, js = true, jsx = true, md = true }

local function is_there(name)
  if not name:find("*", 1, true) then return there[name] end
  local pattern = "^" .. name:gsub("[%-%.]", "%%%0"):gsub("%*", "[^/]*") .. "$"
  for path in pairs(there) do
    if path:find(pattern) then return true end
  end
end

-- Calls found(name) for each file that a text names and that is not there.
local function missing(text, found)
  for name in text:gmatch "[%w_%*][%w_%.%-/%*]*%.%l+%f[^%w_]" do
    if kinds[name:match "%.(%l+)$"] and not examples[name] and not is_there(name) then found(name) end
  end
end

-- The comment in a line of C or JavaScript (nil: none), and whether it goes on in the next.
local function comment_of_c(line, within)
  local opens = line:find("/*", 1, true)
  local said = within and line or opens and line:sub(opens) or line:match "%f[/:]//.*"
  if opens then within = true end
  return said, within and not line:find("*/", 1, true)
end

-- The comment in a line of Lua: not what stands within quotes.
local function comment_of_lua(line)
  local code, said = line:match "^(.*)%s%-%-%s(.*)$"
  if code and select(2, code:gsub('["\']', "")) % 2 == 0 then return said end
  return line:match "^%s*%-%-[%s%-].*"
end

local function comments_of(path, lines)
  local out, within = {}, false
  for number, line in ipairs(lines) do
    if path:find "%.lua$" then out[number] = comment_of_lua(line)
    else out[number], within = comment_of_c(line, within) end
  end
  return out
end

local function lines_of(path)
  local out = {}
  for line in io.lines(path) do out[#out + 1] = line end
  return out
end

describe("a comment", function()
  it("sends its reader to files that are there", function()
    local out, all = {}, {}
    for _, source in ipairs(sources.all) do all[source.path] = source.lines end
    for _, path in ipairs(sources.lines_of_command "find ui/src -name '*.js*'") do all[path] = lines_of(path) end
    for path, lines in pairs(all) do
      for number, said in pairs(comments_of(path, lines)) do
        missing(said, function(name) out[#out + 1] = ("%s:%d: %s"):format(path, number, name) end)
      end
    end
    table.sort(out)
    assert.same({}, out)
  end)

  it("is seen with what it names", function()
    local out = {}
    for _, said in pairs(comments_of("x.c", { "int a; /* see gone.c and", " * base/env.h", " * exec/gone_*.h */", '  f("other.c");' })) do
      missing(said, function(name) out[#out + 1] = name end)
    end
    for _, said in pairs(comments_of("x.lua", { "--- cli/gone.lua, base/env.c", 'local a = "no.lua" -- runtime/gone.def' })) do
      missing(said, function(name) out[#out + 1] = name end)
    end
    table.sort(out)
    assert.same({ "cli/gone.lua", "exec/gone_*.h", "gone.c", "runtime/gone.def" }, out)
  end)
end)

describe("a manual", function()
  -- What a user's manual calls without a folder may be a file of the user's: of the project are C's, and those in its folders.
  local function of_project(path, name)
    if name == "stdio.h" then return false end -- C's, in the first program of api.md
    if path:find "architecture" or path:find "developing" or name:find "%.[ch]$" or name:find "%.def$" then return true end
    return there[name:match "^[^/]+" .. "/"]
  end

  it("sends its reader to files that are there", function()
    for _, room in ipairs(sources.lines_of_command "ls -d */") do there[room] = true end
    local out = {}
    for _, path in ipairs(sources.lines_of_command "ls README.md docs/*.md ui/README.md examples/*/README.md") do
      for number, line in ipairs(lines_of(path)) do
        missing(line, function(name)
          if of_project(path, name) then out[#out + 1] = ("%s:%d: %s"):format(path, number, name) end
        end)
      end
    end
    assert.same({}, out)
  end)
end)
