--- Completion scripts for shells, from the commands' declarations. Each takes what cli.commands() gives. Options complete to their
--- choices, to files where their value is one, and to nothing where it is a word of the user's.
local completion = {}

local paths = { FILE = true, DIR = true, STORE = true, MODEL = true, FOLDER = true }

--- "FILE", "MODEL|STORE": a path, whichever it is.
local function is_path(word) return paths[word:match "^%u+"] ~= nil end

--- What an option's value is completed to: "choices", "files" or "nothing"; nil: it takes no value.
local function value_kind(option)
  if not option.value then return nil end
  return option.choices and "choices" or is_path(option.value) and "files" or "nothing"
end

local function takes_files(spec)
  for _, a in ipairs(spec.arguments or {}) do
    if is_path(a[1]) then return true end
  end
  return false
end

local function options_of(spec)
  local out = {}
  for _, option in ipairs(spec.options or {}) do out[#out + 1] = option end
  out[#out + 1] = { "--help", "this text" }
  return out
end

local function words_of(list, field)
  local words = {}
  for i, entry in ipairs(list) do words[i] = entry[field] end
  return table.concat(words, " ")
end

-- ---- bash -----------------------------------------------------------------------------------------------------------------------

--- The cases of `$command $previous` whose values are known.
local function bash_values(commands)
  local lines = {}
  for _, c in ipairs(commands) do
    for _, option in ipairs(c.spec.options or {}) do
      local kind = value_kind(option)
      local action = kind == "choices" and ('COMPREPLY=($(compgen -W "%s" -- "$word"))'):format(table.concat(option.choices, " "))
        or kind == "files" and 'COMPREPLY=($(compgen -f -- "$word"))' or "COMPREPLY=()"
      if kind then lines[#lines + 1] = ('    "%s %s") %s; return ;;'):format(c.name, option[1], action) end
    end
  end
  return table.concat(lines, "\n")
end

function completion.bash(commands)
  local words = {}
  for i, c in ipairs(commands) do
    local files = takes_files(c.spec) and ' files=1' or ""
    words[i] = ('    %s) options="%s"%s ;;'):format(c.name, words_of(options_of(c.spec), 1), files)
  end
  return ([=[
# Completion of orrery for bash.
_orrery() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options="" files=""
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "%s help" -- "$word"))
    return
  fi
  case "$command $previous" in
%s
  esac
  case "$command" in
%s
    help) options="%s" ;;
  esac
  if [[ $word == -* || -z $files ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _orrery orrery
]=]):format(words_of(commands, "name"), bash_values(commands), table.concat(words, "\n"), words_of(commands, "name"))
end

-- ---- zsh ------------------------------------------------------------------------------------------------------------------------

--- Within single quotes, in brackets and before colons.
local function zsh_text(s) return (s:gsub("([%[%]:\\])", "\\%1"):gsub("'", "'\\''"):gsub("\n", " ")) end

local function zsh_option(option)
  local kind = value_kind(option)
  local action = kind == "choices" and ("(%s)"):format(table.concat(option.choices, " ")) or kind == "files" and "_files" or ""
  local value = kind and (":%s:%s"):format(zsh_text(option.value), action) or ""
  return ("'%s%s[%s]%s'"):format(option.many and "*" or "", option[1] .. (kind and "=" or ""), zsh_text(option[2]), value)
end

local function zsh_arguments(spec)
  local parts = {}
  for _, option in ipairs(options_of(spec)) do parts[#parts + 1] = zsh_option(option) end
  parts[#parts + 1] = takes_files(spec) and "'*:file:_files'" or "'*::argument:'"
  return table.concat(parts, " \\\n        ")
end

function completion.zsh(commands)
  local names, cases = {}, {}
  for i, c in ipairs(commands) do
    names[i] = ("    '%s:%s'"):format(c.name, zsh_text(c.help))
    names[#commands + 1] = "    'help:what a command does'"
    cases[i] = ("      %s)\n        _arguments %s ;;"):format(c.name, zsh_arguments(c.spec))
  end
  return ([[
#compdef orrery
# Completion of orrery for zsh.
_orrery() {
  local -a commands
  commands=(
%s
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
%s
      help) _describe command commands ;;
    esac
  fi
}
_orrery "$@"
]]):format(table.concat(names, "\n"), table.concat(cases, "\n"))
end

-- ---- fish -----------------------------------------------------------------------------------------------------------------------

local function fish_text(s) return "'" .. s:gsub("\\", "\\\\"):gsub("'", "\\'"):gsub("\n", " ") .. "'" end

local function fish_option(name, option)
  local kind = value_kind(option)
  local more = kind == "choices" and (" -x -a '%s'"):format(table.concat(option.choices, " ")) or kind == "files" and " -r -F"
    or kind == "nothing" and " -x" or ""
  return ("complete -c orrery -n '__fish_seen_subcommand_from %s' -l %s%s%s -d %s"):format(name,
    option[1]:sub(3),
    option.short and " -s " .. option.short:sub(2) or "", more, fish_text(option[2]))
end

function completion.fish(commands)
  local lines = { "# Completion of orrery for fish.", "complete -c orrery -f" }
  for _, c in ipairs(commands) do
    lines[#lines + 1] = ("complete -c orrery -n __fish_use_subcommand -a %s -d %s"):format(c.name, fish_text(c.help))
    if takes_files(c.spec) then lines[#lines + 1] = ("complete -c orrery -n '__fish_seen_subcommand_from %s' -F"):format(c.name) end
    for _, option in ipairs(options_of(c.spec)) do lines[#lines + 1] = fish_option(c.name, option) end
  end
  lines[#lines + 1] = "complete -c orrery -n __fish_use_subcommand -a help -d 'what a command does'"
  lines[#lines + 1] = ("complete -c orrery -n '__fish_seen_subcommand_from help' -a '%s'"):format(words_of(commands, "name"))
  lines[#lines + 1] = ""
  return table.concat(lines, "\n")
end

return completion
