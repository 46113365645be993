-- Makes records.h and records.c from records.lua:  lua generate.lua records.lua <folder>
--
-- Three stages over one plain table: the reader fills in what records.lua leaves out, the checker refuses what cannot be stored, the
-- emitters write C. Everything comes out in the order of records.lua, so the same input gives the same bytes.
--
-- Numbers that are stored, and so must keep their meaning:
--   index numbers  `number` of an index, else its place among the indexes that have none, counted from 1 through the whole file.
--                  An index added later therefore comes with a number of its own.
--   field bits     place of the field among the record's stored fields. Fields are appended, with `since` = the new layout version; one
--                  that is not needed any more stays, with `gone`: old records that have it are read past it.

local INDEX_FIELDS_MAX = 4 -- REC_INDEX_FIELDS_MAX
local STORED_FIELDS_MAX = 64 -- bits of the presence bitmap
local RESERVED_TAGS = { i = "index rows", r = "ready rows" }

-- What each type is in C. `set`: is the field worth storing; `bound`: bytes it may need (constant or C); `put`, `get`: the codec.
local TYPES = {
  id = {
    c = "orr_id", enum = "REC_ID", set = "%s != 0", bound = "CODEC_VARINT_MAX",
    put = "codec_put_uint(out, %s)", get = "codec_get_uint(&in)",
  },
  bool = { c = "bool", enum = "REC_BOOL", set = "%s", bound = "0" },
  int = {
    c = "int64_t", enum = "REC_INT", set = "%s != 0", bound = "CODEC_VARINT_MAX",
    put = "codec_put_int(out, %s)", get = "codec_get_int(&in)",
  },
  time = {
    c = "orr_time", enum = "REC_TIME", set = "%s != 0", bound = "CODEC_VARINT_MAX",
    put = "codec_put_int(out, %s)", get = "codec_get_int(&in)",
  },
  u8 = {
    c = "uint8_t", enum = "REC_U8", set = "%s != 0", bound = "2",
    put = "codec_put_uint(out, %s)", get = "(uint8_t)codec_get_small(&in, UINT8_MAX)",
  },
  node = {
    c = "uint32_t", enum = "REC_NODE", set = "%s != 0", bound = "5",
    put = "codec_put_uint(out, %s)", get = "(uint32_t)codec_get_small(&in, UINT32_MAX)",
  },
  text = {
    c = "rec_text", enum = "REC_TEXT", set = "%s.data != NULL", size = "codec_bound_text(%s)",
    put = "codec_put_text(out, %s)", get = "codec_get_text(&in)",
  },
  value = {
    c = "orr_value", enum = "REC_VALUE", set = "%s.type != ORR_NIL", size = "value_encoded_size(&%s)",
    put = "value_encode(out, &%s)", get = "codec_get_value(&in)",
  },
  ids = {
    c = "rec_ids", enum = "REC_IDS", set = "%s.count > 0", size = "codec_bound_ids(%s)",
    put = "codec_put_ids(out, %s)", get = "codec_get_ids(&in)",
  },
  texts = {
    c = "rec_texts", enum = "REC_TEXTS", set = "%s.count > 0", size = "codec_bound_texts(%s)",
    put = "codec_put_texts(out, %s)", get = "codec_get_texts(&in)",
  },
}

local KEY_TYPES = { id = true, int = true, text = true }
local INDEX_TYPES = { id = "id", int = "int", time = "int", u8 = "int", text = "cut_text", value = "value" }

-- Reader ---------------------------------------------------------------------------------------------------------------------

local function read_field(source, is_key)
  local field = { name = source[1], type = source[2], since = source.since or 1, level = source.level, key = is_key,
    gone = source.gone == true }
  if source.api ~= false then field.api = source.api or field.name end
  field.query = source.query ~= false and field.api ~= nil
  return field
end

local function read_index(source, counter)
  local index = { name = source[1], parts = {}, when = source.when, hash = source.hash, complete = source.complete or not source.when,
    own_group = source.own_group == true }
  if source.number then
    index.number = source.number
  else
    counter.index = counter.index + 1
    index.number = counter.index
  end
  for _, name in ipairs(source[2]) do
    table.insert(index.parts, { name = name, desc = source.desc ~= nil and source.desc[name] == true })
  end
  for name in pairs(source.desc or {}) do
    index.desc_names = index.desc_names or {}
    table.insert(index.desc_names, name)
  end
  return index
end

