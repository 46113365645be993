-- Hosts in C and in Python, each built and run against one installed tree: with Lua from
-- liborrery-lua, and without.
-- Marks: load
package.path = "bindings/generate/?.lua;" .. package.path
local command = require "spec.cli.command"
local json = require "dkjson"

local folder, root, libraries

local function installed()
  folder = command.folder()
  root = folder.path .. "/installed"
  local code, _, err = command.execute { "cmake", "--install", command.build, "--prefix", root }
  assert.same({ 0, "" }, { code, err })
  local pipe <close> = assert(io.popen(("find '%s' -name orrery-lua.pc"):format(root)))
  libraries = assert(pipe:read "l"):match "^(.*)/pkgconfig/"
end

-- Runs a shell's line where the installed tree is found, and nothing of the build.
local function shell(line)
  return command.execute { "env", "-u", "LUA_PATH", "-u", "LUA_CPATH",
    "PKG_CONFIG_PATH=" .. libraries .. "/pkgconfig", "CMAKE_PREFIX_PATH=" .. root,
    "LD_LIBRARY_PATH=" .. libraries, ("PATH=%s/bin:%s"):format(root, os.getenv "PATH"),
    "bash", "-c", line }
end

local function build(source, name, package)
  local program = folder.path .. "/" .. name
  local code, out, err = shell(("cc -std=c11 -Wall -Wextra -Werror -o %s %s $(pkg-config --cflags --libs %s)"):format(program, source,
    package))
  assert.same({ 0, "", "" }, { code, out, err })
  return program
end

local model = [[<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  targetNamespace="spec"><process id="all" isExecutable="true" camunda:historyTimeToLive="P1D">
  <startEvent id="s"/><sequenceFlow id="a" sourceRef="s" targetRef="g"/>
  <exclusiveGateway id="g" default="no"/><sequenceFlow id="no" sourceRef="g" targetRef="small"/><userTask id="small"/>
  <sequenceFlow id="b" sourceRef="g" targetRef="double"><conditionExpression>${n > 5}</conditionExpression></sequenceFlow>
  <scriptTask id="double" scriptFormat="lua" camunda:resultVariable="doubled"
    camunda:asyncBefore="true"><script>return n * 2</script></scriptTask>
  <sequenceFlow id="c" sourceRef="double" targetRef="decide"/>
  <businessRuleTask id="decide" camunda:decisionRef="size" camunda:resultVariable="size"
    camunda:mapDecisionResult="singleEntry"/>
  <sequenceFlow id="d" sourceRef="decide" targetRef="charge"/>
  <serviceTask id="charge" camunda:class="charge" camunda:asyncBefore="true"/><sequenceFlow id="e" sourceRef="charge" targetRef="beside"/>
  <serviceTask id="beside" camunda:class="beside" camunda:asyncBefore="true"/><sequenceFlow id="f" sourceRef="beside" targetRef="within"/>
  <serviceTask id="within" camunda:delegateExpression="${within}"/><sequenceFlow id="h" sourceRef="within" targetRef="end"/>
  <endEvent id="end"/></process></definitions>]]

local decision = [[<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="sizes" name="sizes" namespace="spec">
  <decision id="size" name="size"><decisionTable id="t">
    <input id="i"><inputExpression id="e" typeRef="number"><text>n</text></inputExpression></input>
    <output id="o" name="size" typeRef="string"/>
    <rule id="r"><inputEntry id="ie"><text>&gt; 5</text></inputEntry><outputEntry id="oe"><text>"large"</text></outputEntry></rule>
  </decisionTable></decision></definitions>]]

local function project()
  local dir = command.folder()
  assert(os.execute(("mkdir '%s/models' '%s/modules'"):format(dir.path, dir.path)))
  dir.file("models/all.bpmn", model)
  dir.file("models/size.dmn", decision)
  dir.file("models/within.lua",
    'return function(execution) execution:set("within", "deployed") end')
  dir.file("modules/beside.lua",
    'return { execute = function(_, execution) execution:set("beside", execution:get "charged" + 1) end }')
  return dir
end

local function run(program, dir, settings)
  return shell(("%s '%s/models' '%s/modules/?.lua' '%s'"):format(program, dir.path, dir.path,
    settings or "{}"))
end

