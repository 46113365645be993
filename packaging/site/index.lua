-- What the site's search looks through: the sections of each page, as JavaScript on the standard output.
--   lua5.4 packaging/site/index.lua FOLDER
local folder = arg[1]

local entities = { lt = "<", gt = ">", amp = "&", quot = '"', ["#39"] = "'" }

local function plain(html)
  local text = html:gsub("<[^>]*>", " "):gsub("&(#?%w+);", entities):gsub("%s+", " ")
  return (text:gsub("^ ", ""):gsub(" $", ""))
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\<]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function add(page, id, title, html)
  print(("{page:%s,id:%s,title:%s,text:%s},"):format(quoted(page), quoted(id), quoted(plain(title)), quoted(plain(html))))
end

local function add_page(page)
  local file <close> = assert(io.open(folder .. "/" .. page))
  local main = file:read "a":match "<main>(.*)</main>"
  local at = 1
  while true do
    local first, last, id, title = main:find('<h[1-6][^>]- ?id="([^"]*)"[^>]*>(.-)</h[1-6]>', at)
    if not first then return end
    local stop = main:find("<h[1-6][ >]", last)
    add(page, id, title, main:sub(last + 1, (stop or 0) - 1))
    at = last + 1
  end
end

print "const entries = ["
local pages <close> = assert(io.popen(("cd '%s' && find . -name '*.html' | LC_ALL=C sort"):format(folder)))
for path in pages:lines() do add_page(path:sub(3)) end
print "];"