local function read_record(source, counter)
  local record = {
    name = source.name, tag = source.tag, verb = source.verb, memory = source.memory, ready_orders = source.ready_orders == true,
    succession = source.succession,
    keyed = source.key ~= nil, key = {}, stored = {}, fields = {}, by_name = {}, indexes = {},
  }
  for _, field in ipairs(source.key or { { "id", "id" } }) do table.insert(record.key, read_field(field, true)) end
  for _, field in ipairs(source.fields) do table.insert(record.stored, read_field(field, false)) end
  for _, list in ipairs { record.key, record.stored } do
    for _, field in ipairs(list) do
      field.number = #record.fields
      if not field.gone then table.insert(record.fields, field) end
    end
  end
  for _, index in ipairs(source.indexes or {}) do table.insert(record.indexes, read_index(index, counter)) end
  return record
end

local function read(path)
  local source = assert(loadfile(path, "t", { ipairs = ipairs, pairs = pairs }))()
  local counter = { index = 0 }
  local records = { format = source.format }
  for _, record in ipairs(source) do table.insert(records, read_record(record, counter)) end
  return records
end

-- Checker --------------------------------------------------------------------------------------------------------------------

local function refuse(where, ...)
  error(("records.lua: %s: "):format(where) .. string.format(...), 0)
end

local function claim(taken, value, where, what)
  if value == nil then refuse(where, "no %s", what) end
  if taken[value] then refuse(where, "%s %s is taken by %s", what, value, taken[value]) end
  taken[value] = where
end

local function check_name(name, where)
  if type(name) ~= "string" or not name:match("^[a-z][a-z0-9_]*$") then refuse(where, "'%s' is not a name", tostring(name)) end
end

local function check_fields(record)
  local since, level = 1, 1
  for _, field in ipairs(record.stored) do
    local where = record.name .. "." .. field.name
    if field.since < since then refuse(where, "fields are only appended: since %d behind %d", field.since, since) end
    if (field.level or 1) < level then refuse(where, "level %d behind %d", field.level or 1, level) end
    since, level = field.since, field.level or 1
  end
  for _, field in ipairs(record.fields) do
    check_name(field.name, record.name)
    local where = record.name .. "." .. field.name
    if not TYPES[field.type] then refuse(where, "unknown type '%s'", tostring(field.type)) end
    if field.key and not KEY_TYPES[field.type] then refuse(where, "a key field cannot be a %s", field.type) end
    if field.name == "head" then refuse(where, "the name is the record's own") end
    if record.by_name[field.name] then refuse(where, "declared twice") end
    record.by_name[field.name] = field
  end
  local heir = record.succession and record.by_name[record.succession]
  if record.succession and (record.keyed or not heir or heir.type ~= "int") then
    refuse(record.name, "succession names an int of a record with an id, not '%s'", record.succession)
  end
  record.version = since
  if #record.stored > STORED_FIELDS_MAX then refuse(record.name, "more than %d fields", STORED_FIELDS_MAX) end
end

local function check_index(record, index)
  local where = record.name .. " index " .. tostring(index.name)
  check_name(index.name, where)
  if math.type(index.number) ~= "integer" or index.number < 1 or index.number > 255 then refuse(where, "number must be 1 to 255") end
  if #index.parts == 0 or #index.parts > INDEX_FIELDS_MAX then refuse(where, "1 to %d fields", INDEX_FIELDS_MAX) end
  local named = {}
  for _, part in ipairs(index.parts) do
    part.field = record.by_name[part.name]
    if not part.field then refuse(where, "no field '%s'", part.name) end
    local kind = INDEX_TYPES[part.field.type]
    if not kind then refuse(where, "'%s' is a %s, which has no order", part.name, part.field.type) end
    local long = part.field.type == "text" or part.field.type == "value"
    if long and not index.hash then refuse(where, "'%s' is a %s: needs hash = true", part.name, part.field.type) end
    if part.desc and kind ~= "int" then refuse(where, "'%s' cannot be descending", part.name) end
    part.kind = kind
    named[part.name] = true
  end
  for _, name in ipairs(index.desc_names or {}) do
    if not named[name] then refuse(where, "desc names '%s', which is not in it", name) end
  end
end

local function check(records)
  if math.type(records.format) ~= "integer" then refuse("format", "must be an integer") end
  local names, tags, verbs, index_names, index_numbers = {}, {}, {}, {}, {}
  for tag, what in pairs(RESERVED_TAGS) do tags[tag] = what end
  for _, record in ipairs(records) do
    check_name(record.name, "record")
    claim(names, record.name, record.name, "name")
    if type(record.tag) ~= "string" or not record.tag:match("^%a$") then refuse(record.name, "the tag must be one letter") end
    claim(tags, record.tag, record.name, "tag")
    if record.verb then claim(verbs, record.verb, record.name, "verb") end
    check_fields(record)
    for _, index in ipairs(record.indexes) do
      check_index(record, index)
      claim(index_names, index.name, record.name, "index name")
      claim(index_numbers, index.number, record.name, "index number")
    end
  end
  return records
