-- What is installed works from where it lies, with nothing set.
-- Marks: load
local command = require "spec.cli.command"

local function found(root, name)
  local pipe = assert(io.popen(("find '%s' -name '%s'"):format(root, name)))
  local path = pipe:read "l"
  pipe:close()
  return path
end

-- Runs a program without what the specs set for the build.
local function plain(words) return command.execute { "env", "-u", "LUA_PATH", "-u", "LUA_CPATH", table.unpack(words) } end

-- The tests' build, installed into a folder and moved from there.
local function installed(dir)
  local code, _, err = command.execute { "cmake", "--install", command.build, "--prefix", dir.path .. "/usr" }
  assert.same({ 0, "" }, { code, err })
  assert.is_truthy(os.execute(("mv '%s/usr' '%s/moved'"):format(dir.path, dir.path)))
  return dir.path .. "/moved"
end

local function is_plain_build() return command.build:find "/release$" ~= nil end

describe("an installed Orrery", function()
  it("has the command, the module, the library, the header, manuals, and what finds them", function()
    local dir <close> = command.folder()
    local root = installed(dir)
    for _, name in ipairs { "orrery.so", "liborrery.so", "liborrery-lua.so", "liborrery.a", "orrery.h",
      "values.h", "lua.h", "orrery-config.cmake", "init.lua",
      "orrery-run.1", "_orrery", "orrery.fish", "LICENSE", "CHANGELOG.md" } do
      assert.is_truthy(found(root, name), name)
    end
    assert.is_truthy(io.open(root .. "/share/bash-completion/completions/orrery"))
    local ran, out = plain { root .. "/bin/orrery", "version" }
    assert.equal(0, ran)
    assert.matches("^orrery " .. require "orrery".version, out)
  end)

  it("runs a model, and a Lua program that requires it", function()
    local dir <close> = command.folder()
    local root = installed(dir)
    local model = dir.file("p.bpmn", command.one_node '<manualTask id="t"/>')
    local code, out = plain { root .. "/bin/orrery", "run", model }
    assert.equal(0, code)
    assert.matches("ended at end\n$", out)
    if not is_plain_build() then return end -- a plain Lua cannot load what has a sanitizer in it
    local script = dir.file("s.lua", 'local e <close> = require "orrery".open() print(e:now() > 0)')
    local place = "LUA_CPATH=" .. found(root, "orrery.so"):match "^(.*)/" .. "/?.so"
    code, out = command.execute { "env", place, "LUA_PATH=", "lua5.4", script }
    assert.same({ 0, "true\n" }, { code, out })
  end)

  it("is found by pkg-config where it was built, too", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local line = (". %s/env && cc -o %s/embed examples/embed/main.c "
      .. "$(pkg-config --cflags --libs orrery-lua) && %s/embed %s '{\"cents\": 4200}'"):format(
      command.build, dir.path, dir.path, "examples/embed/purchase.bpmn")
    local code, out, err = command.execute { "bash", "-c", line }
    assert.equal(0, code, err)
    assert.matches("%S", out)
  end)

  it("is an archive, too, whose host may call its own variables what it likes", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local own <close> = assert(io.open(dir.path .. "/own.c", "w"))
    own:write "int curl = 1, libcurl = 2, pq = 3, libpq = 4;\n"
    own:close()
    local line = (". %s/env && cc -pthread -o %s/game spec/examples/host.c %s/own.c "
      .. "$(pkg-config --static --cflags --libs orrery | sed 's/-lorrery/-l:liborrery.a/') && ldd %s/game && %s/game %s"):format(
      command.build, dir.path, dir.path, dir.path, dir.path, "examples/quests/quest.bpmn")
    local code, out, err = command.execute { "bash", "-c", line }
    assert.same({ 0, "" }, { code, err })
    assert.matches("100 woke, 200 paid, 0 failed", out)
    for _, name in ipairs { "liborrery", "libcurl", "libpq" } do assert.is_nil(out:find(name, 1, true), name) end
  end)

  it("is embedded by a game: quests in a store, delegates in C on threads, and a clean end", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local program = dir.path .. "/host"
    local line = (". %s/env && cc -std=c11 -Wall -Wextra -Werror -pthread -o %s spec/examples/host.c $(pkg-config --cflags --libs orrery)")
      :format(command.build, program)
    assert.same({ 0, "", "" }, { command.execute { "bash", "-c", line } })
    for _, store in ipairs { "", dir.path .. "/store" } do
      local code, out, err = command.execute { program, "examples/quests/quest.bpmn", store ~= "" and store or nil }
      assert.same({ 0, "100 woke, 200 paid, 0 failed\n", "" }, { code, out, err })
    end
  end)

  it("makes projects, of which one is built with the library and watches a folder", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local root = installed(dir)
    local project = dir.path .. "/project"
    assert.equal(0, (plain { root .. "/bin/orrery", "init", project, "--from", "automation" }))
    local place = found(root, "orrery.pc"):match "^(.*)/"
    local code, out, err = plain { "env", ("PATH=%s/bin:%s"):format(root, os.getenv "PATH"), "PKG_CONFIG_PATH=" .. place,
      "LD_LIBRARY_PATH=" .. place:match "^(.*)/", "timeout", "120", "make", "--no-print-directory", "-C", project, "run", "test" }
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find("drained\n", 1, true) and out:find("\nHELLO\n", 1, true) and out:find("\nok ", 1, true), out)
  end)

  it("gets into place by make install, below DESTDIR and prefix", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local code, _, err = command.execute { "make", "-o", "build", "--no-print-directory", "install", "DESTDIR=" .. dir.path,
      "prefix=/opt/orrery" } -- what is built is not built again beside specs that use it
    assert.same({ 0, "" }, { code, err })
    assert.equal(0, (plain { dir.path .. "/opt/orrery/bin/orrery", "version" }))
    assert.is_truthy(io.open(dir.path .. "/opt/orrery/share/man/man1/orrery.1"))
  end)
end)

describe("the rockspec", function()
  it("names what the build knows", function()
    local rock = {}
    assert(loadfile("orrery-scm-1.rockspec", "t", rock))()
    assert.same({ "orrery", "scm-1", "cmake", "MIT" }, { rock.package, rock.version, rock.build.type, rock.description.license })
    local file <close> = assert(io.open "CMakeLists.txt")
    local text = file:read "a"
    for name in pairs(rock.build.variables) do
      assert.is_truthy(name:find "^CMAKE_" or text:find("(" .. name .. " ", 1, true), name .. " is nothing to the build")
    end
  end)

  it("puts the module where LuaRocks wants it", function()
    if not is_plain_build() then return end
    local dir <close> = command.folder()
    local build = dir.path .. "/build"
    local function run(...) assert.equal(0, (command.execute { "cmake", ... })) end
    run("-S", ".", "-B", build, "-G", "Ninja", "-DCMAKE_INSTALL_PREFIX=" .. dir.path .. "/rock",
      "-DORRERY_LUA_FILES=" .. dir.path .. "/rock/lua", "-DORRERY_LUA_LIBRARIES=" .. dir.path .. "/rock/lib",
      "-DORRERY_TESTS=OFF", "-DORRERY_EXAMPLES=OFF")
    local file <close> = assert(io.open(build .. "/cmake_install.cmake"))
    local text = file:read "a"
    assert.truthy(text:find(dir.path .. "/rock/lua", 1, true))
    assert.truthy(text:find(dir.path .. "/rock/lib", 1, true))
  end)
end)
