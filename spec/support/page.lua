-- Plays a page of the manual, so that what it shows is what happens: a block whose info string names a file (```lua hello.lua) is written
-- to it, a chapter's other Lua blocks run as one script, shell blocks run as they stand, and a block of text behind one is what it prints.
local command = require "spec.cli.command"

local page = {}

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

--- The fenced blocks of a page, in order: { language, file, text, chapter, line }.
function page.blocks(path)
  local blocks, block, chapter, number = {}, nil, "", 0
  for line in (read(path) .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    if block and line == "```" then
      block.text = table.concat(block.lines, "\n") .. "\n"
      blocks[#blocks + 1], block = block, nil
    elseif block then
      block.lines[#block.lines + 1] = line
    elseif line:find "^```" then
      local language, file = line:match "^```(%S*)%s*(%S*)$"
      block = { language = language, file = file ~= "" and file or nil, lines = {}, chapter = chapter, line = number }
    else
      chapter = line:match "^## (.+)$" or chapter
    end
  end
  assert(not block, path .. ": a block has no end")
  return blocks
end

--- `expression --> value` becomes a comparison: `--> error: text` says what it raises. Other lines stay, and keep their numbers.
local function with_checks(text)
  return (text:gsub("[^\n]+", function(line)
    local expression, value = line:match "^(.-)%s*%-%->%s*(.-)$"
    if not expression then return line end
    local raised = value:match "^error: (.+)$"
    if raised then return ("__raises(function() return %s end, %q)"):format(expression, raised) end
    return ("__same(%s, %s, %q)"):format(expression, value, expression)
  end))
end

local PRELUDE = [[
local inspect = require "orrery.inspect"
function __same(got, wanted, expression)
  got, wanted = inspect.value(got), inspect.value(wanted)
  if got ~= wanted then error(("%s gives %s, and the page says %s"):format(expression, got, wanted), 2) end
end
function __raises(f, wanted)
  local ok, problem = pcall(f)
  local text = ok and "nothing" or tostring(problem)
  if not text:find(wanted, 1, true) then error(("it raises %s, and the page says %s"):format(text, wanted), 2) end
end
local orrery = require "orrery"
]]

--- What a page prints may leave out what differs from run to run: "…" stands for anything within a line, a line of it for any lines.
local function matches(wanted, got)
  local pattern = wanted:gsub("%p", "%%%0"):gsub("…\n", "\0"):gsub("…", "[^\n]*"):gsub("\0", ".-")
  return got:find("^" .. pattern .. "$") ~= nil
end

local function write(dir, block)
  local folder = block.file:match "^(.*)/"
  if folder then assert(os.execute(("mkdir -p '%s/%s'"):format(dir.path, folder))) end
  dir.file(block.file, block.text)
end

--- Runs a command in the page's folder, with this build's command and module at hand; returns code and what it printed.
local function run(dir, words)
  local script = ('cd "$1" && shift && export PATH="%s:$PATH" && "$@" 2>&1'):format(command.build)
  local code, out = command.execute { "bash", "-c", script, "bash", dir.path, table.unpack(words) }
  return code, out
end

local function run_shell(dir, block, wanted, path)
  local code, out = run(dir, { "bash", "-e", "-c", block.text })
  assert(code == 0, ("%s:%d: exit code %d\n%s"):format(path, block.line, code, out))
  if wanted then
    assert(matches(wanted.text, out), ("%s:%d prints\n%s\nand the page says\n%s"):format(path, block.line, out, wanted.text))
  end
end

local function run_chapter(dir, blocks, path)
  local parts = { PRELUDE }
  for _, block in ipairs(blocks) do parts[#parts + 1] = with_checks(block.text) end
  dir.file("chapter.lua", table.concat(parts, "\n"))
  local code, out = run(dir, { "orrery", "lua", "chapter.lua" })
  assert(code == 0, ('%s, "%s": %s'):format(path, blocks[1].chapter, out))
end

--- Plays a chapter: files first as they come, then shell blocks and Lua in their order. Returns how many blocks ran.
function page.play(path, dir, blocks)
  local lua, ran = {}, 0
  for i, block in ipairs(blocks) do
    if block.file then write(dir, block)
    elseif block.language == "lua" then lua[#lua + 1] = block
    elseif block.language == "sh" then
      local after = blocks[i + 1]
      run_shell(dir, block, after and after.language == "text" and after or nil, path)
      ran = ran + 1
    end
  end
  if #lua > 0 then run_chapter(dir, lua, path) end
  return ran + #lua
end

--- The blocks by chapter, in order: { title, blocks }.
function page.chapters(path)
  local chapters, last = {}, nil
  for _, block in ipairs(page.blocks(path)) do
    if not last or last.title ~= block.chapter then
      last = { title = block.chapter, blocks = {} }
      chapters[#chapters + 1] = last
    end
    last.blocks[#last.blocks + 1] = block
  end
  return chapters
end

return page
