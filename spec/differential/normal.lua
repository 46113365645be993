-- The form in which a record tells a state: sorted words with commas between. What two engines may
-- say in different words is made the same here.
local normal = {}

function normal.words(text)
  local out = {}
  for word in (text .. ","):gmatch "([^,]*)," do out[#out + 1] = word end
  return out
end

function normal.join(words)
  table.sort(words)
  return table.concat(words, ",")
end

--- What `of` makes of each; nil leaves it out.
function normal.list(items, of)
  local out = {}
  for _, item in ipairs(items) do out[#out + 1] = of(item) end
  return normal.join(out)
end

local function each_word(text, of)
  return normal.list(normal.words(text), of)
end

local fields = {}

--- Each value once, and none that only counts.
function fields.hvar(text)
  local seen = {}
  return each_word(text, function(word)
    local counts = word:find "^loopCounter" or word:find "^nrOf"
    if seen[word] or counts then return nil end
    seen[word] = true
    return word
  end)
end

function fields.htask(text, record)
  local same = record.engine == "flowable" and "nil" or "completed"
  return each_word(text:gsub("Interrupting[^,]*executed%.", "deleted"), function(word)
    local key, how = word:match "^([^:]*):(.*)$"
    return key and how ~= "open" and how ~= same and key .. ":deleted" or word
  end)
end

function fields.hact(text, record)
  if record.engine == "flowable" then return nil end -- rows are marked as canceled by another rule
  return each_word(text, function(word) return word:match "^([ge]%d+)x$" or word end)
end

function fields.jobs(text, record)
  return record.engine == "flowable" and text:gsub("/([012])/%-?%d+", "/%1/-") or text
end

function fields.subs(text, record)
  if record.engine ~= "flowable" then return text end
  return each_word(text, function(word) return not word:find "^compensation/" and word or nil end)
end

function fields.ext(text, record, state)
  if record.engine ~= "flowable" then return text end
  text = text:gsub("/0!", "/0")
  return state.err ~= "" and text:gsub("/%d+", "") or text
end

function fields.active(text, record) return record.engine ~= "flowable" and text or nil end
fields.inc = fields.active

local KEPT <const> = { notask = true, nojob = true, noext = true }

--- Of a state what is compared with the record's.
function normal.state(state, record)
  local err = state.err
  if err and err ~= "" then
    local kept = record.kind == "wide" and KEPT[err] or err == "notask"
    state.err = kept and err or "E"
  end
  local out = {}
  for name, text in pairs(state) do
    local say = fields[name]
    local wide = record.kind == "wide" or name == "active" or name == "inc"
    local said = text
    if say and wide then said = say(text, record, state) end
    out[name] = said
  end
  return out
end

return normal
