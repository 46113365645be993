--- The office: sends parcels, has two workers in processes of their own do the work, and answers what people are asked.
---   orrery lua main.lua STORE [PARCELS]
local orrery = require "orrery"

local store, parcels = assert(arg[1], "which store?"), math.tointeger(tonumber(arg[2] or 20))
local here = arg[0]:match "^(.*)/" or "."

local engine <close> = orrery.open(store)
engine:deploy(here .. "/parcel.bpmn", { name = "parcels", filter_duplicates = true })
engine:transaction(function()
  for i = 1, parcels do
    engine:start("parcel", { business_key = "parcel-" .. i, variables = { address = i % 5 ~= 0 and "Street " .. i or nil } })
  end
end)

local workers = {}
for i = 1, 2 do workers[i] = assert(io.popen(("exec orrery lua '%s/worker.lua' '%s' worker-%d"):format(here, store, i))) end

--- Sales looks up the addresses that are missing, until every parcel is sent.
while engine:count("instances", { key = "parcel" }) > 0 do
  for _, task in ipairs(engine:tasks { key = "address" }) do task:complete { address = "Found Street" } end
  orrery.sleep(0.02)
end

for _, worker in ipairs(workers) do
  print(worker:read "l")
  assert(worker:close())
end
print(("%d parcels sent"):format(engine:count("history_instances", { definition_key = "parcel", end_activity = "sent" })))
