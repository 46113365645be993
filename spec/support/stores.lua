--- The stores that several processes may share, for specs of what holds on each.
local folder = require "spec.support.folder"
local inside = require("orrery_inside").store
local postgres = require "spec.support.postgres"

--- For `it` and `pending` of a spec: an array of { name, what declares a test (pending without PostgreSQL), make }. `make` makes an empty
--- store and returns its path or URL, and a function that removes it.
return function(it, pending)
  return {
    { "on disk", it, function()
      local path = folder.make()
      return path, function() folder.remove(path) end
    end },
    { "in PostgreSQL", postgres.with(it, pending), function()
      local url = postgres.shared():schema()
      assert(inside.make_schema(url))
      return url, function() end
    end },
  }
end
