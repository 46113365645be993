--- Runs a service of an image as the first process of namespaces of its own, as a container has
--- them: processes, mounts and one network that the services share.
local image = require "spec.release.container.image"
local shell = require "spec.release.container.shell"

local Service = {}
Service.__index = Service

local service = { NETWORK = "orrery-release" }

function service.in_network(command) return ("ip netns exec %s %s"):format(service.NETWORK,
  command) end

function service.open_network()
  shell.try("ip netns del " .. service.NETWORK)
  shell.run(("ip netns add %s && %s"):format(service.NETWORK,
    service.in_network "ip link set lo up"))
end

function service.close_network() shell.try("ip netns del " .. service.NETWORK) end

--- `command` takes the place of the image's CMD.
function service.start(stage, name, command)
  local words = table.move(stage.entrypoint, 1, #stage.entrypoint, 1, {})
  table.move(command or stage.cmd, 1, #(command or stage.cmd), #words + 1, words)
  local self = setmetatable({ stage = stage, name = name, base = stage.root .. "-" .. name },
    Service)
  shell.run(("rm -f %s.*"):format(shell.quote(self.base)))
  local proc = shell.quote(stage.root .. "/proc")
  local apart = "unshare --pid --fork --kill-child --mount-proc=" .. proc
  local run = service.in_network(apart .. " " .. image.inside(stage, words))
  local script = ("%s & echo $! >%s.pid; wait $!; echo $? >%s.status"):format(run,
    shell.quote(self.base), shell.quote(self.base))
  assert(os.execute(("setsid bash -c %s >%s.log 2>&1 &"):format(shell.quote(script),
    shell.quote(self.base))))
  return self
end

function Service:log() return shell.run(("cat %s.log"):format(shell.quote(self.base))) end

function Service:ended()
  local file <close> = io.open(self.base .. ".status") or nil
  return file and file:read "n"
end

--- Waits until it has ended with 0.
function Service:finish()
  shell.wait(self.name .. " ends", ("test -s %s.status"):format(shell.quote(self.base)))
  local status = self:ended()
  if status ~= 0 then error(("%s ends with %d: %s"):format(self.name, status, self:log()), 0) end
end

function Service:stop()
  shell.run(("kill -%s $(pgrep -P $(cat %s.pid))"):format(self.stage.signal,
    shell.quote(self.base)))
  self:finish()
end

--- Ends it however it is, for when something else failed.
function Service:kill()
  if self:ended() then return end
  shell.try(("kill -KILL $(cat %s.pid)"):format(shell.quote(self.base)))
end

--- Runs the image's HEALTHCHECK until it says yes; what the service said is told where it ends
--- instead.
function Service:healthy()
  local check = service.in_network(image.inside(self.stage, self.stage.health))
  shell.wait(self.name .. " is healthy",
    ("if [ -s %s.status ]; then cat %s.log; exit 1; fi; %s"):format(shell.quote(self.base),
    shell.quote(self.base), check))
end

return service
