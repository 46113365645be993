-- A shop on a busy day, as the page's tests and pictures show it: seed.lua STORE [ORDERS]. What fails, fails as it would in a shop.
-- Always the same for the same number of orders.
local orrery = require "orrery"
local store, orders = assert(arg[1], "seed.lua STORE [ORDERS]"), tonumber(arg[2] or 400)
local here = arg[0]:match "^(.*)/" or "."
local examples = here .. "/../../../examples"

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local HOUR <const>, DAY <const> = 3600, 24 * 3600
local began = os.time() - 2 * DAY
local engine <close> = orrery.open(store, { clock = "manual", now = began, log = "none", history = "full" })
math.randomseed(20261122)

local towns = { "Ghent", "Vienna", "Lyon", "Porto", "Turku", "Gdansk", "Bergen", "Kyoto" }
local bank_down = false

engine:register("shop.charge_card", function(execution)
  if bank_down and math.random() < 0.6 then error("bank: connection timed out after 5.0 s (payments.internal:443)", 0) end
  if math.random() < 0.06 then orrery.bpmn_error("CARD_DECLINED", "no money on it") end
  execution:set("receipt", ("receipt %d over %.2f"):format(math.random(1000, 9999), execution:get "total" / 100))
end)
engine:register("shop.send_invoice", function(execution)
  if execution:get "address" == "Kyoto" then error("invoice: no template for country JP", 0) end
  execution:set("invoice", { number = math.random(10000, 99999), lines = math.random(1, 6) })
end)
engine:register("shop.hand_over", function(execution) execution:set("tracking", ("parcel-%06d"):format(math.random(999999))) end)
engine:register("shop", { remind = function(_, execution) execution:set("reminded", true) end })
engine:register("approval.remind", function(execution) execution:set("reminded", true) end)
engine:register("approval.place_order", function() if math.random() < 0.2 then error("suppliers: 503 Service Unavailable", 0) end end)
engine:register("approval.tell_requester", function() end)

local order, shipping = read(examples .. "/order/order.bpmn"), read(examples .. "/order/shipping.bpmn")
engine:deploy({ ["order.bpmn"] = order, ["shipping.bpmn"] = shipping }, { name = "shop 1.0" })
engine:deploy({ ["approval.bpmn"] = read(examples .. "/approval/approval.bpmn") }, { name = "purchasing" })
engine:deploy({ ["discount.dmn"] = read(here .. "/discount.dmn"), ["quote.bpmn"] = read(here .. "/quote.bpmn") }, { name = "pricing" })

local function start_order(i)
  engine:start("order", { business_key = ("order-%04d"):format(i), variables = {
    card = "4111", total = math.random(500, 90000), address = towns[math.random(#towns)], express = math.random() < 0.2,
    items = { { sku = "LAMP-" .. math.random(9), count = math.random(3) }, { sku = "DESK-" .. math.random(9), count = 1 } },
  } })
end

local function work() engine:run_jobs() end

local function people()
  for _, task in ipairs(engine:tasks { limit = 40 }) do
    local luck = math.random()
    if task.key == "approve" or task.key == "decide" then task:complete { approved = luck < 0.8 }
    elseif task.assignee then task:complete()
    elseif task.key == "pack" and luck < 0.75 then task:claim "wim" task:complete()
    elseif task.key == "another_card" and luck < 0.5 then task:complete { card = "4222" }
    elseif luck < 0.1 then task:claim(luck < 0.05 and "ann" or "joe") end
  end
end

local versions = order:gsub('name="Send the invoice"', 'name="Send the e-invoice"')
local steps = 40
for step = 1, steps do
  bank_down = step > steps - 4
  for i = 1, orders // steps do start_order((step - 1) * (orders // steps) + i) end
  if step % 4 == 0 then
    engine:start("approval", { business_key = "purchase-" .. step, variables = { requester = "ann", amount = math.random(50, 4000), item = "chairs" } })
  end
  engine:start("quote", { business_key = "quote-" .. step, variables = { customer = step % 3 == 0 and "business" or "private", total = step * 40 } })
  work()
  people()
  work()
  engine:advance(2 * DAY / steps)
  work()
  if step == steps // 2 then engine:deploy({ ["order.bpmn"] = versions, ["shipping.bpmn"] = shipping }, { name = "shop 1.1" }) end
end
engine:advance(HOUR // 4)
work()
print(("%d instances, %d incidents, %d tasks"):format(engine:count "instances", engine:count "incidents", engine:count "tasks"))
