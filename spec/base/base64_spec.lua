-- Bytes as base64: what tasks, mail and the server share.
local core = require "orrery.core"
local random = require "spec.support.random"

math.randomseed(random.seed())

describe("base64", function()
  it("has the texts of RFC 4648", function()
    local texts = { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=", foobar = "Zm9vYmFy" }
    for bytes, text in pairs(texts) do
      assert.equal(text, core.base64_encode(bytes))
      assert.equal(bytes, core.base64_decode(text))
    end
    assert.equal("+/8=", core.base64_encode "\xFB\xFF")
  end)

  it("gives back what was written, whatever it was", function()
    for size = 0, 300 do
      local bytes = {}
      for i = 1, size do bytes[i] = string.char(math.random(0, 255)) end
      local all = table.concat(bytes)
      local text = core.base64_encode(all)
      assert.equal((size + 2) // 3 * 4, #text)
      assert.equal(all, core.base64_decode(text))
      assert.equal(all, core.base64_decode((text:gsub("....", "%0 \r\n\t"))))
    end
  end)

  it("reads to the first '=', and nothing that is none", function()
    assert.equal("foob", core.base64_decode "Zm9vYg==ignored")
    for _, text in ipairs { "Zm9v*", "Zm9-", "Zm_v", "\xFF" } do assert.is_nil(core.base64_decode(text)) end
  end)
end)
