-- The manual for developers: each recipe lists the files that its example is in, and every file
-- that the page names is there.
-- Marks: load
local sources = require "spec.tidy.sources"

local PAGE = "docs/developing.md"
-- What a recipe's list is about. Manuals and specs are named below the lists.
local PRODUCT = "find base store runtime bindings server lua ui/src -type f"

-- The page's recipes: { title, words = the example's, files = { path = true } }.
local function recipes_of(text)
  local out = {}
  local chapter = text:match "\n## Recipes\n(.-)\n## " or ""
  for title, body in (chapter .. "\n### "):gmatch "### ([^\n]+)\n(.-)%f[\0#]%f[#]" do
    local recipe = { title = title, words = {}, files = {} }
    for word in (body:match "\nExample: ([^\n]+)" or ""):gmatch "`([^`]+)`" do
      recipe.words[#recipe.words + 1] = word
    end
    for path in body:gmatch "\n| `([^`]+)` |" do recipe.files[path] = true end
    out[#out + 1] = recipe
  end
  return out
end

local function has_any(text, words)
  for _, word in ipairs(words) do
    if text:find(word, 1, true) then return true end
  end
  return false
end

-- What is wrong with a recipe's list: `texts` are the product's files by path.
local function problems_of(recipe, texts)
  local out = {}
  local function add(format, ...) out[#out + 1] = ("%s: " .. format):format(recipe.title, ...) end
  local example = table.concat(recipe.words, " or ")
  if #recipe.words == 0 then add "it has no line \"Example: `WORD`\"" end
  for path, text in pairs(texts) do
    if has_any(text, recipe.words) and not recipe.files[path] then
      add("%s has %s, and is missing from the list", path, example)
    end
  end
  for path in pairs(recipe.files) do
    if not texts[path] then add("%s is in the list, and there is no such file", path)
    elseif not has_any(texts[path], recipe.words) then
      add("%s is in the list, and has no %s", path, example)
    end
  end
  table.sort(out)
  return out
end

-- The paths that a text names in backquotes, as a set: what has a slash and is a file or a folder.
local function paths_of(text)
  local out = {}
  for name in text:gsub("```.-```", ""):gmatch "`([%w_%.%-]+/[%w_%.%-/]*)`" do
    if name:find "%.%l+$" or name:find "/$" then out[name] = true end
  end
  return out
end

-- Those that are not there, with what has their name elsewhere.
local function missing_of(named, all)
  local out = {}
  for path in pairs(named) do
    local found, moved = path:find "^build/" ~= nil, {}
    for _, there in ipairs(all) do
      if there == path or there:sub(1, #path) == path and path:find "/$" then found = true end
      if there:match "[^/]+$" == path:match "[^/]+$" then moved[#moved + 1] = there end
    end
    local elsewhere = #moved > 0 and "; this is: " .. table.concat(moved, ", ") or ""
    if not found then out[#out + 1] = path .. " is named, and is not there" .. elsewhere end
  end
  table.sort(out)
  return out
end

describe("docs/developing.md", function()
  local page = sources.read(PAGE)

  it("lists in each recipe the files that its example is in, and no others", function()
    local texts, out = {}, {}
    for _, path in ipairs(sources.lines_of_command(PRODUCT)) do texts[path] = sources.read(path) end
    local recipes = recipes_of(page)
    for _, recipe in ipairs(recipes) do
      for _, problem in ipairs(problems_of(recipe, texts)) do out[#out + 1] = problem end
    end
    assert.equal(9, #recipes)
    assert.same({}, out)
  end)

  it("names no file that is not there", function()
    local tree = "find .ci base runtime store bindings server lua spec examples ui cmake docs -name node_modules -prune -o " ..
      "-type f -print; find . -maxdepth 1 -type f -printf '%P\\n'"
    assert.same({}, missing_of(paths_of(page), sources.lines_of_command(tree)))
  end)

  it("is found wrong where it is", function()
    local recipe = recipes_of("\n## Recipes\n\n### A thing\n\nExample: `THING`, `other thing`\n\n| file | what |\n|---|---|\n" ..
      "| `a.c` | x |\n| `b.c` | x |\n| `gone.c` | x |\n\n## Next\n")[1]
    assert.same({ "THING", "other thing" }, recipe.words)
    assert.same({
      "A thing: b.c is in the list, and has no THING or other thing",
      "A thing: c.c has THING or other thing, and is missing from the list",
      "A thing: gone.c is in the list, and there is no such file",
    }, problems_of(recipe, { ["a.c"] = "the other thing", ["b.c"] = "", ["c.c"] = "THING",
      ["d.c"] = "" }))
    assert.same({ "exec/a.c is named, and is not there; this is: state/a.c",
      "none/ is named, and is not there" },
      missing_of(paths_of "`exec/a.c`, `state/`, `none/`, `a/b`, `state/b.c`", { "state/a.c",
        "state/b.c" }))
  end)
end)
