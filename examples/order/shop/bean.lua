--- What ${shop.remind(execution)} calls, as a module, so that every thread finds it.
local shop = {}

function shop:remind(execution) execution:set("reminded", true) end

return shop
