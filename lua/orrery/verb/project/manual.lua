--- orrery manual: the manual of the command itself, from the declarations that --help and the parser use: man pages, one page of Markdown,
--- completion for shells. Packagers call it; `make install` does.
local args = require "orrery.cli.args"
local completion = require "orrery.cli.completion"
local core = require "orrery.core"
local files = require "orrery.files"

local manual = {}

local EXIT_CODES = { { "0", "done" }, { "1", "it failed, or something is wrong with what was looked at" },
  { "2", "the command line is wrong" }, { "70", "the command itself failed" }, { "128+N", "signal N ended it" } }

-- ---- Man pages ------------------------------------------------------------------------------------------------------------------

local function roff(s)
  s = s:gsub("\\", "\\e"):gsub("%-", "\\-")
  s = s:gsub("[\xC2-\xF4][\x80-\xBF]+", function(letter) return ("\\[u%04X]"):format(utf8.codepoint(letter)) end)
  return (s:gsub("^([.'])", "\\&%1"):gsub("\n([.'])", "\n\\&%1"))
end

local function add_rows(lines, heading, rows)
  if #rows == 0 then return end
  lines[#lines + 1] = ".SH " .. heading
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ".TP"
    lines[#lines + 1] = "\\fB" .. roff(row[1]) .. "\\fR"
    lines[#lines + 1] = roff(row[2])
  end
end

local function page_head(name, summary, version)
  return { (".TH %s 1 \"\" \"orrery %s\" \"Orrery\""):format(name:upper(), version), ".SH NAME", roff(name) .. " \\- " .. roff(summary),
    ".SH SYNOPSIS" }
end

--- The page of one command. Paragraphs of its notes stay as they are: they may show files.
local function man_of(spec, version)
  local lines = page_head("orrery-" .. spec.name, spec.summary:gsub("%.$", ""), version)
  lines[#lines + 1] = "\\fB" .. roff(args.usage_line(spec)) .. "\\fR"
  add_rows(lines, "ARGUMENTS", spec.arguments or {})
  add_rows(lines, "OPTIONS", args.option_rows(spec))
  if spec.notes then
    lines[#lines + 1] = ".SH NOTES"
    for paragraph in (spec.notes .. "\n\n"):gmatch "(.-)\n\n+" do
      table.move({ ".PP", roff(paragraph) }, 1, 2, #lines + 1, lines)
    end
  end
  add_rows(lines, "EXIT STATUS", EXIT_CODES)
  table.move({ ".SH SEE ALSO", "\\fBorrery\\fR(1)", "" }, 1, 3, #lines + 1, lines)
  return table.concat(lines, "\n")
end

local function man_of_all(commands, version)
  local lines, rows, others = page_head("orrery", "runs BPMN 2.0 processes", version), {}, {}
  lines[#lines + 1] = "\\fBorrery\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]"
  for i, c in ipairs(commands) do
    rows[i] = { "orrery " .. c.name, c.help }
    others[i] = ("\\fBorrery\\-%s\\fR(1)"):format(roff(c.name))
  end
  add_rows(lines, "COMMANDS", rows)
  add_rows(lines, "EXIT STATUS", EXIT_CODES)
  table.move({ ".SH SEE ALSO", table.concat(others, ", "), "" }, 1, 3, #lines + 1, lines)
  return table.concat(lines, "\n")
end

--- The man pages by file name. `commands`: as cli.commands() gives them.
function manual.man(commands, version)
  local pages = { ["orrery.1"] = man_of_all(commands, version) }
  for _, c in ipairs(commands) do pages[("orrery-%s.1"):format(c.name)] = man_of(c.spec, version) end
  return pages
end

-- ---- Markdown -------------------------------------------------------------------------------------------------------------------

local function cell(s) return (s:gsub("|", "\\|"):gsub("\n", " ")) end

local function add_table(lines, heading, rows)
  if #rows == 0 then return end
  table.move({ "", ("| %s | |"):format(heading), "|---|---|" }, 1, 3, #lines + 1, lines)
  for _, row in ipairs(rows) do lines[#lines + 1] = ("| `%s` | %s |"):format(cell(row[1]), cell(row[2])) end
end

local function add_section(lines, spec)
  table.move({ "", "## orrery " .. spec.name, "", spec.summary, "", "```", args.usage_line(spec), "```" }, 1, 8, #lines + 1, lines)
  add_table(lines, "argument", spec.arguments or {})
  add_table(lines, "option", args.option_rows(spec))
  if spec.notes then
    lines[#lines + 1] = ""
    lines[#lines + 1] = spec.notes
  end
end

--- docs/command.md, which a spec compares with this.
function manual.markdown(commands)
  local lines = { "# The command", "", "Written by `orrery manual --markdown` from what `--help` shows.", "",
    "What is printed goes to the standard output, errors to the standard error. Control characters of other people's",
    "texts are shown as escapes. What cannot be written whole is a failure. Exit codes:", "" }
  table.move({ "| code | means |", "|---|---|" }, 1, 2, #lines + 1, lines)
  for _, row in ipairs(EXIT_CODES) do lines[#lines + 1] = ("| %s | %s |"):format(row[1], row[2]) end
  for _, c in ipairs(commands) do add_section(lines, c.spec) end
  lines[#lines + 1] = ""
  return table.concat(lines, "\n")
end

-- ---- The command ----------------------------------------------------------------------------------------------------------------

local function write(path, text) files.write(path, text, true) end

--- As a system's share/ has it.
local function write_share(folder, commands)
  for name, text in pairs(manual.man(commands, core.version)) do write(("%s/man/man1/%s"):format(folder, name), text) end
  write(folder .. "/bash-completion/completions/orrery", completion.bash(commands))
  write(folder .. "/zsh/site-functions/_orrery", completion.zsh(commands))
  write(folder .. "/fish/vendor_completions.d/orrery.fish", completion.fish(commands))
end

function manual.run(options)
  local commands = require "orrery.cli".commands()
  if options.share then write_share(options.share, commands) end
  if options.completion then io.stdout:write(completion[options.completion](commands)) end
  if options.markdown then io.stdout:write(manual.markdown(commands)) end
  if not next(options) then args.usage "one of --share, --markdown, --completion is needed" end
  return 0
end

manual.spec = {
  name = "manual", summary = "Writes the manual of this command: man pages, Markdown, completion for shells.",
  options = {
    { "--share", "write man pages and completions below this folder, which is laid out as a system's share/ is", value = "DIR" },
    { "--markdown", "print all of it as one page of Markdown" },
    { "--completion", "print the completion script of a shell: bash, zsh or fish", value = "SHELL", choices = { "bash", "zsh", "fish" } },
  },
  notes = "`make install` puts all of it in its place. Without: `. <(orrery manual --completion bash)`.",
}

return manual
