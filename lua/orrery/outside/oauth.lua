--- Tokens by client credentials (RFC 6749, 4.4) for the services of the option http.oauth. One cache an engine; one fetch at a time,
--- whichever of its threads asks; a token is renewed before it expires.
local core = require "orrery.core"
local future = require "orrery.future"
local outside = require "orrery.outside"

local oauth = {}

local SKEW = 30 -- seconds that a token is given up before it expires, at most a tenth of its life
local LIFE = 300 -- of a token whose server does not say
local LOOK_AGAIN = 0.02 -- seconds until a thread asks whether another's fetch has ended

local flights = setmetatable({}, { __mode = "k" }) -- of this state: engine -> name -> future of the token

--- The client's options, or nil and why not.
local function client_of(engine, name)
  local clients = engine and outside.of(engine).http.oauth
  local client = clients and clients[name]
  if not client then return nil, ("there is no \"%s\" in the option http.oauth"):format(name) end
  return client
end

local function secret_of(engine, client)
  local secrets = outside.of(engine).secrets
  local name = client.secret
  if not name then return core.secret(client.client_secret or "") end
  local value = secrets and secrets[name]
  if value == nil then
    local look = core.named("secrets of:", engine.core)
    value = type(look) == "function" and look(name) or type(look) == "table" and look[name] or nil
  end
  return value and core.secret(value)
end

local function request_of(client, secret)
  local request = { method = "POST", url = client.token_url, detached = true,
    form = { grant_type = "client_credentials", scope = client.scope, audience = client.audience } }
  if client.credentials == "body" then
    request.form.client_id, request.form.client_secret = client.client_id, secret
  else
    request.user, request.password = client.client_id, secret
  end
  return request
end

--- Reads the server's answer into the cache; the token, or nil and why not.
local function keep(engine, name, response)
  local answer = response.status == 200 and core.json_decode(response.body)
  local token = type(answer) == "table" and answer.access_token
  if type(token) ~= "string" then
    core.token_put(engine.core, name)
    local code = type(answer) == "table" and answer.error or response.status
    return nil, ("no token for \"%s\": %s"):format(name, tostring(code))
  end
  local life = tonumber(answer.expires_in) or LIFE
  core.token_put(engine.core, name, token, life - math.min(SKEW, life / 10))
  return core.secret(token)
end

local function fetch(net, engine, name, client, flight)
  local secret = secret_of(engine, client)
  if not secret then
    core.token_put(engine.core, name)
    return flight:reject(net.failure("http.request", ("there is no secret \"%s\""):format(client.secret)))
  end
  net.http_for(engine, request_of(client, secret)):done_then(function(call)
    if call.failed then
      core.token_put(engine.core, name)
      return flight:reject(call.failure)
    end
    local token, problem = keep(engine, name, call.value)
    if token then flight:resolve(token) else flight:reject(net.failure("http.oauth", problem)) end
  end)
end

local function ask(net, engine, name, client, flight)
  local token, mine = core.token_take(engine.core, name, outside.of(engine).http.timeout + 1)
  if token then return flight:resolve(token) end
  if mine then return fetch(net, engine, name, client, flight) end
  core.timer(LOOK_AGAIN, function() ask(net, engine, name, client, flight) end, true)
end

--- The future of the token of a name; all who ask at once share it.
function oauth.token(net, engine, name)
  local client, problem = client_of(engine, name)
  if not client then return net.failed(net.failure("http.request", problem)) end
  local by_name = flights[engine] or {}
  flights[engine] = by_name
  local flight = by_name[name]
  if flight and not flight.done then return flight end
  flight = future.new()
  by_name[name] = flight
  ask(net, engine, name, client, flight)
  return flight
end

--- The service has refused the token.
function oauth.forget(engine, name) core.token_put(engine.core, name) end

return oauth
