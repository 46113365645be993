-- Follows every link of a site: lua5.4 spec/release/links.lua FOLDER
local folder = arg[1]

local function read(path)
  local file <close> = io.open(folder .. "/" .. path)
  return file and file:read "a"
end

local pages, ids = {}, {}
for path in io.popen(("cd '%s' && find . -name '*.html' | LC_ALL=C sort"):format(folder)):lines() do
  local page = path:sub(3)
  pages[#pages + 1], ids[page] = page, { [""] = true }
  for id in read(page):gmatch ' id="([^"]*)"' do ids[page][id] = true end
end

--- "docs/a.html" and "../b.html" -> "b.html"
local function joined(page, path)
  local parts = {}
  for part in ((page:match "^(.*/)" or "") .. path):gmatch "[^/]+" do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local broken, followed = {}, 0
for _, page in ipairs(pages) do
  for kind, target in read(page):gmatch '%f[%a](%a+)="([^"]*)"' do
    if (kind == "href" or kind == "src") and not target:find "^%a+:" then
      local path, id = target:match "^([^#]*)#?(.*)$"
      local there = path == "" and page or joined(page, path)
      followed = followed + 1
      local places = ids[there]
      if not (places and places[id] or not places and read(there)) then
        broken[#broken + 1] = ("%s: %s leads nowhere"):format(page, target)
      end
    end
  end
end

local entries = read "entries.js"
for _, page in ipairs(pages) do
  if not entries:find(('page:"%s"'):format(page), 1, true) then broken[#broken + 1] = page
    .. ": search does not have it" end
end
if #broken > 0 then error(table.concat(broken, "\n"), 0) end
assert(#pages > 30 and followed > 500, ("%d links of %d pages are few"):format(followed, #pages))
print(("ok: %d links of %d pages"):format(followed, #pages))
