// The stream of events of one engine: one connection, which goes on behind what was heard last.

const AGAIN_MS = 3000 // the browser connects again by itself, except where the server refused

/** `tell(what)` gets { change }, { change: { all: true } } where it is not known what changed, { connected }, and { last }: the event heard last. */
export class Stream {
  constructor(address, tell) {
    this.address = address
    this.tell = tell
    this.source = null
    this.last = null
  }

  get isOpen() {
    return this.source !== null
  }

  open() {
    if (this.source) return
    const behind = this.last === null ? '' : `${this.address.includes('?') ? '&' : '?'}last=${encodeURIComponent(this.last)}`
    const source = (this.source = new EventSource(this.address + behind))
    const hear = (kind, change) => source.addEventListener(kind, (event) => {
      this.last = event.lastEventId
      this.tell({ change: change(event), last: this.last })
    })
    source.addEventListener('open', () => this.tell({ connected: true }))
    hear('hello', () => null)
    hear('change', (event) => JSON.parse(event.data))
    hear('reset', () => ({ all: true }))
    source.addEventListener('error', () => this.failed(source))
  }

  failed(source) {
    if (source !== this.source) return
    this.tell({ connected: false })
    if (source.readyState !== EventSource.CLOSED) return
    this.close()
    this.again = setTimeout(() => this.open(), AGAIN_MS)
  }

  close() {
    clearTimeout(this.again)
    this.source?.close()
    this.source = null
  }
}
