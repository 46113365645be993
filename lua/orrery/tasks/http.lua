--- The HTTP task. Its fields are those of Flowable's; docs/integration.md describes them.
local core = require "orrery.core"
local errors = require "orrery.errors"
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local net = require "orrery.outside.net"
local outside = require "orrery.outside"

local http = {}

-- The request -----------------------------------------------------------------------------------------

--- "400, 5XX" as a set, whose wildcards are "5".
local function codes(task, name)
  local text = task:text(name)
  local out = {}
  for code in tostring(text or ""):gmatch "[^,%s]+" do
    local family = code:upper():match "^([1-5])XX$"
    if not family and not code:match "^[1-5]%d%d$" then
      task:fail("the field '%s' holds '%s', which is no status such as 404 or 4XX", name, code)
    end
    out[family or code] = true
  end
  return next(out) and out or nil
end

local function has_code(set, status)
  local code = ("%03d"):format(status)
  return set ~= nil and (set[code] or set[code:sub(1, 1)]) or false
end

--- The same over all retries of a job, and no other call's: it names the visit, and the store's instance.
local function idempotency_key(execution)
  local instance = execution.engine:instance(execution.instance_id)
  local began = instance and ("%.0f"):format(instance.started_at * 1000) or "0"
  local job = execution.job
  return table.concat({ execution.instance_id, execution.activity_id, execution.id, job and job.id or "0",
    began }, "-")
end

local function content_type_of(lines)
  for _, line in ipairs(lines) do
    if not core.is_secret(line) and line:lower():find "^content%-type:" then return line end
  end
  return nil
end

--- The body's bytes in the charset that is asked for, which its Content-Type then names.
local function encode_body(task, request)
  local charset = task:text "requestBodyEncoding"
  local body = request.body
  if body == nil then return end
  if charset and not core.is_secret(body) then
    local bytes, problem = core.convert(body, "UTF-8", charset)
    if not bytes then task:fail("the body cannot be written in %s: %s", charset, problem) end
    request.body = bytes
  end
  local lines = core.header_lines(request.headers or "")
  if not content_type_of(lines) then
    local line = "Content-Type: text/plain; charset=" .. (charset or "UTF-8")
    request.headers = request.headers and request.headers .. "\n" .. line or line
  end
end

local function read_request(task)
  local execution = task.execution
  return {
    method = tostring(task:required "requestMethod"):upper(),
    url = task:required "requestUrl",
    headers = task:lines "requestHeaders",
    secure_headers = task:lines "requestSecureHeaders",
    body = task:text "requestBody",
    parts = task:value "requestParts",
    timeout = task:number "requestTimeout",
    no_redirects = task:flag "disallowRedirects",
    oauth = task:text "requestOAuth",
    idempotency_key = task:flag "idempotencyKey" and idempotency_key(execution) or nil,
  }
end

