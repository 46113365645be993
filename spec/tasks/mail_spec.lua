-- The mail task against aiosmtpd and a real mail server; Python's own parser judges what arrives.
local orrery = require "orrery"
local folder = require "spec.support.folder"
local model = require "spec.tasks.model"
local servers = require "spec.support.servers"
local with = servers.with(it, pending)

describe("the mail task", function()
  if not servers.has "mail" then return pending "the mail task: skipped, python3-aiosmtpd is not installed" end
  local server, engine, keys
  local started = {}

  local function start(...)
    local one = servers.start("mail", ...)
    started[#started + 1] = one
    return one
  end

  local function open(mail, more)
    if engine then engine:close() end
    local options = { clock = "manual", log = "none", http = { ca_file = keys .. "/ca.crt" }, mail = mail or {} }
    for name, value in pairs(more or {}) do options[name] = value end
    options.mail.host = options.mail.host or "127.0.0.1"
    options.mail.port = options.mail.port or server.port
    engine = orrery.open(nil, options)
  end

  setup(function()
    keys = folder.make()
    if servers.has "certificates" then servers.certificates(keys) end
    server = start "plain"
  end)
  teardown(function()
    for _, one in ipairs(started) do one:stop() end
    folder.remove(keys)
  end)
  before_each(function() open() end)
  after_each(function()
    engine:close()
    engine = nil
  end)

  local function run(fields, options, variables, resources)
    local given = { to = "kermit@example.org", subject = "Hello", text = "Hi" }
    for name, value in pairs(fields or {}) do given[name] = value ~= "" and value or nil end
    local all = resources or {}
    all["p.bpmn"] = model.task("mail", given, options)
    engine:deploy(all)
    local ok, result = pcall(engine.start, engine, "p", { variables = variables })
    if ok then return result end
    return nil, result
  end

  local function kept(from)
    from = from or server
    return orrery.await(orrery.http(("http://127.0.0.1:%d/"):format(from.ports[2]))):json()
  end

  -- The mail that the task sends.
  local function sent(...)
    local instance, problem = run(...)
    assert(instance, problem)
    local all = kept()
    return all[#all], instance
  end

  local function cause(...)
    local _, problem = run(...)
    return problem and problem.cause
  end

  it("sends to, cc and bcc; who is blind stands in the envelope alone", function()
    local mail = sent { to = "a@example.org, \"Frog, Kermit\" <k@example.org>", cc = "c@example.org", bcc = "b@example.org",
      from = "Fozzie <fozzie@example.org>", subject = "A subject" }
    assert.same({ "a@example.org", "k@example.org", "c@example.org", "b@example.org" }, mail.to)
    assert.same("fozzie@example.org", mail.from)
    assert.same({ 'a@example.org, "Frog, Kermit" <k@example.org>', "c@example.org", "Fozzie <fozzie@example.org>", "A subject" },
      { mail.headers.to, mail.headers.cc, mail.headers.from, mail.headers.subject })
    assert.is_nil(mail.headers.bcc)
    assert.same({}, mail.defects)
    assert.truthy(mail.headers.date)
  end)

  it("takes lists, and its sender from the options", function()
    open { from = "house@example.org" }
    local mail = sent({ to = "${people}" }, nil, { people = { "a@example.org", "b@example.org" } })
    assert.same({ { "a@example.org", "b@example.org" }, "house@example.org" }, { mail.to, mail.from })
    assert.same({ "d@example.org" }, sent({ to = "", bcc = "d@example.org" }).to)
  end)

  it("sends text, HTML, or both as alternatives", function()
    local function types(mail)
      local out = {}
      for i, part in ipairs(mail.parts) do out[i] = part.type end
      return out
    end
    assert.same({ "text/plain" }, types(sent {}))
    assert.same({ "text/html" }, types(sent { text = "", html = "<b>Hi</b>" }))
    local both = sent { html = "<b>Hi</b>" }
    assert.same({ "multipart/alternative", "text/plain", "text/html" }, types(both))
    assert.same({ "Hi", "<b>Hi</b>" }, { (both.parts[2].text:gsub("%s+$", "")), (both.parts[3].text:gsub("%s+$", "")) })
  end)

  it("replaces expressions in fields, and in what variables hold", function()
    local mail = sent({ subject = "For ${name}", text = "", textVar = "letter" }, nil,
      { name = "Kermit", letter = "Dear ${name},\n${1 + 1}" })
    assert.same("For Kermit", mail.headers.subject)
    assert.same("Dear Kermit,\n2", (mail.parts[1].text:gsub("%s+$", "")))
    mail = sent({ text = "", htmlVar = "page" }, nil, { page = "<p>${who}</p>", who = "you" })
    assert.same("<p>you</p>", (mail.parts[1].text:gsub("%s+$", "")))
    assert.same("mail.request", cause({ text = "", textVar = "none" }).type)
  end)

  it("lets whoever writes what a variable holds compute with variables, and reach nothing else", function()
    engine:register("bean", { name = "bean" })
    for _, text in ipairs { "${execution.id}", "${execution.engine.close()}", "${bean.name}", "${orrery.version}",
      "${authenticatedUserId}", "${task:get('1')}", "${bean}", "${spin()}" } do
      for _, name in ipairs { "textVar", "htmlVar" } do
        local instance = run({ text = "", [name] = "letter" }, nil, { letter = text })
        assert.is_nil(instance, text)
      end
    end
    local mail = sent({ text = "", textVar = "letter" }, nil,
      { letter = "${name.toUpperCase()} ${dateTime().getYear() > 1}", name = "a" })
    assert.same("A true", (mail.parts[1].text:gsub("%s+$", "")))
    local warnings = engine:check { ["p.bpmn"] = model.task("mail", { to = "a@b.c", textVar = "letter" }) }
    assert.truthy(warnings[1].message:find("textVar", 1, true))
  end)

  it("takes what a variable holds as it is in other dialects than Flowable's", function()
    for _, vendor in ipairs { "camunda", "orrery" } do
      local mail = sent({ text = "", textVar = "letter" }, { vendor = vendor }, { letter = "Dear ${name}" })
      assert.same("Dear ${name}", (mail.parts[1].text:gsub("%s+$", "")))
    end
  end)

  it("writes any language, in headers, names and texts, in lines that are short and end in CRLF", function()
    local text = "Grüße aus Ağrı — 你好\n" .. ("lang "):rep(300) .. "\nlast line"
    local mail = sent({ subject = "${s}", to = "Ağrı Dağı <a@example.org>", text = "${t}" }, nil,
      { s = ("Grüße, 你好, "):rep(12), t = text })
    assert.same(("Grüße, 你好, "):rep(12):match "^%s*(.-)%s*$", mail.headers.subject)
    assert.same("Ağrı Dağı <a@example.org>", mail.headers.to)
    assert.same(text, (mail.parts[1].text:gsub("%s+$", "")))
    assert.same({ "utf-8", 0 }, { mail.parts[1].charset, mail.bare })
    assert.truthy(mail.longest <= 78, mail.longest)
  end)

  it("names hosts as DNS does, also to servers that take no other names", function()
    local ascii = start "ascii"
    open { port = ascii.port, from = "Größe <shop@größe.example>" }
    run { to = "a@größe.example, Straße <b@STRaße.example>", cc = "c@例え.テスト", bcc = "d@xn--gre-6ka8i.example" }
    local mail = kept(ascii)[1]
    assert.same({ "a@xn--gre-6ka8i.example", "b@xn--strae-oqa.example", "c@xn--r8jz45g.xn--zckzah", "d@xn--gre-6ka8i.example" }, mail.to)
    assert.same({ "shop@xn--gre-6ka8i.example", "Größe <shop@xn--gre-6ka8i.example>" }, { mail.from, mail.headers.from })
    assert.same({ "a@xn--gre-6ka8i.example, Straße <b@xn--strae-oqa.example>", "c@xn--r8jz45g.xn--zckzah" },
      { mail.headers.to, mail.headers.cc })
    for _, host in ipairs { "-ö.de", "☃.de", "ö.a＞b", "ö.a＠b", "ö.a\u{3000}b", "ö\u{2028}.example", ("ö"):rep(80) .. ".example" } do
      local problem = cause({ to = "a@${host}" }, nil, { host = host })
      assert.same("mail.request", problem.type)
      assert.match("cannot be the name of a host", problem.message, 1, true)
    end
    open { host = "größe.invalid" }
    assert.same("mail.resolve", cause().type)
    assert.match("xn--gre-6ka8i.invalid", cause().message, 1, true)
  end)

  it("writes to people whose names are beyond ASCII where the server says SMTPUTF8, and else nothing", function()
    local ascii = start "ascii"
    local mail = sent { to = "käse@größe.example, a@example.org", from = "ß@example.org" }
    assert.same({ { "käse@xn--gre-6ka8i.example", "a@example.org" }, "ß@example.org" }, { mail.to, mail.from })
    assert.same("käse@xn--gre-6ka8i.example, a@example.org", mail.headers.to)
    open { port = ascii.port }
    for _, fields in ipairs { { to = "käse@example.org" }, { to = "a@example.org", bcc = "ß@example.org" }, { from = "ß@example.org" } } do
      local problem = cause(fields)
      assert.same("mail.rejected", problem.type)
      assert.match("SMTPUTF8", problem.message)
    end
    assert.same({}, kept(ascii))
    run {}
    assert.same({ "kermit@example.org" }, kept(ascii)[1].to)
  end)

  it("writes in the charset that is asked for, by field or option", function()
    local mail = sent { charset = "ISO-8859-1", text = "Grüße", subject = "Grüße" }
    assert.same({ "iso-8859-1", "Grüße", "Grüße" }, { mail.parts[1].charset, (mail.parts[1].text:gsub("%s+$", "")), mail.headers.subject })
    open { charset = "ISO-8859-15" }
    assert.same("iso-8859-15", sent({ text = "5 €" }).parts[1].charset)
    assert.same("mail.request", cause({ charset = "ISO-8859-1", text = "你好" }).type)
    assert.same("mail.request", cause({ charset = "no-such" }).type)
  end)

  it("adds headers, also ones with colons in their values", function()
    local mail = sent { headers = "X-Link: http://a:80/b\nX-Plain: 1" }
    assert.same({ "http://a:80/b", "1" }, { mail.headers["x-link"], mail.headers["x-plain"] })
  end)

  it("attaches bytes, resources and files, and shows images by their cid", function()
    local place = folder.make()
    local file = assert(io.open(place .. "/note.txt", "w"))
    file:write "from a file"
    file:close()
    open { files = { place } }
    local mail = sent({ html = '<img src="cid:logo">', attachments = "${all}" }, nil, { all = { "doc/terms.txt", place .. "/note.txt",
      { name = "Ağrı 1.pdf", type = "application/pdf", data = "\0\1\255" },
      { name = "l.png", type = "image/png", cid = "logo", data = "png" } } },
      { ["doc/terms.txt"] = "terms" })
    local by = {}
    for _, part in ipairs(mail.parts) do by[part.name or part.type] = part end
    assert.same({ "0001ff", "application/pdf", "attachment", "base64" },
      { by["Ağrı 1.pdf"].hex, by["Ağrı 1.pdf"].type, by["Ağrı 1.pdf"].disposition, by["Ağrı 1.pdf"].encoding })
    assert.same({ "<logo>", "inline" }, { by["l.png"].cid, by["l.png"].disposition })
    assert.truthy(by["multipart/mixed"] and by["multipart/related"] and by["multipart/alternative"])
    assert.same({ ("terms"):gsub(".", function(c) return ("%02x"):format(c:byte()) end) }, { by["terms.txt"].hex, 5 })
    for _, bad in ipairs { "/etc/passwd", place .. "/../x", place .. "/none", "none.txt" } do
      assert.same("mail.request", cause({ attachments = "${a}" }, nil, { a = bad }).type)
    end
    os.execute(("ln -s /etc/passwd %s/link"):format(place))
    assert.same("mail.request", cause({ attachments = place .. "/link" }).type)
    folder.remove(place)
  end)

  it("names itself the same on each repetition of a visit", function()
    open({}, {})
    local before = #kept()
    engine:register("fails", function() error "after the mail" end)
    engine:deploy { ["p.bpmn"] = model.task("mail", { to = "a@example.org", text = "x" }, { attributes = 'v:async="true"',
      inside = '<v:executionListener event="end" class="fails"/>' }) }
    engine:start "p"
    for _ = 1, 2 do pcall(function() engine:job({}):execute() end) end
    local all = kept()
    assert.same(before + 2, #all)
    assert.same(all[#all].headers["message-id"], all[#all - 1].headers["message-id"])
    engine:start "p"
    pcall(function() engine:job({ retries = 3 }):execute() end)
    local again = kept()
    assert.are_not.equal(again[#again].headers["message-id"], all[#all].headers["message-id"])
  end)

  it("sends everything to one address when the options force it", function()
    open { force_to = "trap@example.org" }
    assert.same({ "trap@example.org" }, sent({ cc = "c@example.org", bcc = "d@example.org" }).to)
    assert.same({ "trap@example.org" }, sent({ to = "", bcc = "d@example.org" }).to)
  end)

  it("goes to the server of its tenant", function()
    local other = start "plain"
    open { servers = { acme = { host = "127.0.0.1", port = other.port, from = "acme@example.org" } } }
    local xml = model.task("mail", { to = "a@example.org", text = "x" })
    engine:deploy({ ["p.bpmn"] = xml }, { tenant = "acme" })
    engine:start("p", { tenant = "acme" })
    assert.same("acme@example.org", kept(other)[1].from)
  end)

  describe("refuses", function()
    it("line ends in headers, before anything is sent", function()
      local before = #kept()
      for _, fields in ipairs { { subject = "${bad}" }, { to = "${bad}" }, { from = "${bad}" }, { headers = "X-A: ${bad}" } } do
        local problem = cause(fields, nil, { bad = "a@b.org\r\nBcc: evil@example.org" })
        assert.same("mail.request", problem.type)
      end
      assert.same(before, #kept())
    end)

    it("what is no address", function()
      for _, bad in ipairs { "kermit", "a@b@c", "<>", "a b@c" } do assert.same("mail.request", cause({ to = bad }).type, bad) end
    end)

    it("at deployment what has no recipient or no text", function()
      assert.truthy(model.problems(engine, model.task("mail", { text = "x" })):find("No recipient", 1, true))
      assert.truthy(model.problems(engine, model.task("mail", { to = "a@b.org" })):find("should be provided", 1, true))
    end)
  end)

  describe("fails", function()
    it("for good when the server refuses a recipient or the text, and then nobody gets it", function()
      local before = #kept()
      local problem = cause({ to = "good@example.org, bad@refused.example" })
      assert.same("mail.rejected", problem.type)
      assert.truthy(table.concat(problem.parents, " "):find("org.flowable.common.engine.api.FlowableException", 1, true))
      assert.same("mail.rejected", cause({ text = "refuse this text" }).type)
      assert.same(before, #kept())
    end)

    it("for now, when the server says so", function() assert.same("mail.later", cause({ to = "x@later.example" }).type) end)

    it("in time", function()
      open { timeout = 0.3 }
      assert.same("mail.timeout", cause({ to = "x@slow.example" }).type)
    end)

    it("where nothing listens, and where no name leads", function()
      open { port = servers.closed_port() }
      assert.same("mail.connect", cause().type)
      open { host = "nobody.invalid" }
      assert.same("mail.resolve", cause().type)
    end)

    it("when the server goes away in the middle", function()
      assert.same("mail.protocol", cause({ to = "x@gone.example" }).type)
    end)

    it("silently, when it is to be ignored", function()
      local instance = run { to = "bad@refused.example", ignoreException = "true", exceptionVariableName = "why" }
      assert.same({ "after" }, instance:active())
      assert.truthy(instance:get("why"):find("550", 1, true))
    end)
  end)

  it("goes to the port that its kind of TLS has", function()
    for tls, port in pairs { none = 25, starttls = 587, implicit = 465 } do
      engine:close()
      engine = orrery.open(nil, { log = "none", mail = { host = "127.0.0.77", tls = tls } })
      local problem = cause()
      assert.same("mail.connect", problem.type)
      assert.truthy(problem.message:find((" port %d "):format(port), 1, true), problem.message)
    end
  end)

  describe("over TLS", function()
    with("certificates", "from the first byte", function()
      local tls = start("implicit", keys .. "/good.pem")
      open { port = tls.port, tls = "implicit" }
      run {}
      assert.is_true(kept(tls)[1].tls)
      open({ port = tls.port, tls = "implicit" }, { http = {} })
      assert.same("mail.tls", cause().type)
    end)

    with("certificates", "by STARTTLS, which is required and not hoped for", function()
      local tls = start("starttls", keys .. "/good.pem")
      open { port = tls.port, tls = "starttls" }
      run {}
      assert.is_true(kept(tls)[1].tls)
      run { to = "käse@example.org" } -- the server is greeted twice
      assert.same({ "käse@example.org" }, kept(tls)[2].to)
      local before = #kept()
      open { tls = "starttls" } -- the plain server offers none
      assert.same("mail.tls", cause().type)
      assert.same(before, #kept())
    end)

    with("certificates", "with a login, whose password stands in no error", function()
      local tls = start("login", keys .. "/good.pem")
      open { port = tls.port, tls = "starttls", user = "kermit", password = "secret" }
      run {}
      assert.is_true(kept(tls)[1].login)
      open { port = tls.port, tls = "starttls", user = "kermit", password = "wr0ng-one" }
      local problem = cause()
      assert.same("mail.login", problem.type)
      assert.is_nil(problem.message:find("wr0ng-one", 1, true))
    end)
  end)

  with("certificates", "logs in with an OAuth token, which stands in no error", function()
    local tls = start("login", keys .. "/good.pem")
    open { port = tls.port, tls = "starttls", user = "kermit", bearer = "t1" }
    run {}
    assert.is_true(kept(tls)[1].login)
    open { port = tls.port, tls = "starttls", user = "kermit", bearer = "st0len" }
    local problem = cause()
    assert.same("mail.login", problem.type)
    assert.is_nil(problem.message:find("st0len", 1, true))
  end)

  with("mta", "reaches a real mail server, which passes it on", function()
    local mta <close> = servers.start("mta", server.port)
    local before = #kept()
    open { port = mta.port }
    assert.same({ "after" }, run({ subject = "By way of OpenSMTPD", text = "Grüße" }):active())
    local all
    for _ = 1, 2400 do -- it delivers when it likes; each look is a call of its own
      all = kept()
      if #all > before then break end
      orrery.await(orrery.spawn { arguments = { "/bin/sleep", "0.05" } })
    end
    assert.same("By way of OpenSMTPD", all[#all].headers.subject)
    assert.same("Grüße", (all[#all].parts[1].text:gsub("%s+$", "")))
  end)

  it("is there for delegates: orrery.mail", function()
    engine:register("send", function() orrery.await(orrery.mail { to = "a@example.org", subject = "S", text = "T" }) end)
    model.run(engine, model.task(nil, {}, { attributes = 'v:class="send"' }))
    local all = kept()
    assert.same("S", all[#all].headers.subject)
    assert.is_false(pcall(orrery.mail, { too = "x" }))
  end)
end)
