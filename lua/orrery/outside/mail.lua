--- Mail as futures: who gets it, the headers as bytes, and the errors' types. orrery.mail and the mail task.
local core = require "orrery.core"
local errors = require "orrery.errors"
local net = require "orrery.outside.net"
local outside = require "orrery.outside"

local mail = {}

local function refuse(message, ...) error(net.failure("mail.request", message:format(...)), 0) end

-- Headers ---------------------------------------------------------------------------------------------

local LINE_MAX = 76 -- RFC 2047: an encoded word and its line
local WORD_BYTES = 42 -- bytes of text that an encoded word holds, so that base64 and the charset's name fit

local function check_line(name, value)
  if value:find "[\r\n%z]" then refuse("the header %s has a line's end in its value", name) end
  return value
end

--- Texts of at most so many bytes, cut between characters.
local function pieces(text, most)
  local out, from = {}, 1
  while from <= #text do
    local to = math.min(from + most - 1, #text)
    while to < #text and text:byte(to + 1) & 0xC0 == 0x80 do to = to - 1 end
    out[#out + 1] = text:sub(from, to)
    from = to + 1
  end
  return out
end

--- A header's text: as it stands in ASCII, else in encoded words (RFC 2047), folded.
local function encode_text(text, charset)
  if not text:find "[\128-\255]" and not text:find "=%?" then return text end
  local words = {}
  for i, piece in ipairs(pieces(text, WORD_BYTES // (charset:lower() == "utf-8" and 1 or 2))) do
    local bytes, problem = core.convert(piece, "UTF-8", charset)
    if not bytes then refuse("a header cannot be written in %s: %s", charset, problem) end
    words[i] = ("=?%s?B?%s?="):format(charset, core.base64_encode(bytes))
  end
  return table.concat(words, "\r\n ")
end

--- Long headers in ASCII are folded at blanks.
local function fold(line)
  if #line <= LINE_MAX or line:find "\r\n" then return line end
  local out, length = {}, 0
  for word in line:gmatch "%S+" do
    if length > 0 and length + 1 + #word > LINE_MAX then
      out[#out + 1] = "\r\n " .. word
      length = 1 + #word
    else
      out[#out + 1] = (length > 0 and " " or "") .. word
      length = length + 1 + #word
    end
  end
  return table.concat(out)
end

-- Addresses -------------------------------------------------------------------------------------------

--- A host's name as DNS has it.
local function ascii_name(field, name)
  if not name:find "[\128-\255]" then return name end
  local ascii, problem = core.net_ascii_name(name)
  return ascii or refuse("%s: \"%s\" cannot be the name of a host: %s", field, name, problem)
end

--- "a@b, Name <c@d>" or a list: each { address =, name = }. A comma inside quotes is part of a name.
local function addresses(field, value)
  local out = {}
  local function add(text)
    text = check_line(field, text):match "^%s*(.-)%s*$"
    if text == "" then return end
    local name, address = text:match "^(.-)%s*<%s*(.-)%s*>$"
    address = address or text
    local mailbox, host = address:match "^([^%s@<>,]+@)([^%s@<>,]+)$"
    if not host then refuse("%s: \"%s\" is no address", field, text) end
    address = mailbox .. ascii_name(field, host)
    name = name and name:match '^"(.*)"$' or name
    out[#out + 1] = { address = address, name = name ~= "" and name or nil }
  end
  if type(value) == "table" then
    for _, one in ipairs(value) do add(tostring(one)) end
  else
    local part, quoted = {}, false
    for c in tostring(value or ""):gmatch "." do
      if c == '"' then quoted = not quoted end
      if c == "," and not quoted then
        add(table.concat(part))
        part = {}
      else
        part[#part + 1] = c
      end
    end
    add(table.concat(part))
  end
  return out
end

local function address_text(list, charset)
  local out = {}
  for i, one in ipairs(list) do
    local name = one.name and encode_text(one.name, charset)
    if name and name == one.name and name:find "[^%w%s]" then name = '"' .. name:gsub('["\\]', "\\%0") .. '"' end
    out[i] = name and ("%s <%s>"):format(name, one.address) or one.address
  end
  return table.concat(out, ", ")
end

-- Messages --------------------------------------------------------------------------------------------

local DAYS = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" }
local MONTHS = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" }

local function date(seconds)
  local t = os.date("!*t", math.floor(seconds))
  return ("%s, %02d %s %d %02d:%02d:%02d +0000"):format(DAYS[t.wday], t.day, MONTHS[t.month], t.year, t.hour, t.min, t.sec)
end

local MESSAGE = { "to", "cc", "bcc", "from", "subject", "text", "html", "charset", "headers", "attachments", "message_id", "tenant" }

local function check_attachments(list)
  local out = {}
  for i, one in ipairs(list or {}) do
    if type(one) ~= "table" or type(one.data) ~= "string" then refuse("attachment %d has no data", i) end
    local name = check_line("attachment", tostring(one.name or one.cid or "attachment"))
    out[i] = { name = name, type = one.type and check_line("attachment", one.type), data = one.data,
      cid = one.cid and check_line("attachment", one.cid) }
  end
  return out
end

--- In the charset of the message.
local function converted(text, charset)
  if text == nil or core.is_secret(text) or charset:lower() == "utf-8" then return text end
  local bytes, problem = core.convert(text, "UTF-8", charset)
  return bytes or refuse("the text cannot be written in %s: %s", charset, problem)
end

local function own_headers(given, add)
  if given == nil then return end
  if type(given) == "string" then
    for line in given:gmatch "[^\r\n]+" do
      local name, value = line:match "^%s*([^:%s]+)%s*:%s*(.-)%s*$"
      if not name then refuse("a header is \"Name: value\", which \"%s\" is not", line:sub(1, 60)) end
      add(name, value)
    end
    return
  end
  local names = {}
  for name in pairs(given) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do add(name, tostring(given[name])) end
end

--- What the core sends: the envelope, headers and parts.
local function build(message, options, now)
  local charset = message.charset or options.charset
  local to, cc, bcc = addresses("to", message.to), addresses("cc", message.cc), addresses("bcc", message.bcc)
  if options.force_to then -- everybody who would get it is replaced
    local forced = addresses("force_to", options.force_to)
    if #to > 0 then to = forced end
    cc = #cc > 0 and #to == 0 and forced or {}
    bcc = #to == 0 and #cc == 0 and forced or {}
  end
  local from = addresses("from", message.from or options.from)[1] or refuse "there is no sender"
  local headers, recipients = {}, {}
  local function add(name, value)
    check_line(name, value)
    if not name:find "^[!-9;-~]+$" then refuse("\"%s\" is no name of a header", check_line("header", name)) end
    headers[#headers + 1] = fold(("%s: %s"):format(name, encode_text(value, charset)))
  end
  for _, list in ipairs { to, cc, bcc } do
    for _, one in ipairs(list) do recipients[#recipients + 1] = "<" .. one.address .. ">" end
  end
  if #recipients == 0 then refuse "there is no recipient" end
  headers[1] = "Date: " .. date(now)
  headers[2] = fold("From: " .. address_text({ from }, charset))
  if #to > 0 then headers[#headers + 1] = fold("To: " .. address_text(to, charset)) end
  if #cc > 0 then headers[#headers + 1] = fold("Cc: " .. address_text(cc, charset)) end
  if #to + #cc == 0 then headers[#headers + 1] = "To: undisclosed-recipients:;" end
  add("Subject", tostring(message.subject or ""))
  if message.message_id then add("Message-ID", "<" .. message.message_id .. ">") end
  own_headers(message.headers, add)
  if message.text == nil and message.html == nil then refuse "there is neither text nor html" end
  local port = options.port or ({ none = 25, starttls = 587, implicit = 465 })[options.tls]
  return { host = ascii_name("host", options.host), port = port, tls = options.tls, user = options.user,
    password = options.password, bearer = options.bearer, timeout = options.timeout, connect_timeout = options.connect_timeout,
    from = "<" .. from.address .. ">", recipients = recipients, headers = headers,
    charset = check_line("charset", charset), text = converted(message.text, charset), html = converted(message.html, charset),
    attachments = check_attachments(message.attachments) }
end

--- Sends for an engine (nil: with the default options). Resolves with true; rejects with mail.resolve, .connect, .tls, .timeout, .login,
--- .rejected (for good), .later (for now), .protocol, .limit or .request.
function mail.send_for(engine, message)
  message = errors.check_options("mail", 1, message, MESSAGE)
  local options = outside.mail_of(engine, message.tenant)
  local ok, request = pcall(build, message, options, engine and engine:now() or os.time())
  if not ok then return net.failed(request) end
  return net.start(core.net_mail, engine, request, "mail.", function() return true end)
end

function mail.send(message) return mail.send_for(core.running(), message) end

return mail
