// JSON whose whole numbers keep all their digits: those beyond 2^53 are read as BigInt.

const MANY_DIGITS = /\d{16}/
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const WHOLE = /^-?\d{16,}$/
const MARK = '\u{f8ff}whole:' // stands before a number's digits, within a text, while JSON reads or writes it

const isWide = (token) => WHOLE.test(token) && !Number.isSafeInteger(Number(token))

export function parseExactly(text) {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text)
  const marked = text.replace(TOKENS, (token) => (isWide(token) ? `"${MARK}${token}"` : token))
  return JSON.parse(marked, (_, value) => (typeof value === 'string' && value.startsWith(MARK) && WHOLE.test(value.slice(MARK.length))
    ? BigInt(value.slice(MARK.length)) : value))
}

/** A value as JSON, for people to read and to edit. */
export function textExactly(value, indent) {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? MARK + each : each), indent)
  return text?.replaceAll(new RegExp(`"${MARK}(-?\\d+)"`, 'g'), '$1')
}