end

-- Emitters -------------------------------------------------------------------------------------------------------------------

local Writer = {}
Writer.__index = Writer

function Writer:line(format, ...)
  table.insert(self, select("#", ...) > 0 and format:format(...) or format)
end

function Writer:text() return table.concat(self, "\n") .. "\n" end

local function writer(what)
  local out = setmetatable({}, Writer)
  out:line("/* %s Generated by runtime/record/generate.lua from runtime/record/records.lua; do not edit. */", what)
  return out
end

local function quoted(text) return text and ('"%s"'):format(text) or "NULL" end

local function bitmap_bytes(count) return (count + 7) // 8 end

-- How many fields a layout version has: for decoders of records that an earlier program wrote.
local function fields_until(record, version)
  local count = 0
  for _, field in ipairs(record.stored) do
    if field.since <= version then count = count + 1 end
  end
  return count
end

local function emit_struct(out, record)
  out:line("\ntypedef struct rec_%s {\n  rec_head head;", record.name)
  for _, field in ipairs(record.fields) do out:line("  %s %s;", TYPES[field.type].c, field.name) end
  if record.memory then out:line("  %s", record.memory) end
  out:line("} rec_%s;", record.name)
  out:line("extern const rec_type rec_%s_type;", record.name)
end

local function emit_accessors(out, record)
  local name = record.name
  if record.keyed then
    out:line("static inline rec_%s *unit_%s_key(unit *u, const rec_%s *key, orr_error *err) {", name, name, name)
    out:line("  return (rec_%s *)unit_get_key(u, &rec_%s_type, key, err);\n}", name, name)
    out:line("static inline rec_%s *unit_new_%s(unit *u, const rec_%s *key) {", name, name, name)
    out:line("  return (rec_%s *)unit_new_key(u, &rec_%s_type, key);\n}", name, name)
  else
    out:line("static inline rec_%s *unit_%s(unit *u, orr_id id, orr_error *err) {", name, name)
    out:line("  return (rec_%s *)unit_get(u, &rec_%s_type, id, err);\n}", name, name)
    out:line("static inline rec_%s *unit_new_%s(unit *u, orr_id id) {", name, name)
    out:line("  return (rec_%s *)unit_new(u, &rec_%s_type, id);\n}", name, name)
  end
end

local function emit_index_numbers(out, records)
  local max = 0
  out:line("\n/* Stored in index rows. */\nenum rec_index {")
  for _, record in ipairs(records) do
    for _, index in ipairs(record.indexes) do
      out:line("  REC_INDEX_%s = %d,", index.name:upper(), index.number)
      max = math.max(max, index.number)
    end
  end
  out:line("};\n#define REC_INDEX_COUNT %d /* entries of rec_indexes */", max + 1)
end

