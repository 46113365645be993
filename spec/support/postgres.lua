--- A private PostgreSQL server for specs: a temporary folder, a unix socket, gone with the process that asked for it. One server serves
--- all specs of a process, or of all processes where ORRERY_POSTGRES names its folder; each store is a schema of its own. Where `initdb`
--- is missing, specs are skipped by name.
local M = {}

local TICKS = 100 -- a second, of /proc

local function lines_of(command)
  local pipe <close> = assert(io.popen(command))
  local out = {}
  for line in pipe:lines() do out[#out + 1] = line end
  return out
end

local bin = lines_of("ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1")[1]

function M.is_installed() return bin ~= nil and os.execute(("test -x '%s/initdb'"):format(bin)) == true end

--- `with(name, f)` is `it(name, f)` where PostgreSQL is installed, and else says by name what is missing.
function M.with(it, pending)
  return function(name, f)
    if M.is_installed() then it(name, f) else pending(name .. ": skipped, postgresql is not installed") end
  end
end

local Server = {}
Server.__index = Server
Server.__close = function(server) server:stop() end

local function read_answer(server)
  local answers = server.folder .. "/answers"
  for _ = 1, 12000 do
    local file = io.open(answers)
    local lines = {}
    for line in file and file:lines() or function() end do lines[#lines + 1] = line end
    if file then file:close() end
    if lines[server.asked] then
      server.pid = lines[server.asked]:match "(%d*)$"
      return lines[server.asked]:match "^%a+"
    end
    os.execute "sleep 0.01"
  end
  error "the PostgreSQL server does not answer"
end

--- `durable`: what is committed is on the disk, for measuring.
function M.start(options)
  assert(M.is_installed(), "postgresql is not installed")
  local folder = lines_of("mktemp -d")[1]
  local process = lines_of("echo $PPID")[1]
  local self = setmetatable({ folder = folder, asked = 1, count = 0, made = 0, prefix = "s" }, Server)
  self.pipe = assert(io.popen(("exec spec/support/servers/postgres.sh '%s' %s %s"):format(folder, process,
    options and options.durable and "on" or "off"), "w"))
  self.pipe:setvbuf "no"
  local answer = read_answer(self)
  if answer ~= "ready" then
    self:stop()
    error "the PostgreSQL server did not start"
  end
  return self
end

--- One that runs already, and goes on.
local function running(folder)
  assert(M.is_installed(), "postgresql is not installed")
  return setmetatable({ folder = folder, count = 0, made = 0, prefix = ("s%s_"):format(lines_of("echo $PPID")[1]) }, Server)
end

local shared
--- The server of this process, started when it is first wanted, or that of all.
function M.shared()
  local folder = os.getenv "ORRERY_POSTGRES"
  shared = shared or folder and running(folder) or M.start()
  return shared
end

function Server:stop()
  if self.pipe then self.pipe:close() end
  self.pipe = nil
  if self == shared then shared = nil end
end

--- A standby that follows the server, with `folder`, `url` and `query` as a server has them; `promote` makes it the primary.
function Server:standby()
  local folder = lines_of("mktemp -d")[1]
  local process = lines_of("echo $PPID")[1]
  local standby = setmetatable({ folder = folder, asked = 1 }, Server)
  standby.pipe = assert(io.popen(("exec spec/support/servers/standby.sh '%s' '%s' %s"):format(folder, self.folder, process), "w"))
  standby.pipe:setvbuf "no"
  local answer = read_answer(standby)
  if answer ~= "ready" then
    standby:stop()
    error "the standby did not start"
  end
  function standby.promote() assert(standby:order "promote" == "promoted") end
  return standby
end

--- "restart" as after a crash, "stop" or "start".
function Server:order(what)
  self.asked = self.asked + 1
  self.pipe:write(what .. "\n") -- at once: the reader may give up between
  return read_answer(self)
end

--- Seconds of the processor that the server's processes have used, those of ended sessions included.
function Server:processor_seconds()
  local ticks = 0
  local stats = "for pid in %s $(pgrep -P %s); do echo $pid $(sed 's/.*) //' /proc/$pid/stat 2>/dev/null); done"
  for _, line in ipairs(lines_of(stats:format(self.pid, self.pid))) do
    local field = {}
    for word in line:gmatch "%S+" do field[#field + 1] = word end
    for i = 13, field[1] == self.pid and 16 or 14 do ticks = ticks + (field[i] or 0) end -- its own, and of those it has waited for
  end
  return ticks / TICKS
end

--- A URL of a database, a schema in it, a user.
function Server:url(schema, options)
  options = options or {}
  local url = ("postgresql://%s@/%s?host=%s"):format(options.user or "orrery", options.database or "postgres", options.host or self.folder)
  if schema then url = ("%s&options=-csearch_path%%3D%s"):format(url, schema) end
  return url
end

--- What psql prints of a query, without decoration; an error when it fails.
function Server:query(sql, options)
  options = options or {}
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(sql)
  file:close()
  local psql = "PGOPTIONS='-c client_min_messages=error' '%s/psql' -qAtX -v ON_ERROR_STOP=1 '%s' -f '%s' 2>&1"
  local pipe = assert(io.popen(psql:format(bin, self:url(options.schema, options), name)))
  local said = pipe:read "a"
  local ok = pipe:close()
  os.remove(name)
  if not ok then error(said, 2) end
  return (said:gsub("\n$", ""))
end

--- A query that may hang, with what hangs the server; given up after a second. True when it was answered.
function Server:try(sql)
  return os.execute(("timeout 1 '%s/psql' -qAtX '%s' -c '%s' >/dev/null 2>&1"):format(bin, self:url(), sql)) == true
end

--- A session of psql that stays open: `session:say(sql)` returns when it was answered.
function Server:session(schema)
  local answers = os.tmpname()
  local command = ("exec '%s/psql' -qAtX -v ON_ERROR_STOP=1 '%s' >'%s' 2>&1"):format(bin, self:url(schema), answers)
  local session, said = { pipe = assert(io.popen(command, "w")) }, 0
  function session:say(sql)
    said = said + 1
    self.pipe:write(sql, "\n\\echo said ", said, "\n")
    self.pipe:flush()
    repeat
      local file <close> = assert(io.open(answers))
    until file:read("a"):find(("said %d\n"):format(said), 1, true)
  end
  return setmetatable(session, { __close = function()
    session.pipe:close()
    os.remove(answers)
  end })
end

--- An empty schema, of this name or one of its own: its URL and name. Those without a wish are made many at once, since each call of psql
--- takes as long as what most specs do there.
function Server:schema(name)
  if name then
    self:query(("DROP SCHEMA IF EXISTS %s CASCADE; CREATE SCHEMA %s"):format(name, name))
    return self:url(name), name
  end
  if self.count == self.made then
    local statements = {}
    for i = 1, 50 do statements[i] = ("CREATE SCHEMA %s%d;"):format(self.prefix, self.made + i) end
    self:query(table.concat(statements))
    self.made = self.made + 50
  end
  self.count = self.count + 1
  name = self.prefix .. self.count
  return self:url(name), name
end

--- A proxy before the server: of every `every`-th commit (2) the answer is lost, of the one after it
--- the question, so with 2 none but the first is told. Its `url` leads to the schema; it ends when it
--- is closed.
function Server:losing_proxy(schema, every)
  local own = lines_of("mktemp -d")[1]
  local sockets = ("'%s/.s.PGSQL.5432' '%s/.s.PGSQL.5432'"):format(self.folder, own)
  local command = "echo $$; exec python3 spec/support/servers/pgproxy.py %s %d"
  local pipe = assert(io.popen(command:format(sockets, every or 2)))
  pipe:read "l"
  assert(pipe:read "l" == "ready", "the proxy did not start")
  return setmetatable({ url = self:url(schema, { host = own }) }, { __close = function()
    pipe:close()
    os.execute(("rm -rf '%s'"):format(own))
  end })
end

--- What became of a commit whose answer is lost cannot be learned from here on.
function Server:keep_generation(schema)
  self:query([[CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.generation <> OLD.generation THEN RETURN NULL; END IF; RETURN NEW; END $$;
    CREATE TRIGGER keep BEFORE UPDATE ON orrery_lane FOR EACH ROW EXECUTE FUNCTION keep();]],
    { schema = schema })
end

--- As `with`, of what needs the proxy.
function M.with_proxy(it, pending)
  if os.execute "command -v python3 >/dev/null 2>&1" then return M.with(it, pending) end
  return function(name) pending(name .. ": skipped, python3 is not installed") end
end

function M.has_pooler() return M.is_installed() and os.execute "PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null 2>&1" == true end

--- PgBouncer before the server, pooling "session"s or "transaction"s: `url(schema)` goes through it.
function Server:pooler(mode)
  local folder = ("%s/pool_%s"):format(self.folder, mode)
  local owner = lines_of(("stat -c %%U '%s/data'"):format(self.folder))[1]
  assert(os.execute(("mkdir -p '%s' && chown %s '%s'"):format(folder, owner, folder)))
  local file <close> = assert(io.open(folder .. "/pgbouncer.ini", "w"))
  file:write(("[databases]\n* = host=%s user=orrery\n[pgbouncer]\nunix_socket_dir = %s\nlisten_port = 5432\nauth_type = any\n"):format(
    self.folder, folder))
  file:write(("pool_mode = %s\nignore_startup_parameters = extra_float_digits,options\nlogfile = %s/log\n"):format(mode, folder))
  file:close()
  local as = lines_of("id -u")[1] == "0" and ("setpriv --reuid=%s --regid=$(id -g %s) --clear-groups "):format(owner, owner) or ""
  local command = "echo $$; exec %ssetpriv --pdeathsig KILL env PATH=$PATH:/usr/sbin pgbouncer -q '%s/pgbouncer.ini'"
  local pipe = assert(io.popen(command:format(as, folder)))
  local pid = pipe:read "l"
  for _ = 1, 12000 do
    if os.execute(("'%s/pg_isready' -q -h '%s'"):format(bin, folder)) then break end
    os.execute "sleep 0.01"
  end
  return setmetatable({ host = folder }, { __close = function()
    os.execute("kill -9 " .. pid .. " 2>/dev/null")
    pipe:close()
  end })
end

return M
