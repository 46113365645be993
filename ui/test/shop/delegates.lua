-- What the shop's models call while a server works on its store: the bank answers again, invoices for Kyoto still fail unless the
-- address is another.
return function(engine)
  engine:register("shop.charge_card", function(execution) execution:set("receipt", "receipt 1") end)
  engine:register("shop.send_invoice", function(execution)
    if execution:get "address" == "Kyoto" then error("invoice: no template for country JP", 0) end
    execution:set("invoice", { number = 1, lines = 1 })
  end)
  engine:register("shop.refund", function(execution) execution:set("refund", "refund 1") end)
  engine:register("shop.count_shelves", function(execution) execution:set("missing", { "LAMP-3" }) end)
  engine:register("shop.buy", function(execution)
    if execution:get "sku" == "DESK-2" then error("suppliers: 503 Service Unavailable", 0) end
  end)
  engine:register("shop.hand_over", function(execution) execution:set("tracking", "parcel-000001") end)
  engine:register("shop", { remind = function(_, execution) execution:set("reminded", true) end })
  for _, name in ipairs { "remind", "place_order", "tell_requester" } do engine:register("approval." .. name, function() end) end
end
