--- Servers for specs of the world outside: each on a free port of 127.0.0.1, started by a spec and gone with it. What is not installed is
--- skipped by name.
local servers = {}

local PYTHON = io.open "/usr/bin/python3" and "/usr/bin/python3" or "python3" -- Debian's, which sees Debian's modules

local function succeeds(command) return os.execute(command .. " >/dev/null 2>&1") == true end

local function python(module) return function() return succeeds(("%s -c 'import %s'"):format(PYTHON, module)) end end
local function program(name) return function() return succeeds("PATH=$PATH:/usr/sbin:/sbin command -v " .. name) end end

-- OpenSMTPD's control socket has one place on a machine: a second one cannot run.
local function lone_smtpd() return program "smtpd"() and not succeeds "pgrep -x smtpd" end

-- What each kind needs: how to see that it is there, and the Debian package that brings it.
local needs = {
  faults = { program "python3", "python3" }, nginx = { program "nginx", "nginx-light" }, tinyproxy = { program "tinyproxy", "tinyproxy" },
  httpbin = { python "httpbin", "python3-httpbin" }, mail = { python "aiosmtpd", "python3-aiosmtpd" },
  mta = { lone_smtpd, "opensmtpd, or one runs already," },
  soap = { python "spyne", "python3-spyne" }, zeep = { python "zeep", "python3-zeep" },
  certificates = { program "openssl", "openssl" }, collector = { program "python3", "python3" },
}

local found = {}

function servers.has(kind)
  if found[kind] == nil then found[kind] = needs[kind][1]() end
  return found[kind]
end

--- `with(kinds, name, f)` is `it(name, f)` where servers of these kinds are installed, and else says by name what is missing.
function servers.with(it, pending)
  return function(kinds, name, f)
    for kind in kinds:gmatch "%S+" do
      if not servers.has(kind) then
        pending(("%s: skipped, %s is not installed"):format(name, needs[kind][2]))
        return
      end
    end
    it(name, f)
  end
end

local Server = {}
Server.__index = Server
Server.__close = function(server) server:stop() end

function Server:stop()
  if self.pipe then self.pipe:close() end
  self.pipe = nil
end

function Server:url(path) return ("http://127.0.0.1:%d%s"):format(self.port, path or "") end

local function quoted(text) return "'" .. tostring(text):gsub("'", "'\\''") .. "'" end

--- Starts a server of a kind; `port` is its first, `ports` are all.
function servers.start(kind, ...)
  local command = "PATH=$PATH:/usr/sbin:/sbin exec " .. PYTHON .. " spec/support/servers/serve.py " .. kind
  for _, argument in ipairs { ... } do command = command .. " " .. quoted(argument) end
  local pipe = assert(io.popen(command, "r"))
  local line = pipe:read "l"
  local ports = {}
  for port in (line or ""):gmatch "%d+" do ports[#ports + 1] = math.tointeger(tonumber(port)) end
  if not line or not line:find "^ready" then
    pipe:close()
    error("the server '" .. kind .. "' did not start: " .. tostring(line))
  end
  return setmetatable({ pipe = pipe, port = ports[1], ports = ports }, Server)
end

--- A port where nothing listens.
function servers.closed_port()
  local server = servers.start "faults"
  server:stop()
  return server.port
end

--- A folder with a CA and what it signed: good.pem (for localhost and 127.0.0.1), expired.pem, wrong.pem (another name), client.pem; and
--- foreign.pem, whose CA nobody knows.
function servers.certificates(folder)
  assert(os.execute("sh spec/support/servers/certificates.sh " .. quoted(folder) .. " >/dev/null 2>&1"), "no certificates")
end

return servers
