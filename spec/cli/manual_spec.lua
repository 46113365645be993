-- What the command says of itself: help, man pages and completion come from one declaration.
-- Marks: commands
local cli = require "orrery.cli"
local command = require "spec.cli.command"
local completion = require "orrery.cli.completion"
local manual = require "orrery.verb.project.manual"

local commands = cli.commands()

local function has(program) return os.execute(("command -v %s > /dev/null"):format(program)) end

describe("every command", function()
  it("has a module of its name, and each module is a command", function()
    local known = {}
    for _, c in ipairs(commands) do
      known[c.name] = true
      assert.equal(c.name, c.spec.name)
    end
    for path in io.popen("ls lua/orrery/verb/*/*.lua"):lines() do
      local name = path:match "([^/]+)%.lua$"
      assert.is_true(known[name], name .. " is not in the list of commands")
    end
  end)

  it("has --help, a man page and completion, with all of its options", function()
    local pages = manual.man(commands, "0")
    local scripts = { completion.bash(commands), completion.zsh(commands), completion.fish(commands) }
    for _, c in ipairs(commands) do
      local code, help = command.run { c.name, "--help" }
      assert.equal(0, code)
      assert.truthy(help:find(c.spec.summary, 1, true))
      local page = assert.is_truthy(pages[("orrery-%s.1"):format(c.name)]) and pages[("orrery-%s.1"):format(c.name)]
      assert.truthy(pages["orrery.1"]:find("orrery " .. c.name .. "\\fR", 1, true), c.name)
      for _, option in ipairs(c.spec.options or {}) do
        local short = option.short and option.short .. ", " or ""
        assert.truthy(help:find("\n  " .. short .. option[1], 1, true), option[1])
        assert.truthy(page:find(option[1]:gsub("%-", "\\-"), 1, true), option[1])
        for i, script in ipairs(scripts) do
          local shown = i == 3 and ("from %s' -l %s "):format(c.name, option[1]:sub(3))
            or option[1]
          assert.truthy(script:find(shown, 1, true), shown)
        end
      end
    end
  end)
end)

describe("man pages", function()
  it("are read by groff without a complaint", function()
    if not has "groff" then return pending "groff is not here" end
    for name, text in pairs(manual.man(commands, "0")) do
      local code, out, err = command.execute({ "groff", "-man", "-Tutf8", "-ww", "-P-c" }, text)
      assert.same({ 0, "" }, { code, err }, name)
      assert.truthy(out:gsub(".\b", ""):find("EXIT STATUS", 1, true)) -- bold letters are struck twice
    end
  end)

  it("write what roff would take for its own", function()
    local spec = { name = "odd", summary = "Odd.", notes = ".dot and 'quote\n.dot \\back -minus", options = { { "--o", ".5 of it" } } }
    local page = manual.man({ { name = "odd", help = "odd", spec = spec } }, "0")["orrery-odd.1"]
    assert.truthy(page:find("\\&.dot and 'quote\n\\&.dot \\eback \\-minus", 1, true), page)
    assert.truthy(page:find("\n\\&.5 of it\n", 1, true), page)
  end)
end)

