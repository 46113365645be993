-- A disk that loses what is written to it: the server says that it does not live, and ends.
-- Marks: load
local folder = require "spec.support.folder"
local support = require "spec.server.support"

-- Stands before the system's: nothing is brought to the disk while the file LOSES is there.
local DISK <const> = [[#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
int fdatasync(int fd) {
  if (access(getenv("LOSES"), F_OK) != 0) return fsync(fd);
  errno = EIO;
  return -1;
}
]]

local hanging = support.model([[<startEvent id="s"/>
  <sequenceFlow id="f1" sourceRef="s" targetRef="hang"/>
  <serviceTask id="hang" camunda:class="hang"/>
  <sequenceFlow id="f2" sourceRef="hang" targetRef="e"/><endEvent id="e"/>]], "hanging")

local DELEGATES <const> = [[return { setup = function(engine)
  engine:register("hang", function(execution)
    io.open(execution:get "path" .. ".begun", "w"):close()
    io.open(execution:get "path"):close() -- a FIFO, which waits for the other end
  end)
end }]]

-- Asks whether the server lives, over one connection, as often as the file FOLDER/ask has lines.
local CLIENT <const> = [==[exec 3<>/dev/tcp/127.0.0.1/PORT
asked=0
while true; do
  until [ "$(wc -l <FOLDER/ask)" -gt $asked ]; do [ -e FOLDER/ask ] || exit; sleep 0.02; done
  printf 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n' >&3
  asked=$((asked + 1)) size=0
  while IFS= read -r -u 3 line; do
    line=${line%$'\r'}
    case ${line,,} in
      '') break ;;
      http/*) status=${line:9:3} ;;
      content-length:*) size=${line##* } ;;
    esac
  done
  read -r -N "$size" -u 3 body
  echo "$status $body" >>FOLDER/live
done
]==]

local has_cc = os.execute "command -v cc >/dev/null 2>&1" == true
local with_cc = has_cc and it or function(what)
  pending(what .. ": skipped, no C compiler is installed")
end

--- A library of it, and the file; both go with the first.
local function disk()
  local at = folder.make()
  local source <close> = assert(io.open(at .. "/disk.c", "w"))
  source:write(DISK)
  source:flush()
  assert(os.execute(("cc -shared -fPIC -o %s/disk.so %s/disk.c"):format(at, at)))
  local made = { environment = ("env LD_PRELOAD=%s/disk.so LOSES=%s/loses"):format(at, at) }
  function made.lose() assert(io.open(at .. "/loses", "w")):close() end
  return setmetatable(made, { __close = function() folder.remove(at) end })
end

describe("A server whose disk loses what is written", function()
  with_cc("says that it does not live, answers what runs, and ends with 1", function()
    local losing <close> = disk()
    local server <close> = support.serve {
      files = { ["hanging.bpmn"] = hanging, ["waiting.bpmn"] = support.waiting,
        ["delegates.lua"] = DELEGATES, ask = "" },
      environment = losing.environment,
      arguments = "--no-executor --lua %f/delegates.lua --deploy %f/hanging.bpmn \z
        --deploy %f/waiting.bpmn",
    }
    local asked = 0
    local function live()
      asked = asked + 1
      server:file("ask", ("once\n"):rep(asked))
      local function lines() return select(2, (server:said "live" or ""):gsub("\n", "")) end
      support.wait(function() return lines() >= asked end, "its life")
      return server:said "live":match "([^\n]*)\n$"
    end
    server:script("client", CLIENT)
    assert.equal('200 {"status":"live"}', live())

    local fifo = server.folder .. "/fifo"
    assert(os.execute("mkfifo " .. fifo))
    server:script("hang", "curl -s -m 600 -o FOLDER/hang.body -w '%{http_code}' \z
      -H 'Content-Type: application/json' \z
      -d '{\"variables\":{\"path\":{\"value\":\"FOLDER/fifo\"}}}' \z
      http://127.0.0.1:PORT/engine-rest/process-definition/key/hanging/start >FOLDER/hang.status")
    server:await "fifo.begun"
    losing.lose()
    local status, answer = server:ask("POST", "/process-definition/key/waiting/start", {})
    assert.same({ 500, "ProcessEngineException" }, { status, answer.type })
    assert.equal('503 {"status":"failed"}', live())
    local writer = assert(io.open(fifo, "w")) -- lets go of the one that runs
    server:await "hang.over"
    assert.equal("500", server:said "hang.status")
    writer:close()
    assert.equal("1", server:await "exit":match "%d+")
    local why = 'the store of engine "default" failed and has to be opened again'
    assert.truthy(server:log():find(why, 1, true), server:log())
  end)
end)
