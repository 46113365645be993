--- An offer: a process asks a REST service who a customer is, decides by a table, and mails the result. The service and the mail server are
--- services.py, which this starts. Run it by `orrery lua examples/offer/main.lua`.
local orrery = require "orrery"

local here = arg[0]:match "^(.*)/" or "."
local services = assert(io.popen(("exec python3 '%s/services.py'"):format(here)))
local service_port, mail_port = (services:read "l" or ""):match "^(%d+) (%d+)$"
assert(service_port, "the services did not start")

local engine <close> = orrery.open(nil, {
  mail = { host = "127.0.0.1", port = math.tointeger(tonumber(mail_port)), from = "Shop <shop@example.org>" },
  secrets = { service = "open sesame" },
})
engine:deploy(here .. "/process")
local instance = engine:start("offer", { variables = { id = 7, service = "http://127.0.0.1:" .. service_port } })
engine:run_jobs()

print(("the instance is %s; what was mailed:"):format(engine:history_instance(instance.id).state))
for line in services:lines() do
  print(line)
  if line:match "^%s+%.$" then break end
end
services:close()
