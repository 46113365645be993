-- The manual's table of the log of users' operations has what the commands log, and no more.
local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local function logged()
  local out = {}
  local files <close> = assert(io.popen "find runtime/command -name '*.c' | sort")
  for path in files:lines() do
    local text = read(path)
    for arguments in text:gmatch "operation_on_[%w_]+(%b())" do
      for type in arguments:gmatch '"(%u%a+)"' do out[type] = path end
    end
    for types in text:gmatch "%.type = ([^;]-)%.entity" do
      for type in types:gmatch '"(%u%a+)"' do out[type] = path end
    end
    for types in text:gmatch "types%[2%]%[2%] = (%b{})" do
      for type in types:gmatch '"(%u%a+)"' do out[type] = path end
    end
    for type in text:gmatch 'log_task_changes%([^;]-"(%u%a+)"' do out[type] = path end
    for type in text:gmatch 'log_comment%([^;{]-"(%u%a+)"' do out[type] = path end
    for type in text:gmatch 'log_attachment%([^;{]-"(%u%a+)"' do out[type] = path end
    for type in text:gmatch 'change_holders%([^;]-"(%u%a+)"' do out[type] = path end
  end
  return out
end

local function told()
  local out = {}
  local section = read "docs/lists.md":match "## The log of users' operations\n(.-)\n## "
  for entities, operations in section:gmatch "\n| (`[^|]+) | ([^\n]+) |" do
    for type in operations:gmatch "`(%u%a+)`" do out[type] = entities end
  end
  return out
end

describe("the manual's table of users' operations", function()
  it("has each that is logged, and no other", function()
    local commands, manual, problems = logged(), told(), {}
    for type, path in pairs(commands) do
      if not manual[type] then problems[#problems + 1] = ("%s of %s is not in docs/lists.md"):format(type, path) end
    end
    for type, entity in pairs(manual) do
      if not commands[type] then problems[#problems + 1] = ("%s of %s is logged nowhere"):format(type, entity) end
    end
    table.sort(problems)
    assert.same({}, problems)
    assert(next(commands))
  end)
end)
