--- Where traces go: settings of `orrery serve` and `orrery work`, and OpenTelemetry's environment variables behind them.
local args = require "orrery.cli.args"
local orrery = require "orrery"

local traces = {}

local MS <const> = 1000

--- What may be set: a key of the table `traces` in a file of settings, its variable in the environment, and what is so otherwise.
--- docs/server.md has this table; spec/server/trace_spec.lua compares.
traces.settings = {
  { "endpoint", "string", { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT" }, nil,
    "the collector: `http://host:4318`, to which `/v1/traces` is added, or a whole address with a path. Without it there are no traces" },
  { "headers", "table", { "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS" }, nil,
    "sent with each batch: `{ [\"api-key\"] = \"…\" }`; in the environment `api-key=…,other=…`, values percent-encoded" },
  { "timeout", "number", { "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT" }, 10,
    "seconds that one batch may take (the variables: milliseconds)", MS },
  { "ca_file", "string", { "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE" }, nil,
    "a PEM file of those who may vouch for the collector" },
  { "client_cert", "string", { "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE" }, nil,
    "our own certificate, PEM" },
  { "client_key", "string", { "OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_KEY" }, nil, "and its key, PEM" },
  { "service_name", "string", { "OTEL_SERVICE_NAME" }, "orrery", "`service.name` of the resource" },
  { "resource", "table", { "OTEL_RESOURCE_ATTRIBUTES" }, nil, "other attributes of the resource; in the environment `key=value,…`" },
  { "sampler", "string", { "OTEL_TRACES_SAMPLER" }, "parentbased_always_on",
    "which traces are recorded: `always_on`, `always_off`, `traceidratio`, or each with `parentbased_` before it: as the caller decided" },
  { "ratio", "number", { "OTEL_TRACES_SAMPLER_ARG" }, 1, "the share of traces for `traceidratio`, 0 to 1" },
  { "delay", "number", { "OTEL_BSP_SCHEDULE_DELAY" }, 5, "seconds between two batches (the variable: milliseconds)", MS },
  { "give_up", "number", { "OTEL_BSP_EXPORT_TIMEOUT" }, 30,
    "seconds that a batch is tried again when the collector does not take it (the variable: milliseconds)", MS },
  { "queue", "number", { "OTEL_BSP_MAX_QUEUE_SIZE" }, 2048, "spans that wait at most; what ends beyond is lost, and counted" },
  { "batch", "number", { "OTEL_BSP_MAX_EXPORT_BATCH_SIZE" }, 512, "spans of one request at most" },
}

local samplers = { always_on = 1, always_off = 0, traceidratio = "ratio" }

local function percent_decoded(text) return (text:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)) end

--- `a=1,b=2`, as W3C's baggage writes it.
local function pairs_of(name, text)
  local out = {}
  for member in text:gmatch "[^,]+" do
    local key, value = member:match "^%s*([^=%s]+)%s*=%s*(.-)%s*$"
    if not key and member:find "%S" then args.usage('%s: "key=value,…" expected', name) end
    if key then out[percent_decoded(key)] = percent_decoded(value) end
  end
  return out
end

--- The value of a variable of the environment as the setting has it; empty counts as not set, as OpenTelemetry says.
local function from_environment(setting)
  for i, name in ipairs(setting[3]) do
    local text = os.getenv(name)
    if text and text:find "%S" then
      text = text:match "^%s*(.-)%s*$"
      if setting[2] == "table" then return pairs_of(name, text), i end
      if setting[2] == "string" then return text, i end
      local number = tonumber(text)
      if not number or number < 0 then args.usage('%s: a number expected, got "%s"', name, text) end
      return setting[6] and number / setting[6] or number, i
    end
  end
end

local function check(setting, value)
  if type(value) ~= setting[2] then args.usage("traces: %s must be a %s", setting[1], setting[2]) end
  return value
end

--- What the file says goes before the environment. An endpoint of the environment for all signals is a base always; others are the whole
--- address when they have a path.
local function collect(given)
  local out, known = {}, {}
  for _, setting in ipairs(traces.settings) do
    local name, value, place = setting[1], given[setting[1]], nil
    known[name] = true
    if value ~= nil then value = check(setting, value) else value, place = from_environment(setting) end
    if value == nil then value = setting[4] end
    out[name] = value
    if name == "endpoint" then out.base = place == 2 end
  end
  for name in pairs(given) do
    if not known[name] then args.usage('traces: there is no setting "%s"', tostring(name)) end
  end
  return out
