-- Archives of resources, as deploy takes them.
local archives = require "spec.support.archive"
local core = require "orrery.core"
local folder = require "spec.support.folder"
local orrery = require "orrery"

describe("an archive", function()
  it("gives the files in it, without folders and hidden files", function()
    assert.same({ ["a.lua"] = "return 1", ["b/c.bpmn"] = "", ["b/ü.txt"] = "x\0y" }, core.archive(archives.stored { { "a.lua", "return 1" },
      { "b/", "" }, { "b/c.bpmn", "" }, { "b/ü.txt", "x\0y" }, { ".hidden", "x" }, { "b/.hidden", "x" }, { "__MACOSX/a.lua", "x" } }))
    assert.same({}, core.archive(archives.stored {}))
  end)

  it("is refused when it is none, or damaged", function()
    local whole = archives.stored { { "a.lua", "return 1" } }
    for what, bytes in pairs { text = "this is a text", cut = whole:sub(1, -10), changed = whole:gsub("return 1", "return 2") } do
      local found, problem = core.archive(bytes)
      assert.same({ what, nil, "string" }, { what, found, type(problem) })
    end
    assert.matches("this is no archive", select(2, core.archive "x"), 1, true)
  end)

  it("is refused when two files in it have one name", function()
    local twice = archives.stored { { "a.lua", "1" }, { "b.lua", "2" }, { "a.lua", "3" } }
    local found, problem = core.archive(twice)
    assert.is_nil(found)
    assert.matches("this is no archive: File already exists", problem, 1, true)
  end)

  it("is refused when it is too large to unpack", function()
    local found, problem = core.archive(archives.stored { { "a.lua", "return 1", 65 * 1024 * 1024 } })
    assert.is_nil(found)
    assert.matches("a.lua is too large: a resource has at most 67108864 bytes", problem, 1, true)
    local many = {}
    for i = 1, 10001 do many[i] = { ("%d.lua"):format(i), "" } end
    found, problem = core.archive(archives.stored(many))
    assert.is_nil(found)
    assert.matches("it holds 10001 files; an archive of resources has at most 10000", problem, 1, true)
  end)

  it("names itself in what is raised", function()
    local path = os.tmpname() .. ".zip"
    folder.write(path, "no archive")
    local engine <close> = orrery.open(nil, { log = "none" })
    local ok, problem = pcall(engine.deploy, engine, path)
    os.remove(path)
    assert.same({ false, "argument" }, { ok, problem.kind })
    assert.matches(path .. ": this is no archive", problem.message, 1, true)
  end)
end)
