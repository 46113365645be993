-- A server in a process of its own, and a client that asks it with curl.
local folder = require "spec.support.folder"
local orrery = require "orrery"
local json = orrery.json

local support = {}

local ANSWER_MAX <const> = 1 << 26 -- bytes

local build = assert(os.getenv "ORRERY_BUILD", "run the specs with spec/run")

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function write(path, text)
  local f = assert(io.open(path, "w"))
  f:write(text)
  f:close()
end

--- What a file holds; nil: it is not there.
function support.read(path)
  local f = io.open(path)
  local text = f and f:read "a"
  if f then f:close() end
  return text
end

-- Waits until `ask` gives something, up to a minute: sanitizers are slow.
function support.wait(ask, what)
  local begun = os.time()
  repeat
    local answer = ask()
    if answer then return answer end
    os.execute "sleep 0.01"
  until os.time() - begun > 60
  error("waited in vain for " .. what)
end

local Server = {}
Server.__index = Server

function Server:alive() return os.execute("kill -0 " .. self.pid .. " 2>/dev/null") == true end

function Server:signal(name) os.execute(("kill -%s %s 2>/dev/null"):format(name, self.pid)) end

--- Waits for its end; returns its exit code.
function Server:ended()
  support.wait(function() return support.read(self.folder .. "/exit") end, "the server's end")
  return tonumber(support.read(self.folder .. "/exit"))
end

--- Ends it by a signal (TERM) and waits; returns its exit code.
function Server:stop(name)
  self:signal(name or "TERM")
  return self:ended()
end

function Server:log() return support.read(self.folder .. "/err") end

function Server:close()
  if not support.read(self.folder .. "/exit") then self:stop "KILL" end
  folder.remove(self.folder)
end
Server.__close = Server.close

function Server:file(name, text)
  local path = self.folder .. "/" .. name
  if text then write(path, text) end
  return path
end

--- What a file of its folder says; nil: it is not there (yet).
function Server:said(name) return support.read(self.folder .. "/" .. name) end

--- The same, once it is there.
function Server:await(name)
  return support.wait(function() return self:said(name) end, name)
end

--- Runs a script of bash beside it, in which PORT and FOLDER are the server's; NAME.over is there when
--- it has ended.
function Server:script(name, text)
  self:file(name, (text:gsub("PORT", math.tointeger(self.port)):gsub("FOLDER", self.folder)))
  assert(os.execute(("(bash %s/%s; touch %s/%s.over) >/dev/null 2>&1 &")
    :format(self.folder, name, self.folder, name)))
end

--- One of its own metrics, as a number.
function Server:metric(name)
  local _, text = self:ask("GET", "/metrics")
  return tonumber(text:match("\norrery_http_" .. name .. " (%-?%d+)"))
end

--- curl with these arguments; the status, the body and the headers as they came.
function Server:curl(arguments)
  local body = self.folder .. "/body"
  os.remove(body)
  local command = ("curl -s -m 60 -o %s -D %s/head -w '%%{http_code}' %s"):format(body, self.folder, arguments)
  local pipe = assert(io.popen(command))
  local status = tonumber(pipe:read "a")
  pipe:close()
  return status, support.read(body) or "", support.read(self.folder .. "/head") or ""
end

-- The same by the engine's own client, which is libcurl as well: a process for each request would take longer than the server.
local function request(url, method, body)
  local headers = { "Connection: close", body and "Content-Type: application/json" }
  local ok, answer = pcall(orrery.await, orrery.http { url = url, method = method, headers = headers, body = body, timeout = 60,
    redirects = 0, retries = 0, body_max = ANSWER_MAX })
  if not ok then return 0, "", "" end -- as curl says of an answer that did not come
  return answer.status, answer.body, answer.head
end

--- A request below /engine-rest: status, what the body says (decoded when it is JSON), headers. `body` is a table, or a text; `more`:
--- arguments for curl.
function Server:ask(method, path, body, more)
  more = more or self.arguments
  if body ~= nil and type(body) ~= "string" then body = json.encode(body) end
  local url = self.url .. ((path:find "^/health" or path == "/metrics") and "" or "/engine-rest") .. path
  local status, text, head
  if more then
    local sent = ""
    if body then sent = "-H 'Content-Type: application/json' --data-binary @" .. self:file("sent", body) end
    status, text, head = self:curl(table.concat({ "-X", method, more, sent, quoted(url) }, " "))
  else
    status, text, head = request(url, method, body)
  end
  local is_json = head:lower():find "content%-type: application/json"
  return status, is_json and json.decode(text) or text, head
end

local counter = 0

--- Starts `orrery serve` on a new store (or options.store) with these arguments, and variables of the environment before it;
--- `local server <close>` ends it.
-- options.files: texts by name, or functions of the folder that give one.
function support.serve(options)
  options = options or {}
  counter = counter + 1
  local self = setmetatable({ folder = folder.make() }, Server)
  for name, text in pairs(options.files or {}) do
    self:file(name, type(text) == "function" and text(self.folder) or text)
  end
  self.store = options.store or self.folder .. "/store"
  local arguments = (options.arguments or ""):gsub("%%f", self.folder)
  local command = ("(%s %s/orrery serve %s --listen 127.0.0.1:%d --ready-file %s/port %s \z
    >%s/out 2>%s/err & echo $! >%s/pid; wait $!; \z
    echo $? >%s/exit.new; mv %s/exit.new %s/exit) >/dev/null 2>&1 &"):format(options.environment or "", build, quoted(self.store),
    options.port or 0, self.folder, arguments, self.folder, self.folder, self.folder, self.folder, self.folder, self.folder)
  assert(os.execute(command))
  self.pid = support.wait(function() return (support.read(self.folder .. "/pid") or ""):match "%d+" end, "the server's process")
  local port = support.wait(function()
    return (support.read(self.folder .. "/port") or ""):match "%d+\n" or support.read(self.folder .. "/exit") and "0"
  end, "the server")
  self.port = tonumber(port)
  if self.port == 0 then error("the server ended: " .. (self:log() or "")) end
  self.url = "http://127.0.0.1:" .. math.tointeger(self.port)
  return self
end

function support.model(body, key)
  return ([[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" targetNamespace="spec"><message id="m" name="paid"/><signal id="sig" name="all"/>
    <process id="%s" isExecutable="true" camunda:historyTimeToLive="P30D">%s</process></definitions>]]):format(key or "p", body)
end

-- What most specs run: an external task, a user task, a failing job, a message.
support.order = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="pay"/>
  <serviceTask id="pay" camunda:type="external" camunda:topic="pay"/><sequenceFlow id="f2" sourceRef="pay" targetRef="look"/>
  <userTask id="look" name="Look" camunda:assignee="ann" camunda:formKey="deployment:look.form"/>
  <sequenceFlow id="f3" sourceRef="look" targetRef="e"/><endEvent id="e"/>]], "order")
support.failing = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="work"/>
  <scriptTask id="work" scriptFormat="lua" camunda:asyncBefore="true"><script>error "broken"</script></scriptTask>]], "failing")
support.waiting = support.model([[<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="wait"/>
  <receiveTask id="wait" messageRef="m"/><sequenceFlow id="f2" sourceRef="wait" targetRef="e"/><endEvent id="e"/>]], "waiting")

return support
