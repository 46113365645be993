// One stream of events for all tabs of this browser, in a worker that they share; its name is the address of the events. Browsers
// allow six connections to a host, which as many tabs with a stream each would use up. A tab that nobody sees needs none.
import { Stream } from './stream.js'

const SEEN_MS = 30000 // a tab that was ended without a word is forgotten when it has said nothing for so long
const tabs = new Map() // port -> { seen, heard: the event it heard last }
let connected = null

const seen = () => [...tabs.values()].some((tab) => tab.seen)

const stream = new Stream(self.name, (said) => {
  if ('connected' in said) connected = said.connected
  for (const [port, tab] of tabs) {
    if (!tab.seen) continue
    if ('last' in said) tab.heard = said.last
    port.postMessage(said)
  }
})

function look() {
  if (seen()) stream.open()
  else stream.close()
}

/** What a tab has to know that is seen again, or for the first time. */
function welcome(port, tab) {
  if (stream.isOpen && connected !== null) port.postMessage({ connected })
  if (stream.last === null || tab.heard === stream.last) return
  port.postMessage({ change: { all: true }, last: stream.last })
  tab.heard = stream.last
}

function say(port, { seen: isSeen, bye }) {
  if (bye) tabs.delete(port)
  else {
    const tab = tabs.get(port) ?? { seen: false, heard: null }
    tabs.set(port, tab)
    tab.at = Date.now()
    if (isSeen && !tab.seen) {
      tab.seen = true
      welcome(port, tab)
    }
    tab.seen = isSeen
  }
  look()
}

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => say(port, data)
}

setInterval(() => {
  for (const [port, tab] of tabs) if (tab.seen && Date.now() - tab.at > SEEN_MS) tabs.delete(port)
  look()
}, SEEN_MS)
