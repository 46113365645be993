-- Another process that changes the variable "v" of an instance. Arguments: store, instance, value.
local store, instance, value = ...
local orrery = require "orrery"
local engine <close> = orrery.open(store, { log = "none", durability = "none" })
engine:instance(instance):set("v", tonumber(value))
