--- orrery serve: engines over HTTP. Lua opens them and registers delegates; the server itself is C (server/).
local args = require "orrery.cli.args"
local core = require "orrery.core"
local orrery = require "orrery"
local scenario = require "orrery.cli.scenario"
local stacks = require "orrery.cli.stacks"
local store = require "orrery.cli.store"
local traces = require "orrery.cli.traces"

-- What a file of settings may say, beside the options of the command line. docs/server.md describes them.
local settings = { address = "string", port = "number", socket = "string", no_port = "boolean", auth_file = "string",
  insecure = "boolean", hosts = "table", origins = "table", certificate = "string", key = "string", access_log = "string",
  ui = "string", loops = "number", threads = "number", connections_max = "number", connections_per_address = "number",
  json_max = "number", multipart_max = "number", unread_max = "number",
  head_seconds = "number", idle_seconds = "number", drain_seconds = "number",
  traces = "table", engines = "table", executor = "table", options = "table", lua = "string",
    deploy = "table", ready_file = "string",
  log = "string" }

-- The least and the most of whole numbers; 0 loops, threads and connections of one address: as many as there are by default, or as come.
local whole = { port = { 0, 65535 }, loops = { 0, 16 }, threads = { 0, 10000 }, connections_max = { 1, 1000000 },
  connections_per_address = { 0, 1000000 }, json_max = { 1, 1 << 32 },
  multipart_max = { 1, 1 << 32 }, unread_max = { 1, 1 << 40 } }
local DRAIN_LOOK <const> = 0.01 -- seconds between looks at what still runs, at the end
local SECONDS_MAX <const> = 86400 -- of head_seconds, idle_seconds, drain_seconds
local lists = { hosts = true, origins = true, deploy = true } -- of texts

local function check_number(path, key, value)
  local range = whole[key]
  local least, most = range and range[1] or 0, range and range[2] or SECONDS_MAX
  if value >= least and value <= most and (not range or math.tointeger(value)) then return end
  args.usage("%s: %s must be %s, got %s", path, key, range and ("a whole number from %d to %d"):format(range[1], range[2])
    or ("a number of seconds from 0 to %d"):format(SECONDS_MAX), tostring(value))
end

local function check_level(path, value)
  for _, level in ipairs(args.levels) do
    if level == value then return end
  end
  args.usage("%s: log must be one of %s, got %q", path, table.concat(args.levels, ", "), value)
end

local function check_texts(path, key, list)
  for i, text in ipairs(list) do
    if type(text) ~= "string" then args.usage("%s: %s[%d] must be a string", path, key, i) end
  end
end

local function check(path, config)
  if type(config) ~= "table" then args.usage("%s must return a table", path) end
  for key, value in pairs(config) do
    if not settings[key] then args.usage('%s: there is no setting "%s"', path, tostring(key)) end
    local off = (key == "executor" or key == "traces") and value == false
    if type(value) ~= settings[key] and not off then args.usage("%s: %s must be a %s", path, key, settings[key]) end
    if settings[key] == "number" then check_number(path, key, value) end
    if lists[key] then check_texts(path, key, value) end
    if key == "log" then check_level(path, value) end
  end
  return config
end

--- The file is Lua that sees nothing: data, with comments.
local function read(path)
  if not path then return {} end
  local chunk, problem = loadfile(path, "t", {})
  if not chunk then args.usage("%s", problem) end
  local ok, config = pcall(chunk)
  if not ok then args.usage("%s", tostring(config)) end
  return check(path, config)
end

--- HOST:PORT, :PORT, PORT or HOST.
local function listen(config, text)
  if not text then return end
  local host, port = text:match "^%[(.-)%]:(%d+)$"
  if not host then host, port = text:match "^([^:]*):?(%d*)$" end
  if host and not port:find "%d" and host:find "^%d+$" then host, port = "", host end
  if not host or (port ~= "" and tonumber(port) > 65535) then args.usage('--listen needs HOST:PORT, got "%s"', text) end
  if host ~= "" then config.address = host end
  if port ~= "" then config.port = math.tointeger(tonumber(port)) end
