-- What is known and not built, by the reason that the answer 501 tells.
local unbuilt = {
  ["a store has a format, and no log of changes to a schema"] = {
    "GET /schema/log", "POST /schema/log",
  },
}

local operations = {}
for why, list in pairs(unbuilt) do
  for _, line in ipairs(list) do
    local method, path = line:match "^(%S+) (%S+)$"
    operations[#operations + 1] = { method, path, "unbuilt", "Not built: " .. why .. ".", unbuilt = why,
      role = method == "GET" and "read" or "operate", args = "ignored" }
  end
end
table.sort(operations, function(a, b) return a[2] .. a[1] < b[2] .. b[1] end)

return { dtos = {}, queries = {}, operations = operations }