describe("a host in C of an installed tree", function()
  -- a plain program cannot be linked with what has a sanitizer in it
  if not command.build:find "/release$" then return end
  setup(installed)
  teardown(function() getmetatable(folder).__close(folder) end)

  it("runs conditions, scripts, decisions and delegates in Lua beside its own", function()
    local dir <close> = project()
    local code, out, err = run(build("spec/examples/lua_host.c", "lua_host", "orrery-lua"), dir)
    assert.same({ 0, "" }, { code, err }, out)
    local left = {}
    for _, variable in ipairs(json.decode(out:match "history_variables\t([^\n]+)")) do left[variable.name] = variable.value end
    assert.same({ n = 7, doubled = 14, size = "large", charged = 15, beside = 16,
      within = "deployed" }, left)
    assert.equal("[]", out:match "incidents\t([^\n]+)")
  end)

  it("is told of a wrong setting when the engine opens", function()
    local dir <close> = project()
    local program = folder.path .. "/lua_host"
    if not os.execute("test -x " .. program) then
      build("spec/examples/lua_host.c", "lua_host", "orrery-lua")
    end
    local code, out = run(program, dir, '{"http": {"verfy": true}}')
    assert.equal(1, code)
    assert.matches("failed: orr_lua_use: .*http: unknown option 'verfy'", out)
    code, out = run(program, dir, '{"clock": "manual"}')
    assert.equal(1, code)
    assert.matches("failed: orr_lua_use: .*unknown option \"clock\"", out)
  end)

  it("without Lua is refused such models, by the name of what would help", function()
    local dir <close> = project()
    local program = build("spec/examples/host.c", "host", "orrery")
    local code, _, err = shell(("%s '%s/models'"):format(program, dir.path))
    assert.equal(1, code)
    assert.matches('all%.bpmn:5: the expression "%${n > 5}" needs Lua, which a host in C has by orr_lua_use of orrery/lua%.h', err)
    assert.matches("%(and %d+ more%)", err)
  end)

  it("that is linked with both libraries is told so", function()
    local source = folder.file("both.c", [[
      #include <orrery/lua.h>
      #include <stdio.h>
      int main(void) {
        orr_error err = {0};
        orr_config config;
        orr_engine *engine;
        orr_config_init(&config);
        orr_lua_use(&config, NULL);
        orr_engine_open(&config, &engine, &err);
        puts(err.message);
      }]])
    local code, out = shell(build(source, "both", "orrery orrery-lua"))
    assert.equal(0, code)
    assert.matches("linked with liborrery and with liborrery%-lua", out)
  end)

  it("is found by CMake", function()
    folder.file("CMakeLists.txt",
      ('cmake_minimum_required(VERSION 3.16)\nproject(x LANGUAGES C)\nfind_package(orrery REQUIRED)\n'
      .. 'add_executable(cmade "%s/examples/embed/main.c")\ntarget_link_libraries(cmade PRIVATE orrery::lua)\n'):format(
      assert(io.popen "pwd"):read "l"))
    local code, out, err = shell(("cmake -S %s -B %s/cmade >/dev/null && cmake --build %s/cmade >/dev/null && "
      .. "%s/cmade/cmade examples/embed/purchase.bpmn '{\"cents\": 1}'"):format(folder.path,
        folder.path, folder.path, folder.path))
    assert.same({ 0, "in the till: 1 cents; to be approved: 0\n", "" }, { code, out, err })
  end)

  it("is examples/embed, whose condition asks for approval and whose delegate declines", function()
    local program = build("examples/embed/main.c", "embed", "orrery-lua")
    local said = { [4200] = "in the till: 4200 cents; to be approved: 0\n",
      [200000] = "in the till: 0 cents; to be approved: 1\n",
      [-5] = "in the till: 0 cents; to be approved: 0\n" }
    for cents, expected in pairs(said) do
      local code, out, err = shell(("%s examples/embed/purchase.bpmn '{\"cents\": %d}'"):format(program, cents))
      assert.same({ 0, expected, "" }, { code, out, err })
    end
    local code, _, err = shell(program .. " examples/embed/purchase.bpmn '{\"cents\": }'")
    assert.same({ 1, "embed MODEL VARIABLES: not JSON: a value expected at byte 11\n" },
      { code, err })
  end)

  it("finds a library below a prefix of its own by the line of docs/api.md", function()
    local page = assert(io.open "docs/api.md"):read "a"
    local line = page:match "\ncc %-o embed main%.c ([^\n]*rpath[^\n]*)"
    local code, out, err = shell(("cc -o %s/rpath examples/embed/main.c %s && "
      .. "env -u LD_LIBRARY_PATH %s/rpath examples/embed/purchase.bpmn '{\"cents\": 1}'"):format(
      folder.path, line, folder.path))
    assert.same({ 0, "in the till: 1 cents; to be approved: 0\n", "" }, { code, out, err })
  end)

  it("is examples/game-c, which saves, loads, takes new rules and times its frames", function()
    local code, out, err = shell(("cp -r examples/game-c %s && make -s -C %s/game-c run test PACE=fast"):format(
      folder.path, folder.path))
    assert.same({ 0, "" }, { code, err }, out)
    local expected = { "saved with 90 quests running", "50 dragons beaten, 500 gold",
      "%d+ frames: half took under %d+%.%d%d ms, 99 of 100 under %d+%.%d%d ms, the longest %d+%.%d%d ms",
      "loaded with 90 quests running", "20 dragons beaten, 600 gold", "%d+ frames: .*",
        "ok a_dragon.*" }
    assert.matches(table.concat(expected, "\n"), out)
  end)

  it("is examples/python, with a delegate in Python", function()
    local line = "wc -l < examples/python/orders.py && python3 examples/python/orders.py "
    local code, out, err = shell(line .. 120)
    assert.same({ 0, "" }, { code, err })
    assert.truthy(tonumber(out:match "^%d+") <= 80)
    assert.equal("a large order: 120 euros\na task: Pack it\n", out:match "\n(.*)$")
    assert.equal(out, select(2, shell(line)))
    assert.equal("a task: Pack it\n", select(2, shell(line .. 20)):match "\n(.*)$")
  end)

  it("finds in each library the functions of its headers, and nothing else", function()
    local declared, others = { ["liborrery.so"] = {},
      ["liborrery-lua.so"] = { orr_lua_use = true } }, {}
    for _, fn in ipairs(require "reader".read(require "header".parts ".").functions) do
      for _, names in pairs(declared) do names[fn.name] = true end
    end
    for library, names in pairs(declared) do
      local _, out = shell(("nm -D --defined-only %s/%s"):format(libraries, library))
      for name in out:gmatch "%x+ %u (%S+)" do
        if not names[name] then others[#others + 1] = library .. " exports " .. name end
        names[name] = nil
      end
      for name in pairs(names) do others[#others + 1] = library .. " lacks " .. name end
    end
    assert.same({}, others)
  end)
end)
