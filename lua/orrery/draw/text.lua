--- Texts of a drawing: how wide they are, about, and where their lines break. An SVG wraps nothing by itself, and which font shows it is
--- the viewer's business; so widths are those of the wider ones among common sans serif fonts, by kinds of letters.
local text = {}

text.SIZE = 12      -- pixels, of a label
text.LINE = 14      -- from one line to the next
local LINES_MAX = 8 -- of one label; what is longer ends in dots

local widths = {} -- of a letter, in parts of the size
for letters, width in pairs { ["iIjl.,:;'|!"] = 0.3, ["frt()[]-/ \""] = 0.38, ["mMwW@%"] = 0.95, ["sczkxvyJ"] = 0.55 } do
  for letter in letters:gmatch "." do widths[letter] = width end
end

local function letter_width(letter)
  if widths[letter] then return widths[letter] end
  if #letter > 2 then return 1 end -- Asian letters are square; from here on a letter of UTF-8 takes three bytes
  return letter:find "%u" and 0.72 or 0.6
end

--- In pixels.
function text.width(s)
  local width = 0
  for letter in s:gmatch(utf8.charpattern) do width = width + letter_width(letter) end
  return width * text.SIZE
end

--- The beginning of a word that fits, at least a letter, and the rest.
local function cut(word, most)
  local width, at = 0, 1
  for position, code in utf8.codes(word) do
    width = width + letter_width(utf8.char(code)) * text.SIZE
    if width > most and position > 1 then break end
    at = position + #utf8.char(code)
  end
  return word:sub(1, at - 1), word:sub(at)
end

local function add_word(lines, word, most)
  local last = lines[#lines]
  local joined = last and last .. " " .. word
  if joined and text.width(joined) <= most then
    lines[#lines] = joined
    return
  end
  while text.width(word) > most and #lines < LINES_MAX do
    local head, rest = cut(word, most)
    if rest == "" then break end
    lines[#lines + 1], word = head, rest
  end
  lines[#lines + 1] = word
end

--- The lines of a text that is at most so many pixels wide and lines long. A line feed breaks a line, too.
function text.wrap(s, most, lines_max)
  local lines = {}
  if not utf8.len(s) then s = s:gsub("[\128-\255]", "?") end
  for paragraph in (s .. "\n"):gmatch "(.-)\r?\n" do
    local own = {}
    for word in paragraph:gmatch "%S+" do add_word(own, word, most) end
    table.move(own, 1, #own, #lines + 1, lines)
  end
  local limit = math.min(lines_max or LINES_MAX, LINES_MAX)
  if #lines > limit then
    lines[limit] = lines[limit] .. "…"
    for i = #lines, limit + 1, -1 do lines[i] = nil end
  end
  return lines
end

return text
