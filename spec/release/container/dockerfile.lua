--- Reads a Dockerfile: its instructions in order, { word, text, words, options, line }. `words` are
--- those of a JSON array where the instruction has one, else what spaces separate; `options` are
--- the --name=value in front.
local json = require "dkjson"

local WORDS = { FROM = 1, RUN = 1, COPY = 1, ADD = 1, ARG = 1, ENV = 1, USER = 1, WORKDIR = 1,
  VOLUME = 1, EXPOSE = 1, HEALTHCHECK = 1,
  STOPSIGNAL = 1, ENTRYPOINT = 1, CMD = 1 }

local function split(text)
  local words = {}
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  return words
end

local function instruction(text, line)
  local word, rest = text:match "^(%u+)%s+(.*)$"
  if not WORDS[word] then error(("line %d: no instruction that is played here: %s"):format(line,
    text), 0) end
  local options = {}
  while rest:find "^%-%-" do
    local name, value, after = rest:match "^%-%-([%w-]+)=(%S+)%s+(.*)$"
    options[name], rest = value, after
  end
  local array = rest:match "%[.*%]$"
  return { word = word, text = rest, options = options, line = line, words = array
    and assert(json.decode(array)) or split(rest) }
end

return function(path)
  local out, open, number, first = {}, nil, 0, nil
  for line in io.lines(path) do
    number = number + 1
    if not line:find "^%s*#" and line:find "%S" then
      first = open and first or number
      local part, goes_on = line:gsub("\\$", "")
      open = (open and open .. " " or "") .. part:match "^%s*(.-)%s*$"
      if goes_on == 0 then out[#out + 1], open = instruction(open, first), nil end
    end
  end
  return out
end
