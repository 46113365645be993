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
local began = os.time() - 2 * DAY - HOUR // 4 -- so that it ends now
local engine <close> = orrery.open(store, { clock = "manual", now = began, log = "none", history = "full", durability = "none" })
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
engine:register("shop.refund", function(execution)
  if bank_down then error("bank: connection timed out after 5.0 s (payments.internal:443)", 0) end
  execution:set("refund", ("refund %d"):format(math.random(1000, 9999)))
end)
engine:register("shop.count_shelves", function(execution) execution:set("missing", { "LAMP-3", "DESK-2", "SHELF-" .. math.random(9) }) end)
engine:register("shop.buy", function(execution)
  if execution:get "sku" == "DESK-2" and math.random() < 0.9 then error("suppliers: 503 Service Unavailable", 0) end
end)
engine:register("approval.remind", function(execution) execution:set("reminded", true) end)
engine:register("approval.place_order", function() if math.random() < 0.2 then error("suppliers: 503 Service Unavailable", 0) end end)
engine:register("approval.tell_requester", function() end)

local order, shipping = read(examples .. "/order/order.bpmn"), read(examples .. "/order/shipping.bpmn")
engine:deploy({ ["order.bpmn"] = order, ["shipping.bpmn"] = shipping }, { name = "shop 1.0" })
engine:deploy({ ["approval.bpmn"] = read(examples .. "/approval/approval.bpmn") }, { name = "purchasing" })
engine:deploy({ ["returns.bpmn"] = read(here .. "/returns.bpmn"), ["restock.bpmn"] = read(here .. "/restock.bpmn") }, { name = "warehouse" })
engine:deploy({ ["discount.dmn"] = read(here .. "/discount.dmn"), ["quote.bpmn"] = read(here .. "/quote.bpmn") }, { name = "pricing" })

local function start_order(i)
  engine:start("order", { business_key = ("order-%04d"):format(i), variables = {
    card = "4111", total = math.random(500, 90000), address = towns[math.random(#towns)], express = math.random() < 0.2,
    items = { { sku = "LAMP-" .. math.random(9), count = math.random(3) }, { sku = "DESK-" .. math.random(9), count = 1 } },
  } })
end

local function work() engine:run_jobs() end

-- The warehouse's own program: it fetches what is to be received, and now and then cannot read a label.
local function warehouse()
  for _, task in ipairs(engine:fetch_and_lock { worker = "scanner-2", max = 20, topics = { { name = "warehouse", lock = 60 } } }) do
    local luck = math.random()
    if luck < 0.12 then
      task:fail("scanner-2", { message = ("scanner: label of parcel %d cannot be read"):format(math.random(100000, 999999)), retries = 0 })
    elseif luck < 0.9 then
      task:complete("scanner-2", { parcel = ("parcel-%06d"):format(math.random(999999)) })
    end
  end
end

local function work_on(task)
  local luck = math.random()
  if task.key == "approve" or task.key == "decide" then task:complete { approved = luck < 0.8 }
  elseif task.key == "inspect" and luck < 0.6 then task:complete { sound = luck < 0.5 }
  elseif task.assignee then task:complete()
  elseif task.key == "pack" and luck < 0.75 then task:claim "wim" task:complete()
  elseif task.key == "another_card" and luck < 0.5 then task:complete { card = "4222" }
  elseif luck < 0.1 then task:claim(luck < 0.05 and "ann" or "joe") end
end

local function people()
  for _, task in ipairs(engine:tasks { limit = 40 }) do
    engine:as(task.assignee or "wim", function() work_on(task) end)
  end
end

-- The second version of the order: another name, and who does not answer for two days is dropped.
local function with_deadline(xml)
  local function add(before, what)
    local at = assert(xml:find(before, 1, true), before)
    xml = xml:sub(1, at - 1) .. what .. xml:sub(at)
  end
  xml = xml:gsub('name="Send the invoice"', 'name="Send the e-invoice"')
  add('<bpmn:sequenceFlow id="declined_ask"', [[<bpmn:boundaryEvent id="silent" name="2 days" attachedToRef="another_card">
      <bpmn:timerEventDefinition id="silent_event"><bpmn:timeDuration>P2D</bpmn:timeDuration></bpmn:timerEventDefinition>
    </bpmn:boundaryEvent>
    <bpmn:sequenceFlow id="silent_dropped" sourceRef="silent" targetRef="dropped" /><bpmn:endEvent id="dropped" name="Order dropped" />
    ]])
  add('<bpmndi:BPMNEdge id="placed_pay_di"', [[<bpmndi:BPMNShape id="silent_di" bpmnElement="silent"><dc:Bounds x="282" y="352" width="36"
        height="36" /><bpmndi:BPMNLabel><dc:Bounds x="318" y="388" width="34" height="14" /></bpmndi:BPMNLabel></bpmndi:BPMNShape>
      <bpmndi:BPMNShape id="dropped_di" bpmnElement="dropped"><dc:Bounds x="412" y="402" width="36" height="36" /></bpmndi:BPMNShape>
      <bpmndi:BPMNEdge id="silent_dropped_di" bpmnElement="silent_dropped"><di:waypoint x="300" y="388" /><di:waypoint x="300" y="420" />
        <di:waypoint x="412" y="420" /></bpmndi:BPMNEdge>
      ]])
  return xml
end

-- More in the middle of the day than at night: as many in all as were asked for.
local steps = 40
local function orders_until(step) return math.floor(orders * (step / steps - math.sin(4 * math.pi * step / steps) / (5 * math.pi)) + 0.5) end

for step = 1, steps do
  bank_down = step > steps - 4
  for i = orders_until(step - 1) + 1, orders_until(step) do start_order(i) end
  if step % 3 == 0 then
    engine:start("approval", { business_key = "purchase-" .. step, variables = { requester = "ann", amount = math.random(50, 4000), item = "chairs" } })
  end
  if step % 2 == 0 then
    engine:start("return", { business_key = ("return-%03d"):format(step * 7), variables = { order = ("order-%04d"):format(step * 7), reason = "too large" } })
  end
  engine:start("quote", { business_key = "quote-" .. step, variables = { customer = step % 3 == 0 and "business" or "private", total = step * 40 } })
  work()
  warehouse()
  people()
  work()
  engine:advance(2 * DAY / steps)
  work()
  if step == steps // 2 then
    engine:as("ann", function() engine:deploy({ ["order.bpmn"] = with_deadline(order), ["shipping.bpmn"] = shipping }, { name = "shop 1.1" }) end)
  end
end
engine:advance(HOUR // 4)
work()

-- What the operators did, of which the log tells: a retry in vain, quotes that wait for their prices.
engine:as("ann", function()
  engine:batch { action = "retry", filter = { no_retries = true, activity = "invoice" } }
  work()
  for _, quote in ipairs(engine:instances { key = "quote", order_by = "id", limit = 3 }) do quote:suspend() end
end)
print(("%d instances, %d incidents, %d tasks"):format(engine:count "instances", engine:count "incidents", engine:count "tasks"))