--- Header lines as a list; what stands in the secure ones is secret for every redirect.
local function header_list(request)
  local out = {}
  for _, line in ipairs(request.headers and core.header_lines(request.headers) or {}) do
    out[#out + 1] = line
  end
  if request.secure_headers then
    for _, line in ipairs((core.header_lines(core.secret(request.secure_headers)))) do out[#out + 1] = line end
  end
  if request.idempotency_key then out[#out + 1] = "Idempotency-Key: " .. request.idempotency_key end
  return out
end

local function send(execution, request)
  local out = { method = request.method, url = request.url, headers = header_list(request), body = request.body,
    parts = request.parts, oauth = request.oauth, redirects = request.no_redirects and 0 or nil }
  if request.timeout and request.timeout > 0 then out.timeout = request.timeout / 1000 end
  return future.await(net.http_for(execution.engine, out))
end

-- Handlers --------------------------------------------------------------------------------------------

--- What Java handlers call, beside plain fields: getUrl, setBody, getStatusCode, isNoRedirects…
local JAVA = { status_code = "status", http_headers_as_string = "headers", http_headers = "headers" }

local function snake(name) return (name:gsub("(%l)(%u)", "%1_%2"):lower()) end

local Bean = {}
function Bean.__index(self, key)
  local verb, property = tostring(key):match "^([gs]et)(%u.*)$"
  if not verb then verb, property = tostring(key):match "^(is)(%u.*)$" end
  if not verb then return rawget(self, JAVA[snake(key)] or snake(key)) end
  local name = snake(property)
  name = JAVA[name] or name
  if verb == "set" then return function(_, value) rawset(self, name, value) end end
  return function() return rawget(self, name) end
end

local METHODS = { request = { "handleHttpRequest", "execute" }, response = { "handleHttpResponse", "execute" } }

--- Calls the handler of a field with the request or response: a function, a table with the Java method, or a script.
local function handle(execution, field, kind, object)
  local names = { [kind == "request" and "httpRequest" or "httpResponse"] = object, [kind] = object }
  local handler, found = execution:handler(field, names)
  if not found or handler == nil then return end
  if type(handler) == "function" then return handler(execution, object) end
  if type(handler) ~= "table" then return end -- a script has run
  for _, method in ipairs(METHODS[kind]) do
    if handler[method] then return handler[method](handler, execution, object) end
  end
  error(net.failure("http.request", ("the %s handler has no method %s"):format(kind, METHODS[kind][1])), 0)
end

-- The response ----------------------------------------------------------------------------------------

--- Text in UTF-8, when the server says what it is in.
local function decode_body(response)
  local charset = (response.headers["content-type"] or ""):match "[cC][hH][aA][rR][sS][eE][tT]%s*=%s*\"?([%w%-_.:]+)"
  if not charset or charset:lower() == "utf-8" then return response.body end
  return core.convert(response.body, charset, "UTF-8") or response.body
end

local function store_request(task, prefix, request)
  local execution = task.execution
  local function set(name, value) execution:set(prefix .. name, fields.storable(value)) end
  set("RequestMethod", request.method)
  set("RequestUrl", request.url)
  set("RequestHeaders", request.headers)
  set("RequestBody", request.body)
  set("RequestBodyEncoding", task:text "requestBodyEncoding")
  set("RequestTimeout", request.timeout or 0)
  set("DisallowRedirects", request.no_redirects)
  set("FailStatusCodes", task:text "failStatusCodes")
  set("HandleStatusCodes", task:text "handleStatusCodes")
  set("IgnoreException", task:flag "ignoreException")
  set("SaveRequestVariables", true)
  set("SaveResponseParameters", task:flag "saveResponseParameters")
end

local function json_body(body)
  if body:match "^%s*$" then return core.null end
  local value, problem = core.json_decode(body)
  if value == nil then error(net.failure("http.json", "the answer is not JSON: " .. problem), 0) end
  return value
end

local function store_response(task, prefix, response)
  local execution = task.execution
  local set = task:flag "saveResponseParametersTransient" and execution.set_transient or execution.set
  if task:flag "saveResponseParameters" then
    set(execution, prefix .. "ResponseProtocol", response.protocol)
    set(execution, prefix .. "ResponseStatusCode", response.status)
    set(execution, prefix .. "ResponseReason", response.reason)
    set(execution, prefix .. "ResponseHeaders", (response.head:gsub("\n$", "")))
  end
  if response.body_response_handled then return end
  local name = task:text "responseVariableName" or prefix .. "ResponseBody"
  local body = response.body
  if task:flag "saveResponseVariableAsJson" then body = json_body(body) end
  set(execution, name, body)
end

--- From 400 up, or from 300 when redirects are not wanted: the models' own reading of a status.
local function check_status(task, response, no_redirects)
  local status = response.status
  if status < (no_redirects and 300 or 400) then return end
  if has_code(codes(task, "handleStatusCodes"), status) then errors.bpmn_error("HTTP" .. status, response.reason) end
  if has_code(codes(task, "failStatusCodes"), status) then
    local failure = net.failure("http.status", "HTTP" .. status)
    failure.status, failure.retry_after = status, response.retry_after
    error(failure, 0)
  end
end

local function call(task, prefix)
  local execution = task.execution
  local request = setmetatable(read_request(task), Bean)
  codes(task, "handleStatusCodes")
  codes(task, "failStatusCodes")
  handle(execution, "httpRequestHandler", "request", request)
  if task:flag "saveRequestVariables" then store_request(task, prefix, request) end
  encode_body(task, request)
  local response = send(execution, request)
  response = setmetatable({ status = response.status, protocol = response.protocol, reason = response.reason,
    head = response.head, headers = response.headers, body = decode_body(response),
    retry_after = response.retry_after }, Bean)
  handle(execution, "httpResponseHandler", "response", response)
  store_response(task, prefix, response)
  check_status(task, response, request.no_redirects)
end

--- A BPMN error is the model's business, whatever is to be ignored.
local function is_bpmn_error(problem) return type(problem) == "table" and problem.kind == "bpmn_error" end

local OURS = { DefaultBpmnHttpActivityDelegate = true, HttpActivityBehaviorImpl = true, DefaultBpmnHttpActivityBehavior = true }

--- A delegate of the model's own choice, in our place.
local function other_behavior(task)
  local name = task:text "httpActivityBehaviorClass"
  if not name or OURS[name:match "[^.]+$"] then return nil end
  return task.execution:resolve(name)
end

function http.execute(_, execution)
  local task = fields.of(execution, "http")
  local other = other_behavior(task)
  if type(other) == "function" then return other(execution) end
  if other then return other:execute(execution) end
  local prefix = task:text "resultVariablePrefix" or execution.activity_id
  local ok, problem = pcall(call, task, prefix)
  if ok then return end
  if is_bpmn_error(problem) or not task:flag "ignoreException" then error(problem, 0) end
  execution:set(prefix .. "ErrorMessage", type(problem) == "table" and problem.message or tostring(problem))
end

return http
