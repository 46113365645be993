-- What the tasks that reach outside promise about failures, and which spec shows it: each error type of the documentation is provoked by
-- a spec, each type in the source is documented, and what users of other engines met has its spec here.
local function read(path)
  local file = assert(io.open(path), path)
  local text = file:read "a"
  file:close()
  return text
end

local function files(command)
  local out = {}
  local pipe = assert(io.popen(command))
  for path in pipe:lines() do out[path] = read(path) end
  pipe:close()
  return out
end

local ROOMS = { http = true, mail = true, shell = true, soap = true, camel = true, mule = true, connector = true, rules = true }

--- Each "`mail.resolve`, `.connect`" of the lists of errors.
local function documented()
  local out, room = {}, nil
  local text = read "docs/integration.md"
  local lists = { text:match "\n## Errors\n(.-)\n## " }
  for list in (text .. "\n\n"):gmatch "Errors:(.-)\n\n" do lists[#lists + 1] = list:match "^(.-)%.%s%u" or list end
  for list in text:gmatch "reached %(`(connector%.%a+)`%)" do lists[#lists + 1] = "`" .. list .. "`" end
  for name in text:gmatch "`(http%.oauth)` is the error" do lists[#lists + 1] = "`" .. name .. "`" end
  for _, list in ipairs(lists) do
    for before, name in list:gmatch "`(%a*)%.(%a+)`" do
      if before ~= "" then room = before end
      if ROOMS[room] then out[room .. "." .. name] = true end
    end
  end
  return out
end

--- Each type that a file of the tasks raises by its name, and those of the core, which come under the name of what was called.
local function raised()
  local out = {}
  for path, text in pairs(files "find lua/orrery -name '*.lua'") do
    for room, name in text:gmatch '"(%a+)%.(%a+)"' do
      if ROOMS[room] and not path:find "/_meta/" then out[room .. "." .. name] = path end
    end
  end
  local core = read("runtime/net/client.c"):match "%[NET_OK%].-};"
  for name in core:gmatch '= "(%a+)"' do
    local of_mail = ({ rejected = true, later = true, login = true })[name]
    local of_shell = name == "spawn"
    if name ~= "ok" and name ~= "memory" then
      if not of_mail and not of_shell then out["http." .. name] = "runtime/net" end
      if of_mail then out["mail." .. name] = "runtime/net" end
      if of_shell then out["shell." .. name] = "runtime/net" end
    end
  end
  return out
end

local function sorted(set)
  local out = {}
  for name in pairs(set) do out[#out + 1] = name end
  table.sort(out)
  return out
end

describe("the error types of tasks that reach outside", function()
  it("are provoked by a spec each", function()
    local specs = files "ls spec/net/*_spec.lua spec/tasks/*_spec.lua"
    local bare = documented()
    assert.is_true(#sorted(bare) >= 40)
    for path, text in pairs(specs) do
      for line in text:gmatch "[^\n]+" do
        for name in line:gmatch '"(%a+%.%a+)"' do
          if path ~= "spec/tasks/coverage_spec.lua" and line:find "same" then bare[name] = nil end
        end
      end
    end
    assert.same({}, sorted(bare))
  end)

  it("are in the documentation", function()
    local known, missing = documented(), {}
    for name, path in pairs(raised()) do
      if not known[name] then missing[name .. " of " .. path] = true end
    end
    assert.same({}, sorted(missing))
  end)
end)

-- What users met, and the specs that show that it is not so here: a file and the name of a spec in it.
local MET = {
  { "calls that block the threads of all others", "spec/tasks/http_spec.lua", "runs in a worker, which holds others meanwhile" },
  { "a program that blocks a thread", "spec/tasks/shell_spec.lua", "holds no thread of the executor" },
  { "a pool of connections that cannot be sized", "spec/tasks/http_spec.lua",
    "opens no more connections to a host than the options allow" },
  { "no time-out, or one at the wrong knob", "spec/net/http_spec.lua",
    "is http.timeout when the server is silent, also before its first byte" },
  { "a model that waits longer than the engine allows", "spec/tasks/http_spec.lua", "the time, up to the engine's maximum" },
  { "a connector that ignores 404", "spec/tasks/connector_spec.lua", "makes a status an error only when request-config says so" },
  { "a call that outlives its job's lock", "spec/executor/executor_spec.lua", "a lock of a job that runs is prolonged" },
  { "the same, where the caller runs the jobs", "spec/executor/poll_spec.lua", "prolongs the lock of a job while it waits for it" },
  { "a repeated call that the service cannot know for one", "spec/tasks/http_spec.lua", "a key that stays the same over retries" },
  { "a proxy out of the environment", "spec/net/http_spec.lua", "is never taken from the environment" },
  { "headers lost where there is no content, repeated ones lost", "spec/net/http_spec.lua",
    "keeps repeated headers, also where there is no content" },
  { "a Content-Type without a body", "spec/net/http_spec.lua", "has a Content-Type only with a body" },
  { "an answer without a Content-Type", "spec/net/http_spec.lua", "needs no Content-Type to be read" },
  { "a text body that is dropped", "spec/tasks/http_spec.lua", "a table as JSON, and a body in the charset that is asked for" },
  { "a token fetched for each call", "spec/tasks/connector_spec.lua", "is fetched once, by client credentials, and kept" },
  { "a storm of such", "spec/tasks/connector_spec.lua", "is fetched once however many ask at a time, on all threads" },
  { "retries that are the same for all tasks", "spec/tasks/http_spec.lua", "waits as its cycle says, which may be an expression" },
  { "Retry-After that is not heard", "spec/tasks/http_spec.lua", "waits for as long as a service asks by a Retry-After" },
  { "answers of more than 4,000 characters", "spec/tasks/http_spec.lua", "keeps bodies that are large" },
  { "an own CA", "spec/net/http_spec.lua", "trusts the CA that the options name" },
  { "certificates that are not looked at", "spec/net/http_spec.lua", "looks away only when told to" },
  { "a response variable that is lost", "spec/tasks/http_spec.lua", "the body in the variable of its prefix, its own id or its own name" },
  { "inline images without an id", "spec/tasks/mail_spec.lua", "attaches bytes, resources and files, and shows images by their cid" },
  { "no charset for all mails", "spec/tasks/mail_spec.lua", "writes in the charset that is asked for, by field or option" },
  { "a mail whose failure may be ignored", "spec/tasks/mail_spec.lua", "silently, when it is to be ignored" },
  { "TLS that is hoped for", "spec/tasks/mail_spec.lua", "by STARTTLS, which is required and not hoped for" },
  { "a port of TLS that is ignored", "spec/tasks/mail_spec.lua", "goes to the port that its kind of TLS has" },
  { "a header whose value holds a colon", "spec/tasks/mail_spec.lua", "adds headers, also ones with colons in their values" },
  { "secure headers in variables", "spec/tasks/http_spec.lua", "the request, but for what is secure" },
  { "a fault that is swallowed", "spec/tasks/soap_spec.lua", "a fault" },
  { "a full pipe that hangs", "spec/tasks/shell_spec.lua", "reads while the program runs: more than a pipe holds, on both streams" },
  { "a receive task that is not committed yet", "spec/tasks/camel_spec.lua",
    "signals a receive task once the transaction that leads there has committed" },
  { "expressions that start programs", "spec/bindings/sandbox_spec.lua", "os.execute" },
  { "a shell that is on", "spec/tasks/shell_spec.lua", "is off unless it is allowed and the program is listed" },
  { "a guard that a spelling gets past", "spec/net/http_spec.lua",
    "lets a served one call public addresses and listed ones, however they are spelled" },
  { "a guard that a redirect gets past", "spec/net/http_spec.lua", "looks at every hop" },
  { "tables that are parsed at each decision", "spec/decision/repository_spec.lua", "are read once" },
  { "names that begin with keywords, hold dashes or other blanks", "spec/decision/expressions_spec.lua",
    "may begin with keywords, and hold dashes and any blank" },
  { "a decision of another tenant", "spec/decision/task_spec.lua", "falls back to the decision of no tenant only when it may" },
  { "a decision of another deployment", "spec/decision/task_spec.lua",
    "takes the decision of its own deployment, unless it is told not to" },
}

describe("what users of other engines met", function()
  for _, met in ipairs(MET) do
    it("has a spec: " .. met[1], function() assert.is_truthy(read(met[2]):find(met[3], 1, true), met[3]) end)
  end
end)