end

local function address(settings)
  local scheme, host, path = settings.endpoint:match "^([Hh][Tt][Tt][Pp][Ss]?)://([^/?#%s]+)([^%s]*)$"
  if not scheme then args.usage('traces: the endpoint "%s" is no address of http or https', settings.endpoint) end
  if path == "" or path == "/" then return scheme .. "://" .. host .. "/v1/traces" end
  if settings.base then return scheme .. "://" .. host .. path:gsub("/$", "") .. "/v1/traces" end
  return settings.endpoint
end

local function header_lines(headers)
  local out = {}
  for name, value in pairs(headers or {}) do
    if type(name) ~= "string" or type(value) ~= "string" then args.usage "traces: headers are texts by their names" end
    out[#out + 1] = name .. ": " .. value
  end
  table.sort(out)
  return out
end

local function resource_texts(settings)
  local resource = { ["service.name"] = settings.service_name, ["service.version"] = orrery.version,
    ["telemetry.sdk.name"] = "orrery", ["telemetry.sdk.language"] = "c", ["telemetry.sdk.version"] = orrery.version }
  for key, value in pairs(settings.resource or {}) do
    if key ~= "service.name" or settings.service_name == "orrery" then resource[tostring(key)] = tostring(value) end
  end
  local keys, out = {}, {}
  for key in pairs(resource) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do table.move({ key, resource[key] }, 1, 2, #out + 1, out) end
  return out
end

local function sampling(settings)
  local name = settings.sampler:lower()
  local root = name:match "^parentbased_(.+)$"
  local share = samplers[root or name]
  if not share then args.usage('traces: there is no sampler "%s"', settings.sampler) end
  if settings.ratio > 1 then args.usage "traces: the ratio is 0 to 1" end
  return root ~= nil, share == "ratio" and settings.ratio or share == 1 and 1 or 0
end

--- Did somebody switch traces off, or ask for a way of sending that is not built?
local function switched_off()
  if (os.getenv "OTEL_SDK_DISABLED" or ""):lower() == "true" then return true end
  for name in (os.getenv "OTEL_TRACES_EXPORTER" or ""):gmatch "[^,%s]+" do
    if name == "none" then return true end
    if name ~= "otlp" then args.usage('OTEL_TRACES_EXPORTER: "%s" is not built; otlp and none are', name) end
  end
  local protocol = os.getenv "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL" or os.getenv "OTEL_EXPORTER_OTLP_PROTOCOL"
  if protocol == "grpc" then
    args.usage "traces go over HTTP: OTEL_EXPORTER_OTLP_PROTOCOL cannot be grpc (a collector's port for HTTP is 4318)"
  end
  return false
end

local function whole(settings, name, least)
  local number = math.tointeger(settings[name])
  if not number or number < least then args.usage("traces: %s must be a whole number from %d on", name, least) end
  return number
end

local function ms(settings, name)
  if settings[name] <= 0 then args.usage("traces: %s must be more than 0", name) end
  return math.ceil(settings[name] * MS)
end

--- The exporter that `config` (the settings' table `traces`, nil: none, false: off) and the environment ask for; nil: there are no traces.
--- It closes as a variable with <close> does, after the engines that it was attached to.
function traces.open(config)
  if config == false then return nil end
  local settings = collect(config or {})
  if not settings.endpoint or switched_off() then return nil end
  local parent_based, share = sampling(settings)
  local queue = whole(settings, "queue", 1)
  return require "orrery.traces".open { url = address(settings), headers = header_lines(settings.headers),
    resource = resource_texts(settings),
    ca_file = settings.ca_file, client_cert = settings.client_cert, client_key = settings.client_key,
    timeout_ms = ms(settings, "timeout"), delay_ms = ms(settings, "delay"), give_up_ms = ms(settings, "give_up"),
    queue_max = queue, batch_max = math.min(whole(settings, "batch", 1), queue), parent_based = parent_based, share = share }
end

return traces
