-- Plays packaging/container without a container daemon: spec/release/container.sh calls it.
package.path = "./?.lua;" .. package.path
local compose = require "spec.release.container.compose"
local image = require "spec.release.container.image"
local service = require "spec.release.container.service"
local shell = require "spec.release.container.shell"

local MODEL = "examples/hello/hello.bpmn"
local database = shell.run("mktemp -d"):sub(1, -2)
local stage, running

--- The file of users, with the hash that the image itself makes.
local function write_users(path)
  local hash = shell.run("printf secret | " .. image.inside(stage, { "orrery", "serve",
    "--hash" })):match "%S+"
  local file <close> = assert(io.open(path, "w"))
  assert(file:write("user ann operate,deploy " .. hash .. "\n"))
end

--- A request from beside the container, as ann.
local function ask(words)
  local url = "http://127.0.0.1:8080/engine-rest/"
  return shell.run(service.in_network("curl -sS --fail-with-body -u ann:secret "
    .. words:gsub("API/", url)))
end

local function use(it)
  local status = "curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/engine-rest/task"
  assert(shell.run(service.in_network(status)) == "401",
    it.name .. " lets in who has no password")
  ask("-F deployment-name=hello -F data=@" .. MODEL .. " API/deployment/create")
  print("ok: " .. it.name .. " takes a deployment of ann's, and of nobody's without a password")
  assert(shell.run(service.in_network "curl -sS http://127.0.0.1:8080/"):find("<script", 1, true),
    it.name .. " shows no page")
  print("ok: " .. it.name .. " shows the page")
end

local function play()
  image.debs = os.getenv "DEBS"
  image.cache = not image.debs and os.getenv "CCACHE_DIR" or nil
  stage = image.build "packaging/container/Dockerfile"
  assert(stage.user ~= "0" and stage.user ~= "root" and stage.user, "the image runs as root")
  service.open_network()
  local users = stage.root .. "-users"
  write_users(users)
  shell.run(("cp %s %s"):format(shell.quote(users), shell.quote(stage.root .. "/etc/orrery/users")))
  running = service.start(stage, "alone")
  running:healthy()
  use(running)
  running:stop()
  print "ok: it ends with 0 at SIGTERM, as the first process of its container"
  assert(shell.run("ls " .. shell.quote(stage.root .. stage.volumes[1] .. "/store")):find "data",
    "the volume has no store")
  print "ok: the store lies in the volume"
  compose.play(stage, users, database, use)
  print "ok: compose.yaml, with PostgreSQL"
end

local ok, problem = xpcall(play, debug.traceback)
if running then running:kill() end
compose.stop_database(database)
service.close_network()
os.execute(". spec/release/lib.sh; for n in 1 2; do drop_root build/roots/image-$n; done")
os.execute("rm -rf " .. shell.quote(database))
if not ok then
  io.stderr:write(problem, "\n")
  os.exit(1)
end
