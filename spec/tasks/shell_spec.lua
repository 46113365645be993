-- The shell task: real programs, with what they write, how they end and what they may not do.
-- Marks: threads
local orrery = require "orrery"
local folder = require "spec.support.folder"
local model = require "spec.tasks.model"

--- Whether a killed process goes, for which the kernel takes a moment.
local function ends(pid)
  local began = os.time()
  while os.time() - began < 120 do
    local state = io.open(("/proc/%d/stat"):format(pid))
    local gone = not state or state:read("a"):find "%) Z " ~= nil
    if state then state:close() end
    if gone then return true end
  end
  return false
end

describe("the shell task", function()
  local engine, place

  local function open(shell, allow)
    if engine then engine:close() end
    shell = shell or {}
    shell.programs = shell.programs or { ["/bin/sh"] = true, ["/bin/echo"] = true, ["/usr/bin/env"] = true }
    engine = orrery.open(nil, { clock = "manual", log = "none", allow = allow or { "shell" }, shell = shell })
  end

  before_each(function() open() end)
  after_each(function()
    engine:close()
    engine = nil
    if place then folder.remove(place) end
    place = nil
  end)

  local function run(fields, options, variables) return model.run(engine, model.task("shell", fields, options), variables) end

  local function sh(script, more, options, variables)
    local fields = { command = "/bin/sh", arg1 = "-c", arg2 = script, outputVariable = "out", errorCodeVariable = "code" }
    for name, value in pairs(more or {}) do fields[name] = value end
    return run(fields, options, variables)
  end

  local function cause(...)
    local _, problem = sh(...)
    return problem and problem.cause
  end

  it("runs a program with its arguments, which no shell reads", function()
    local instance = run({ command = "echo", arg1 = "${text}", arg2 = "$HOME; rm *", arg3 = "a  b", arg4 = "4", arg5 = "5",
      outputVariable = "out" }, nil, { text = "`id`" })
    assert.same("`id` $HOME; rm * a  b 4 5\n", instance:get "out")
  end)

  it("keeps exit code and output; a code other than 0 is no error", function()
    local instance = sh "echo one; echo two >&2; exit 3"
    assert.same({ "one\n", "3" }, { instance:get "out", instance:get "code" })
    assert.same({ "after" }, instance:active())
    assert.same("137", sh("kill -9 $$"):get "code")
  end)

  it("takes errors into the output, in their order, when asked", function()
    assert.same("one\ntwo\nthree\n", sh("echo one; echo two >&2; echo three", { redirectError = "true" }):get "out")
  end)

  it("makes an exit code an error only when asked", function()
    for _, how in ipairs { { attributes = 'o:failOnExitCode="true"' }, {} } do
      local more = how.attributes and {} or { failOnExitCode = "true" }
      local problem = cause("exit 2", more, how)
      assert.same("shell.exit", problem.type)
      assert.truthy(problem.message:find("ended with 2", 1, true))
    end
    assert.same({ "after" }, sh("exit 0", { failOnExitCode = "true" }):active())
  end)

  it("reads while the program runs: more than a pipe holds, on both streams", function()
    local instance = sh "head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero >&2"
    assert.same(300000, #instance:get "out")
  end)

  it("ends a program that writes too much, or runs too long, with all its children", function()
    open { output_max = 1000 }
    assert.same("shell.limit", cause("while :; do echo xxxxxxxxxxxxxxxxxx; done").type)
    open { timeout = 0.2 }
    place = folder.make()
    local stubborn = "trap '' TERM; echo $$ > %s/%s; while :; do sleep 30; done"
    local problem = cause(("sh -c \"%s\" & %s"):format(stubborn:format(place, "child"), stubborn:format(place, "parent")))
    assert.same("shell.timeout", problem.type)
    for _, name in ipairs { "child", "parent" } do
      local file <close> = assert(io.open(place .. "/" .. name))
      assert.is_true(ends(file:read "n"), name)
    end
  end)

  it("gives the environment, none, and another folder", function()
    assert.truthy(run({ command = "/usr/bin/env", outputVariable = "out" }):get("out"):find("PATH=", 1, true))
    assert.same("", run({ command = "/usr/bin/env", cleanEnv = "true", outputVariable = "out" }):get "out")
    assert.same("/\n", sh("pwd", { directory = "/" }):get "out")
    assert.same("/dev/null\n", sh("readlink /proc/self/fd/0"):get "out")
  end)

  it("does not wait when it need not", function()
    place = folder.make()
    local instance = sh(("echo started > %s/x; sleep 1"):format(place), { wait = "false" })
    assert.same({ "after" }, instance:active())
    assert.is_nil(instance:get "out")
    local f = orrery.await(orrery.spawn { arguments = { "/bin/sh", "-c", ("while [ ! -s %s/x ]; do :; done"):format(place) } })
    assert.same(0, f.code)
  end)

  it("is off unless it is allowed and the program is listed", function()
    open({}, {})
    assert.same("shell.denied", cause("true").type)
    open { programs = { ["/bin/echo"] = true } }
    local problem = cause "true"
    assert.same("shell.denied", problem.type)
    assert.truthy(problem.message:find("/bin/sh", 1, true))
    local _, refused = run { command = "./echo" }
    assert.same("shell.denied", refused.cause.type)
    open { programs = { ["/bin/nothing-there"] = true } }
    _, refused = run { command = "nothing-there" }
    assert.same("shell.spawn", refused.cause.type)
    open { programs = { ["/bin/echo"] = true, ["/usr/bin/echo"] = true } }
    _, refused = run { command = "echo" }
    assert.truthy(refused.cause.message:find("give its path", 1, true))
  end)

  it("fails when its command comes to nothing", function()
    local _, problem = run({ command = "${nothing}" }, nil, { nothing = "" })
    assert.same("shell.request", problem.cause.type)
  end)

  it("is refused at deployment without a command, and with a boolean that is none", function()
    assert.truthy(model.problems(engine, model.task("shell", {})):find('needs the field "command"', 1, true))
    for _, name in ipairs { "wait", "redirectError", "cleanEnv" } do
      local problems = model.problems(engine, model.task("shell", { command = "x", [name] = "maybe" }))
      assert.truthy(problems:find(('"%s" must be true or false'):format(name), 1, true))
    end
  end)

  it("holds no thread of the executor", function()
    engine:close()
    place = folder.make()
    engine = orrery.open(nil, { log = "none", allow = { "shell" }, shell = { programs = { ["/bin/sh"] = true } } })
    local all_are_here = ("echo >> %s/here; until [ $(wc -l < %s/here) = 20 ]; do sleep 0.1; done"):format(place, place)
    engine:deploy { ["p.bpmn"] = model.task("shell", { command = "/bin/sh", arg1 = "-c", arg2 = all_are_here },
      { attributes = 'v:async="true"' }) }
    for _ = 1, 20 do engine:start "p" end
    engine:start_executor { threads = 1 }
    assert.is_true(engine:wait_idle(60))
    assert.same(20, #engine:tasks { key = "after" })
    engine:stop_executor()
  end)

  it("leaves no process behind when the engine closes", function()
    place = folder.make()
    engine:register("forget", function()
      orrery.spawn { arguments = { "/bin/sh", "-c", ("echo $$ > %s/pid; exec sleep 60"):format(place) } }
      orrery.await(orrery.spawn { arguments = { "/bin/sh", "-c", ("while [ ! -s %s/pid ]; do :; done"):format(place) } })
    end)
    model.run(engine, model.task(nil, {}, { attributes = 'v:class="forget"' }))
    local pid = assert(io.open(place .. "/pid")):read "n"
    engine:close()
    assert.is_true(ends(pid))
    open()
  end)

  for verb, take in pairs { deleted = function(instance) instance:delete() end, suspended = function(instance) instance:suspend() end } do
    it("ends when its instance is " .. verb .. " beside it, and frees its place", function()
      engine:close()
      place = folder.make()
      engine = orrery.open(nil, { log = "none", allow = { "shell" }, shell = { programs = { ["/bin/sh"] = true }, timeout = 120 } })
      engine:deploy { ["p.bpmn"] = model.task("shell", { command = "sh", arg1 = "-c",
        arg2 = ("echo $$ > %s/pid; exec sleep 100"):format(place) }, { attributes = 'v:async="true"' }) }
      local instance = engine:start "p"
      engine:start_executor { threads = 1 }
      local pid
      local began = os.time()
      while not pid and os.time() - began < 120 do
        local file <close> = io.open(place .. "/pid")
        pid = file and file:read "n"
      end
      take(instance)
      assert.is_true(engine:wait_idle(120))
      assert.is_true(ends(pid))
      engine:stop_executor()
    end)
  end

  it("is allowed by a list of names, and by nothing else", function()
    for _, allow in ipairs { { shell = true }, { 1 }, { "shell", extra = "x" }, "shell" } do
      local ok, problem = pcall(orrery.open, nil, { allow = allow })
      assert.same({ false, "argument" }, { ok, problem.kind })
      assert.matches("allow", problem.message)
    end
  end)

  describe("ends when its instance is deleted beside the caller that waits for it:", function()
    local ways = {
      ["run_jobs"] = function() return engine:run_jobs() end,
      ["a job that is executed"] = function() return engine:job({ activity = "t" }):execute() end,
      ["a command"] = function() return engine:task({}):complete() end,
    }
    -- A task, or nothing, leads to the program; another instance's job deletes, on the executor's thread.
    local function deploy(first)
      local shell = model.task("shell", { command = "sh", arg1 = "-c", arg2 = ("echo $$ > %s/pid; exec sleep 100"):format(place) },
        { attributes = first and "" or 'v:async="true"',
          after = first and '<userTask id="first"/><sequenceFlow id="ff" sourceRef="first" targetRef="t"/>' })
      if first then shell = shell:gsub('sourceRef="start" targetRef="t"', 'sourceRef="start" targetRef="first"') end
      engine:deploy { ["p.bpmn"] = shell, ["q.bpmn"] = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:v="urn:orrery:bpmn" targetNamespace="spec"><process id="q" isExecutable="true"><startEvent id="s"/>
        <sequenceFlow id="f" sourceRef="s" targetRef="d"/><serviceTask id="d" v:class="spec.tasks.delegates.delete_when_begun"
        v:asyncBefore="true" v:jobPriority="50"/></process></definitions>]] }
    end

    for way, go in pairs(ways) do
      it(way, function()
        engine:close()
        place = folder.make()
        engine = orrery.open(nil, { log = "none", allow = { "shell" }, shell = { programs = { ["/bin/sh"] = true }, timeout = 120 },
          acquisition = { priority_max = 10 } })
        deploy(way == "a command")
        local victim = engine:start "p"
        engine:start("q", { variables = { victim = victim.id, begun = place .. "/pid" } })
        engine:start_executor { threads = 1, priority_min = 20, priority_max = 100 }
        local ok, problem = pcall(go)
        if way == "run_jobs" then assert.is_true(ok) else assert.same({ false, "conflict" }, { ok, problem.kind }) end
        local file <close> = assert(io.open(place .. "/pid"))
        assert.is_true(ends(file:read "n"))
        assert.is_true(engine:wait_idle(120))
        engine:stop_executor()
        assert.same({}, engine:instances { key = "p" })
        assert.same({}, engine:verify())
      end)
    end
  end)
end)