describe("completion", function()
  local function completes(line)
    local dir <close> = command.folder()
    local script = ([[. %s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _orrery; printf '%%s ' "${COMPREPLY[@]}"]]):format(
      dir.file("orrery.bash", completion.bash(commands)), line)
    local code, out, err = command.execute { "bash", "-c", script }
    assert.same({ 0, "" }, { code, err })
    return (out:gsub(" $", ""))
  end

  it("of bash knows commands, options, choices and files", function()
    assert.equal("run repl restart", completes "orrery r")
    assert.equal("--play --process", (function()
      local words = {}
      for word in completes("orrery run --p"):gmatch "%S+" do words[#words + 1] = word end
      table.sort(words)
      return table.concat(words, " ")
    end)())
    assert.equal("auto camunda flowable orrery", completes "orrery run --dialect ''")
    assert.equal("README.md", completes "orrery lint READ")
    assert.equal("README.md", completes "orrery run --answers READ")
    assert.equal("", completes "orrery run --set ''")
    assert.equal("verify version", completes "orrery help ver")
  end)

  it("is understood by the shells that are here", function()
    for shell, words in pairs { bash = { "bash", "-n" }, zsh = { "zsh", "-n" }, fish = { "fish", "-n" } } do
      if has(shell) then
        local dir <close> = command.folder()
        words[#words + 1] = dir.file("script", completion[shell](commands))
        assert.same({ 0, "", "" }, { command.execute(words) })
      end
    end
  end)

  -- What a shell offers for a line, by asking the shell itself: the words, sorted.
  local asked = {}

  function asked.fish(dir, line)
    local script = dir.file("orrery.fish", completion.fish(commands))
    local code, out, err = command.execute { "env", "HOME=" .. dir.path, "fish", "--no-config", "-c",
      ("source %s; complete -C '%s'"):format(script, line) }
    assert.same({ 0, "" }, { code, err })
    return out:gsub("\t[^\n]*", "")
  end

  function asked.zsh(dir, line)
    local script, out = dir.file("_orrery", completion.zsh(commands)), dir.path .. "/offered"
    for _, name in ipairs { out, out .. ".ready", out .. ".done" } do os.remove(name) end
    local code, _, err = command.execute { "env", "HOME=" .. dir.path, "TERM=xterm", "zsh", "-f", "spec/cli/complete.zsh", script, line,
      out }
    assert.same({ 0, "" }, { code, err })
    local file = io.open(out)
    return file and file:read "a" or ""
  end

  for shell, ask in pairs(asked) do
    it("of " .. shell .. " knows commands, options, choices and files", function()
      if not has(shell) then return pending(shell .. " is not here") end
      local dir <close> = command.folder()
      for line, expected in pairs { ["orrery r"] = "repl restart run",
        ["orrery run --p"] = "--play --process", ["orrery lint READ"] = "README.md",
        ["orrery run --dialect "] = "auto camunda flowable orrery", ["orrery run --answers READ"] = "README.md",
        ["orrery help ver"] = "verify version" } do
        local words, seen = {}, {}
        for word in ask(dir, line):gmatch "%S+" do
          if not seen[word] then words[#words + 1] = word end
          seen[word] = true
        end
        table.sort(words)
        assert.equal(expected, table.concat(words, " "), line)
      end
    end)
  end

  it("keeps quotes and brackets of help texts from the shells", function()
    local spec = { name = "odd", summary = "Odd.", options = { { "--o", "it's [odd]: a\\b", value = "FILE" } } }
    local odd = { { name = "odd", help = "it's odd", spec = spec } }
    assert.truthy(completion.zsh(odd):find([['--o=[it'\''s \[odd\]\: a\\b]:FILE:_files']], 1, true), completion.zsh(odd))
    assert.truthy(completion.fish(odd):find([[-d 'it\'s [odd]: a\\b']], 1, true), completion.fish(odd))
  end)
end)

describe("orrery manual", function()
  it("prints what it is asked for, and writes what make install puts in place", function()
    local dir <close> = command.folder()
    assert.equal(completion.fish(commands), select(2, command.run { "manual", "--completion", "fish" }))
    assert.equal(manual.markdown(commands), select(2, command.run { "manual", "--markdown" }))
    assert.same({ 0, "", "" }, { command.run { "manual", "--share", dir.path .. "/usr/share" } })
    for _, name in ipairs { "man/man1/orrery.1", "man/man1/orrery-run.1", "bash-completion/completions/orrery",
      "zsh/site-functions/_orrery", "fish/vendor_completions.d/orrery.fish" } do
      assert.is_truthy(io.open(("%s/usr/share/%s"):format(dir.path, name)), name)
    end
  end)

  it("fails where it cannot write, and asks what to do", function()
    local dir <close> = command.folder()
    local code, _, err = command.run { "manual", "--share", dir.file("file", "") .. "/share" }
    assert.equal(1, code)
    assert.truthy(err:find("Not a directory", 1, true), err)
    assert.equal(2, (command.run { "manual" }))
    assert.equal(2, (command.run { "manual", "--completion", "tcsh" }))
  end)
end)
