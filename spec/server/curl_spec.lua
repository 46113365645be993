-- The manual's examples by curl, one after the other as they stand there: each succeeds, and every operation has one.
-- Marks: load
local support = require "spec.server.support"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local function blocks_of(manual)
  local blocks = {}
  for block in read(manual):gmatch "```sh\n(.-)```" do blocks[#blocks + 1] = block end
  return table.concat(blocks, "\n")
end

--- Runs a manual's blocks in one shell against this server.
local function walk(server, script)
  server:file("walk.sh", "set -euo pipefail\ncd " .. server.folder .. "\n" .. script .. "\necho walked >&2\n")
  local ok = os.execute(("BASE=%s/engine-rest bash %s/walk.sh > %s/answers 2> %s/trouble"):format(server.url, server.folder,
    server.folder, server.folder))
  local trouble = read(server.folder .. "/trouble")
  assert(ok, read(server.folder .. "/answers"):sub(-600) .. trouble)
  assert.equal("walked\n", trouble)
end

-- What answers by an error whatever is asked: there are no such things, or a file says who there is.
local errors = { none_such = "404", password_policy = "404", start_form_rendered = "404", task_form_rendered = "404", forbidden = "403" }

local function built()
  local operations = {}
  for _, subject in ipairs(require "server.subjects") do
    for _, op in ipairs(require("server.table." .. subject[1]).operations) do
      if not op.unbuilt then operations[#operations + 1] = { method = op[1], path = op[2], handler = op[3] } end
    end
  end
  return operations
end

local function parts(path)
  local out = {}
  for part in path:gmatch "[^/]+" do out[#out + 1] = part end
  return out
end

-- How many parts are the same words; nil: it is another path. A shell's variable stands for a part in braces alone.
local function likeness(pattern, path)
  local same = 0
  if #pattern ~= #path then return nil end
  for i, part in ipairs(pattern) do
    if part == path[i] then same = same + 1 elseif part:sub(1, 1) ~= "{" then return nil end
  end
  return same
end

local function operation_of(operations, method, path)
  local best, most = nil, -1
  for _, op in ipairs(operations) do
    local same = op.method == method and likeness(parts(op.path), parts(path)) or -1
    if same > most then best, most = op, same end
  end
  return best
end

--- Calls each(method, path, status) for each request that the lines of a manual make; status nil: it succeeds.
local function requests(script, each)
  for line in script:gmatch "[^\n]+" do
    local plain = line:gsub("%$(%b())", function(inner) -- a command's answer stands for a part of a path
      requests(inner:sub(2, -2), each)
      return "$ANSWER"
    end)
    plain = plain:gsub("[\"']", "")
    for path in plain:gmatch "%f[%w]get (/[^%s?|;)]+)" do each("GET", path) end
    for path in plain:gmatch "%f[%w]drop (/[^%s?|;)]+)" do each("DELETE", path) end
    for method, path in plain:gmatch "%f[%w]send (%u+) (/[^%s?|;)]+)" do each(method, path) end
    for method, path in plain:gmatch "%f[%w]ask %-X (%u+) $BASE(/[^%s?|;)]+)" do each(method, path) end
    for status, method, path in plain:gmatch "%f[%w]refused (%d+) (%u+) (/[^%s?|;)]+)" do each(method, path, status) end
  end
end

describe("the manual's examples", function()
  it("run by curl, in their order", function()
    local server <close> = support.serve { files = { conf = 'return { options = { history = "full" } }' },
      arguments = "--config %f/conf" }
    local script = blocks_of "docs/rest-by-curl.md"
    local commands = select(2, ("\n" .. script):gsub("\n[^\n]-[^\n]*%f[%w]get [/'\"]", "%0")) + select(2, script:gsub("send %u", ""))
    assert.is_true(commands > 75, commands .. " requests")
    walk(server, script)
  end)

  it("have a line for every operation that is built, and each of these lines runs", function()
    local operations, shown, unknown, missing = built(), {}, {}, {}
    local script = blocks_of "docs/rest-each.md"
    requests(script, function(method, path, status)
      local op = operation_of(operations, method, path)
      if not op then unknown[#unknown + 1] = method .. " " .. path
      elseif status == errors[op.handler] then shown[op] = true end
    end)
    for _, op in ipairs(operations) do
      if not shown[op] then missing[#missing + 1] = op.method .. " " .. op.path end
    end
    assert.same({}, missing)
    assert.same({}, unknown)

    local pipe <close> = assert(io.popen(("printf secret | %s/orrery serve --hash"):format(os.getenv "ORRERY_BUILD")))
    local server <close> = support.serve { files = { conf = 'return { options = { history = "full" } }',
      users = "user ann operate,deploy " .. pipe:read "l" .. " clerks\n" }, arguments = "--config %f/conf --auth %f/users --no-executor" }
    walk(server, script)
  end)
end)