end

local function merge(config, options)
  listen(config, options.listen)
  for option, key in pairs { socket = "socket", auth = "auth_file", tls_cert = "certificate", tls_key = "key", ui = "ui",
    access_log = "access_log", log = "log", lua = "lua", ready_file = "ready_file",
      threads = "threads" } do
    if options[option] ~= nil then config[key] = options[option] end
  end
  if options.insecure then config.insecure = true end
  if options.traces then
    config.traces = config.traces or {}
    config.traces.endpoint = options.traces
  end
  if options.no_port then config.no_port = true end
  if options.no_executor then config.executor = false end
  config.hosts = options.host or config.hosts
  config.origins = options.cors or config.origins
  if (config.certificate == nil) ~= (config.key == nil) then args.usage "TLS needs both --tls-cert and --tls-key" end
  if config.no_port and not config.socket then args.usage "--no-port needs --socket" end
  return config
end

--- The engines by name: those of the file of settings, and STORE under the name "default", which comes first.
local function stores(config, options)
  local out = {}
  if options[1] then out[1] = { name = "default", store = options[1] } end
  for _, text in ipairs(options.engine or {}) do
    local name, path = text:match "^([%w_-]+)=(.+)$"
    if not name then args.usage('--engine needs NAME=STORE, got "%s"', text) end
    out[#out + 1] = { name = name, store = path }
  end
  for _, e in ipairs(config.engines or {}) do
    if type(e) ~= "table" or type(e.name) ~= "string" or type(e.store) ~= "string" then
      args.usage "engines: { { name = \"…\", store = \"folder\" }, … } expected"
    end
    if not e.name:find "^[%w_-]+$" then args.usage('engines: a name is of letters, digits, "_" and "-", got "%s"', e.name) end
    out[#out + 1] = e
  end
  local known = {}
  for _, e in ipairs(out) do
    if known[e.name] then args.usage('two engines are called "%s"', e.name) end
    known[e.name] = true
  end
  if #out == 0 then args.usage "which store? STORE, --engine NAME=STORE, or engines in the file of settings" end
  return out
end

local function open(e, config, exporter)
  local s = scenario.load(e.lua or config.lua)
  local options = { name = e.name, log = "warning", package_path = scenario.module_path(scenario.folder(e.lua or config.lua) or ".") }
  for _, more in ipairs { s.options or {}, config.options or {}, e.options or {},
    { log = config.log } } do
    for key, value in pairs(more) do options[key] = value end
  end
  local made = store.made(e.store)
  local engine = orrery.open(e.store, options)
  if made then io.stderr:write(core.shown("orrery serve: " .. made), "\n") end
  if exporter then exporter:attach(engine.core) end
  if s.setup then s.setup(engine) end
  return engine
end

local function deploy(engine, paths)
  for _, path in ipairs(paths or {}) do engine:deploy(path, { name = path:match "[^/]+$", filter_duplicates = true }) end
end

local function close_all(engines)
  for _, e in ipairs(engines) do e.object:close() end
end

--- After a SIGQUIT: what the threads of each engine's executor are at.
local function attend(engines)
  if not core.signals_asked() then return end
  for _, e in ipairs(engines) do
    local nodes = e.object:threads(0)
    io.stderr:write(core.shown(("%s orrery serve: what the threads of %s are at:\n%s"):format(orrery.format_time(os.time()), e.name,
      stacks.text(nodes) or "it has none"), true), "\n")
  end
end

--- Waits until running jobs have ended; at SIGQUIT it prints meanwhile which these are. Without a descriptor
--- for a timer it cannot: then the engines wait when they close.
local function drain(engines)
  for _, e in ipairs(engines) do e.engine:drain_executor() end
  for _, e in ipairs(engines) do
    while e.engine:executor_draining() do
      attend(engines)
      if not pcall(orrery.sleep, DRAIN_LOOK) then return end
    end
  end
end

local function fail(problem) error(setmetatable({ message = problem }, { __name = "orrery.Error" }), 0) end

local function serve(config, options)
  local members, server, engines = stores(config, options), require "orrery.server", {}
  local free, taken = server.check_places(config)
  if not free then fail(taken) end -- before anything is made, deployed or run
  local exporter <close> = traces.open(config.traces)
  local guard <close> = setmetatable({}, { __close = function() close_all(engines) end })
  for _, e in ipairs(members) do
    local object = open(e, config, exporter)
    engines[#engines + 1] = { name = e.name, object = object, engine = object.core }
  end
  deploy(engines[1].object, options.deploy or config.deploy)
  for _, e in ipairs(engines) do
    if config.executor ~= false then e.object:start_executor(config.executor) end
  end
  config.tracer = exporter
  config.attend = function() attend(engines) end
  core.signals_listen()
  local ok, problem = server.run(config, engines)
  drain(engines)
  if not ok then fail(problem) end
  return 0
end

--- The page that was built beside the source, or installed; none: the server says how to get it.
local function find_page()
  for folder in package.path:gmatch "([^;]+)/%?%.lua" do
    for _, place in ipairs { "/../ui/dist", "/../../orrery/ui" } do
      if core.file_type(folder .. place .. "/index.html") then return folder .. place end
    end
  end
end

--- A line for the file of users, of the secret on the standard input.
local function hash(options, out)
  local secret = io.read "l"
  if not secret or secret == "" then args.usage "--hash reads the password, or with --token the token, from the standard input" end
  out:line("%s", require "orrery.server".hash(secret, options.token or false))
  return 0
end

local function run(options, out)
  if options.hash then return hash(options, out) end
  core.signals_forget()
  local config = merge(read(options.config), options)
  config.ui = config.ui or find_page()
  return serve(config, options)
end

return {
  spec = {
    name = "serve", summary = "Serves engines over HTTP: Camunda 7's REST interface below /engine-rest, /metrics, /health/ready.",
    arguments = { { "STORE", "the store's folder, made if absent", optional = true } },
    options = {
      { "--listen", "where, default 127.0.0.1:8080; other than loopback needs --auth or --insecure", value = "HOST:PORT",
        words = { "--port", "--bind", "--address", "--http" } },
      { "--socket", "a Unix socket, too", value = "PATH" }, { "--no-port", "the Unix socket alone" },
      { "--config", "a file of settings (docs/server.md)", value = "FILE" },
      { "--auth", "the file of users and tokens", value = "FILE" },
      { "--insecure", "no authentication, also beyond loopback" },
      { "--host", "another name that requests may be sent to", value = "NAME", many = true },
      { "--cors", "a page's origin that may ask", value = "ORIGIN", many = true },
      { "--tls-cert", "the certificate, PEM", value = "FILE" }, { "--tls-key", "its key, PEM", value = "FILE" },
      { "--access-log", "a line of JSON for each request; - is the standard output", value = "FILE" },
      { "--log", "what the engines tell on the standard error: none, error, warning (the default), "
        .. "info, debug", value = "LEVEL", choices = args.levels },
      { "--traces", "send traces to this collector (docs/server.md)", value = "URL" },
      { "--engine", "another store, below /engine-rest/engine/NAME", value = "NAME=STORE", many = true },
      { "--lua", "a Lua file that registers delegates", value = "FILE" },
      { "--deploy", "deploy a file or folder first, if it has changed", value = "PATH", many = true },
      { "--no-executor", "run no jobs here" }, { "--threads", "threads for commands", value = "N", as = "count" },
      { "--ui", "the folder of the operator's page", value = "DIR" },
      { "--ready-file", "written with the port once it listens", value = "FILE" },
      { "--hash", "hash a secret from the standard input for the file of users" },
      { "--token", "with --hash: of a token", with = { "--hash" } },
    },
  },
  run = run,
}