local function emit_header(records)
  local out = writer("The records of the store as structs.")
  out:line("#ifndef ORR_RECORDS_H\n#define ORR_RECORDS_H\n\n#include \"record/record.h\"\n")
  out:line("#define REC_FORMAT %d /* of the whole store */", records.format)
  out:line("#define REC_TYPE_COUNT %d", #records)
  for _, record in ipairs(records) do emit_struct(out, record) end
  emit_index_numbers(out, records)
  out:line("\n/* Typed ways to unit_get, unit_get_key, unit_new and unit_new_key, which uow.h describes. */")
  out:line("void *unit_get(unit *u, const rec_type *type, orr_id id, orr_error *err);")
  out:line("void *unit_get_key(unit *u, const rec_type *type, const void *key, orr_error *err);")
  out:line("void *unit_new(unit *u, const rec_type *type, orr_id id);")
  out:line("void *unit_new_key(unit *u, const rec_type *type, const void *key);")
  for _, record in ipairs(records) do emit_accessors(out, record) end
  out:line("\n#endif")
  return out:text()
end

local function emit_encode_key(out, record)
  out:line("\nstatic uint8_t *encode_key_%s(const void *record, uint8_t *out, uint8_t *end) {", record.name)
  out:line("  const rec_%s *r = record;", record.name)
  out:line("  out = key_put_byte(out, end, '%s');", record.tag)
  for _, field in ipairs(record.key) do out:line("  out = key_put_%s(out, end, r->%s);", field.type, field.name) end
  out:line("  return out;\n}")
end

local function emit_decode_key(out, record)
  out:line("\nstatic int decode_key_%s(void *record, orr_arena *arena, const uint8_t *key, size_t size) {", record.name)
  out:line("  rec_%s *r = record;\n  const uint8_t *at = key + 1, *end = key + size;\n  int rc = 0;\n  (void)arena;", record.name)
  for _, field in ipairs(record.key) do
    local arena = field.type == "text" and "arena, " or ""
    out:line("  if ((rc = key_get_%s(&at, end, %s&r->%s)) != 0) return rc;", field.type, arena, field.name)
  end
  out:line("  return at == end ? 0 : ORR_E_STORE;\n}")
end

local function emit_bound(out, record)
  local terms = {}
  for _, field in ipairs(record.stored) do
    local type = TYPES[field.type]
    local term = field.gone and "0" or type.bound or type.size:format("r->" .. field.name)
    if term ~= "0" then table.insert(terms, term) end
  end
  out:line("\nstatic size_t encode_bound_%s(const void *record) {", record.name)
  out:line("  const rec_%s *r = record;\n  (void)r;\n  size_t size = %d;", record.name, 1 + bitmap_bytes(#record.stored))
  for _, term in ipairs(terms) do out:line("  size += %s;", term) end
  out:line("  return size;\n}")
end

-- The layout that a record is written in: that of before the fields with a level, unless one of them is set.
local function emit_layout(out, record)
  local last = 1
  for _, field in ipairs(record.stored) do
    if not field.level then last = field.since end
  end
  out:line("  uint8_t layout = %d;\n  size_t bytes = %d;", last, bitmap_bytes(fields_until(record, last)))
  for _, field in ipairs(record.stored) do
    if field.level then
      out:line("  if (%s) {\n    layout = %d;\n    bytes = %d;\n  }", TYPES[field.type].set:format("r->" .. field.name), field.since,
        bitmap_bytes(fields_until(record, field.since)))
    end
  end
end

local function emit_encode(out, record)
  out:line("\nstatic uint8_t *encode_%s(const void *record, uint8_t *out) {", record.name)
  out:line("  const rec_%s *r = record;\n  uint8_t *bitmap = out + 1;\n  uint64_t set = 0;\n  (void)r;", record.name)
  emit_layout(out, record)
  out:line("  *out = layout;\n  out = bitmap + bytes;")
  for bit, field in ipairs(record.stored) do
    local type = TYPES[field.type]
    local member = "r->" .. field.name
    local mark = ("set |= UINT64_C(1) << %d;"):format(bit - 1)
    if field.gone then
      out:line("  /* %s is gone */", field.name)
    elseif type.put then
      out:line("  if (%s) {\n    %s\n    out = %s;\n  }", type.set:format(member), mark, type.put:format(member))
    else
      out:line("  if (%s) %s", type.set:format(member), mark)
    end
  end
  out:line("  codec_put_bits(bitmap, set, bytes);\n  return out;\n}")
end

local function emit_decode(out, record)
  out:line("\nstatic int decode_%s(void *record, orr_arena *arena, const uint8_t *bytes, size_t size) {", record.name)
  out:line("  rec_%s *r = record;\n  codec_reader in = {bytes, bytes + size, arena, 0};\n  (void)r;", record.name)
  out:line("  uint64_t version = codec_get_uint(&in);\n  uint64_t set = 0;\n  switch (version) {")
  for version = 1, record.version do
    local count = fields_until(record, version)
    out:line("    case %d: set = codec_get_bits(&in, %d, %d); break;", version, bitmap_bytes(count), count)
  end
  out:line("    default: return ORR_E_STORE;\n  }\n  (void)set;")
  for bit, field in ipairs(record.stored) do
    local type = TYPES[field.type]
    if field.gone then
      if type.get then out:line("  if (set >> %d & 1) (void)%s;", bit - 1, type.get) end
    elseif type.get then
      out:line("  if (set >> %d & 1) r->%s = %s;", bit - 1, field.name, type.get)
    else
      out:line("  r->%s = set >> %d & 1;", field.name, bit - 1)
    end
  end
  if record.succession then
    out:line("  if (r->%s && !record_succeed(&r->id, r->%s)) return ORR_E_STORE;", record.succession, record.succession)
  end
  out:line("  return codec_end(&in);\n}")
end

local function emit_index_functions(out, record, index)
  out:line("\nstatic bool holds_%s(const void *record) {", index.name)
  out:line("  const rec_%s *r = record;\n  (void)r;\n  return %s;\n}", record.name, index.when or "true")
  out:line("\nstatic uint8_t *row_%s(const void *record, uint8_t *out, uint8_t *end) {", index.name)
  out:line("  const rec_%s *r = record;\n  out = key_put_byte(out, end, KEY_INDEX_TAG);", record.name)
  out:line("  out = key_put_byte(out, end, %d);", index.number)
  for _, part in ipairs(index.parts) do
    out:line("  out = key_put_%s%s(out, end, r->%s);", part.kind, part.desc and "_desc" or "", part.name)
  end
  out:line("  return out;\n}")
end

local function emit_fields(out, record)
  out:line("\nstatic const rec_field fields_%s[] = {", record.name)
  for _, field in ipairs(record.fields) do
    out:line("  {%s, %s, %s, %s, offsetof(rec_%s, %s)},", quoted(field.name), quoted(field.api), TYPES[field.type].enum, field.query,
      record.name, field.name)
  end
  out:line("};")
end

local function emit_indexes(out, record)
  if #record.indexes == 0 then return end
  out:line("\nstatic const rec_index_type indexes_%s[] = {", record.name)
  for _, index in ipairs(record.indexes) do
    local fields, desc = {}, {}
    for _, part in ipairs(index.parts) do
      table.insert(fields, part.field.number)
      table.insert(desc, tostring(part.desc))
    end
    out:line("  {%s, &rec_%s_type, %d, %d, {%s}, {%s}, %s, %s, holds_%s, row_%s},", quoted(index.name), record.name,
      index.number, #index.parts, table.concat(fields, ", "), table.concat(desc, ", "), index.complete, index.own_group,
      index.name, index.name)
  end
  out:line("};")
end

local function emit_type(out, record, number)
  local name = record.name
  out:line("\nconst rec_type rec_%s_type = {", name)
  out:line("  .name = %s,\n  .verb = %s,\n  .number = %d,\n  .tag = '%s',", quoted(name), quoted(record.verb), number, record.tag)
  out:line("  .keyed = %s,\n  .ready_orders = %s,\n  .succeeds = %s,", record.keyed, record.ready_orders, record.succession ~= nil)
  out:line("  .n_key = %d,\n  .n_fields = %d,\n  .n_indexes = %d,", #record.key, #record.fields, #record.indexes)
  out:line("  .size = sizeof(rec_%s),\n  .fields = fields_%s,", name, name)
  out:line("  .indexes = %s,", #record.indexes > 0 and "indexes_" .. name or "NULL")
  for _, member in ipairs { "encode_key", "decode_key", "encode_bound", "encode", "decode" } do
    out:line("  .%s = %s_%s,", member, member, name)
  end
  out:line("};")
end

local function emit_tables(out, records)
  out:line("\nconst rec_type *const rec_types[] = {")
  for _, record in ipairs(records) do out:line("  &rec_%s_type,", record.name) end
  out:line("};\n\nconst rec_index_type *const rec_indexes[] = {")
  for _, record in ipairs(records) do
    for place, index in ipairs(record.indexes) do out:line("  [%d] = &indexes_%s[%d],", index.number, record.name, place - 1) end
  end
  out:line("};")
end

local function emit_source(records)
  local out = writer("Codecs, index rows and descriptions of the records.")
  out:line("#include \"record/codec.h\"\n#include \"record/key.h\"\n#include \"records.h\"")
  for number, record in ipairs(records) do
    out:line("\n/* ---- %s %s */", record.name, ("-"):rep(100 - #record.name))
    emit_encode_key(out, record)
    emit_decode_key(out, record)
    emit_bound(out, record)
    emit_encode(out, record)
    emit_decode(out, record)
    for _, index in ipairs(record.indexes) do emit_index_functions(out, record, index) end
    emit_fields(out, record)
    emit_indexes(out, record)
    emit_type(out, record, number - 1)
  end
  emit_tables(out, records)
  return out:text()
end

-- ----------------------------------------------------------------------------------------------------------------------------

local function write(path, text)
  local file = assert(io.open(path, "w"))
  assert(file:write(text))
  assert(file:close())
end

local function main(path, folder)
  if not path or not folder then error("usage: lua generate.lua records.lua <folder>", 0) end
  local records = check(read(path))
  write(folder .. "/records.h", emit_header(records))
  write(folder .. "/records.c", emit_source(records))
end

main(...)
