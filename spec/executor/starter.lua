-- A process of its own for the specs of this room: starts an instance of `p` whose delegate tells a pipe.
--   lua starter.lua <store> <pipe>
local store, pipe = ...
local orrery = require "orrery"

local engine <close> = orrery.open(store, { log = "none" })
engine:start("p", { variables = { pipe = pipe } })
