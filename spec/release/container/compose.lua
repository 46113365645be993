--- Plays a compose file: its database by the PostgreSQL of this machine, the others by the image,
--- in the order in which they depend on each other, each with its command, environment and mounts.
local json = require "dkjson"
local service = require "spec.release.container.service"
local shell = require "spec.release.container.shell"

local compose = {}
local FOLDER = "packaging/container"

local function read(path)
  local program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
  local out = shell.run(("python3 -c '%s' <%s"):format(program, path))
  return assert(json.decode(out))
end

--- ${NAME:?why} of .env
local function filled(value, env)
  return (tostring(value):gsub("%${(%w+_%w+):%?[^}]*}", function(name) return assert(env[name],
    name .. " is not in .env") end))
end

local function environment(spec, env)
  local out = {}
  for name, value in pairs(spec.environment or {}) do out[name] = filled(value, env) end
  return out
end

--- The names in the order in which they start.
local function order(services)
  local out, seen = {}, {}
  local function visit(name)
    if seen[name] then return end
    seen[name] = true
    for other in pairs(services[name].depends_on or {}) do visit(other) end
    out[#out + 1] = name
  end
  for name in pairs(services) do visit(name) end
  return out
end

--- Starts PostgreSQL as its image does: an owner, a database, then the script of
--- /docker-entrypoint-initdb.d.
local function start_database(spec, env, folder)
  local words = {}
  for name, value in pairs(environment(spec, env)) do words[#words + 1] = name .. "=" .. value end
  local script
  for _, volume in ipairs(spec.volumes) do
    script = volume:match "^%./(%S+):/docker%-entrypoint%-initdb%.d/" or script
  end
  assert(script, "no script makes the role of engines")
  local start = { "spec/release/container/database.sh", "start", folder, FOLDER .. "/" .. script }
  shell.run(service.in_network("env " .. shell.words(words) .. " " .. shell.words(start)))
  shell.wait("db is healthy", service.in_network(shell.words(table.move(spec.healthcheck.test, 2,
    #spec.healthcheck.test, 1, {}))))
end

--- Puts what a service mounts into the image's root; `users` stands for the file that the operator
--- brings.
local function mount(stage, spec, users)
  for _, volume in ipairs(spec.volumes or {}) do
    local source, target = volume:match "^%./([^:]+):([^:]+)"
    if source then
      shell.run(("cp %s %s"):format(source == "users" and shell.quote(users) or FOLDER .. "/"
        .. source, shell.quote(stage.root .. target)))
    end
  end
end

local function with_environment(stage, spec, env)
  local copy = setmetatable({ env = setmetatable(environment(spec, env), nil) },
    { __index = stage })
  for name, value in pairs(stage.env) do copy.env[name] = copy.env[name] or value end
  return copy
end

--- Plays all of it; `try(running)` is called when the last service is healthy, which then is
--- stopped.
function compose.play(stage, users, folder, try)
  local spec = read(FOLDER .. "/compose.yaml")
  local env = { OWNER_PASSWORD = "of the owner", ENGINE_PASSWORD = "of the engine's" }
  shell.run(("echo '127.0.0.1 db localhost' >%s"):format(shell.quote(stage.root .. "/etc/hosts")))
  for _, name in ipairs(order(spec.services)) do
    local one = spec.services[name]
    if name == "db" then
      start_database(one, env, folder)
    else
      assert(one.image == "orrery", name .. " has another image")
      mount(stage, one, users)
      local running <close> = setmetatable({ it = service.start(with_environment(stage, one, env),
        name, one.command) },
        { __close = function(r) r.it:kill() end })
      if one.restart then
        running.it:healthy()
        try(running.it)
        running.it:stop()
      else
        running.it:finish()
      end
    end
  end
end

function compose.stop_database(folder) shell.try("spec/release/container/database.sh stop "
  .. shell.quote(folder)) end

return compose
