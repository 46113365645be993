--- Makes an image without a container daemon: each stage is a root of its own below build/roots, in
--- which RUN runs by chroot.
local read = require "spec.release.container.dockerfile"
local shell = require "spec.release.container.shell"

local SUITES = { ["debian:12-slim"] = "bookworm", ["debian:13-slim"] = "trixie" }
local image = {}

--- The environment of what runs in a stage, as words of env.
local function environment(stage)
  local words = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root", "DEBIAN_FRONTEND=noninteractive" }
  for name, value in pairs(stage.env) do words[#words + 1] = name .. "=" .. value end
  return shell.words(words)
end

--- The words that run a command in a stage, as its user and in its folder.
function image.inside(stage, words)
  local user = stage.user and "--userspec=" .. stage.user or ""
  local cd = ("cd %s && exec \"$@\""):format(shell.quote(stage.folder))
  return ("env -i %s chroot %s %s sh -c %s sh %s"):format(environment(stage), user,
    shell.quote(stage.root), shell.quote(cd),
    shell.words(words))
end

--- What `.dockerignore` lets the daemon see of the project's folder.
local function is_sent(dockerfile, source)
  local sent = true
  for line in io.lines(dockerfile .. ".dockerignore") do
    local keep, pattern = line:match "^(!?)(.+)$"
    local lua = "^" .. pattern:gsub("[%.%-%+]", "%%%0"):gsub("%*", ".*") .. "$"
    if source:find(lua) then sent = keep == "!" end
  end
  return sent
end

local play = {}

function play.RUN(stage, step)
  local mounts = shell.quote(stage.root .. "/ccache")
  if stage.cache then shell.run(("mkdir -p %s && mount --bind %s %s"):format(mounts,
    shell.quote(stage.cache), mounts)) end
  local ok, out = shell.try(image.inside(stage, { "sh", "-c", step.text }))
  if stage.cache then shell.run("umount " .. mounts) end
  if not ok then error(("line %d: RUN %s\n%s"):format(step.line, step.text, out:sub(-4000)), 0) end
end

local function copy(stage, step, others, unpack)
  local target = table.remove(step.words)
  for _, source in ipairs(step.words) do
    local from = step.options.from and others[step.options.from].root .. source or source
    if not step.options.from then assert(is_sent(others.dockerfile, source), source
      .. " is left out by .dockerignore") end
    local into = shell.quote(stage.root .. target)
    local place = target:find "/$" and into or ("\"$(dirname %s)\""):format(into)
    local how = unpack and "for f in %s; do tar -xf \"$f\" -C %s; done" or "cp -r %s %s"
    local files = from:gsub("[^%w/%._*%-]", "\\%0") -- a glob
    shell.run(("set -e; shopt -s failglob; mkdir -p %s; "):format(place) .. how:format(files, into))
  end
end

function play.COPY(stage, step, others) copy(stage, step, others, false) end
function play.ADD(stage, step, others) copy(stage, step, others, true) end
function play.USER(stage, step) stage.user = step.words[1] end
function play.STOPSIGNAL(stage, step) stage.signal = step.words[1] end
function play.ENTRYPOINT(stage, step) stage.entrypoint = step.words end
function play.CMD(stage, step) stage.cmd = step.words end
function play.VOLUME(stage, step) stage.volumes = step.words end
function play.EXPOSE(stage, step) stage.port = tonumber(step.words[1]) end

function play.WORKDIR(stage, step)
  stage.folder = step.words[1]
  shell.run("mkdir -p " .. shell.quote(stage.root .. stage.folder))
end

function play.HEALTHCHECK(stage, step) stage.health = assert(step.text:find "CMD %["
  and step.words, "HEALTHCHECK has no array") end

function play.ENV(stage, step)
  for name, value in step.text:gmatch "(%w+)=(%S+)" do stage.env[name] = value end
end
play.ARG = play.ENV

local function project() return shell.run("pwd"):sub(1, -2) end

local function begin(step, number)
  local base, _, name = table.unpack(step.words)
  local suite = assert(SUITES[base], "no root is made like " .. base)
  local root = project() .. "/build/roots/image-" .. number
  local stage = { root = root, env = {}, folder = "/", name = name or tostring(number - 1) }
  if name == "build" and image.debs then
    shell.run(("rm -rf %s && mkdir -p %s/build"):format(shell.quote(root), shell.quote(root)))
    shell.run(("cp %s/*.deb %s/build/"):format(shell.quote(image.debs), shell.quote(root)))
    stage.made = true
  else
    shell.run((". spec/release/lib.sh && SUITE=%s fresh_root %s"):format(suite, shell.quote(root)))
  end
  return stage
end

--- Lets the compiler of a stage use a ccache, so that it costs less than on a new machine.
local function use_cache(stage, cache)
  local get = "apt-get update && apt-get install -y --no-install-recommends ccache"
  shell.run(image.inside(stage, { "sh", "-c", get }))
  stage.cache, stage.env.CCACHE_DIR, stage.env.CCACHE_NOHASHDIR = cache, "/ccache", "1"
end

--- Builds it. With `image.debs`, a folder of packages, the stage that makes them is not played:
--- they are what it makes. `image.cache` is the folder of a ccache for it, if it is.
function image.build(path)
  local stages, stage, count = { dockerfile = path }, nil, 0
  for _, step in ipairs(read(path)) do
    local said = ("%s %s"):format(step.word, step.text:sub(1, 80))
    if step.word == "FROM" then
      count = count + 1
      stage = begin(step, count)
      stages[stage.name] = stage
      if stage.name == "build" and image.cache then use_cache(stage, image.cache) end
      print("ok: " .. said)
    elseif stage.made then
      print(("not played, since %s has the packages: %s"):format(image.debs, said))
    else
      play[step.word](stage, step, stages)
      print("ok: " .. said)
    end
    io.flush()
  end
  return stage
end

return image
