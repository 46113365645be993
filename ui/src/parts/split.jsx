// Two panels with a bar between that moves by mouse and by arrow keys. Where it stands is kept in this browser.
import { useRef, useState } from 'preact/hooks'

const LEAST = 15
const MOST = 85

function kept(name, start) {
  try {
    return Number(localStorage.getItem(`orrery.split.${name}`)) || start
  } catch { /* storage may be forbidden */
    return start
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`orrery.split.${name}`, value)
  } catch { /* then it is as before next time */ }
}

export function Split({ name, down, start = 50, children: [first, second] }) {
  const box = useRef(null)
  const [share, setShare] = useState(() => kept(name, start))
  const move = (value) => {
    const next = Math.min(MOST, Math.max(LEAST, value))
    setShare(next)
    keep(name, next)
  }
  const drag = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const area = box.current.getBoundingClientRect()
    move(down ? ((event.clientY - area.top) / area.height) * 100 : ((event.clientX - area.left) / area.width) * 100)
  }
  const key = (event) => {
    const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2 }[event.key]
    if (!step) return
    event.preventDefault()
    move(share + step)
  }
  return (
    <div ref={box} class={down ? 'split down' : 'split'} style={{ '--share': `${share}%` }}>
      <div class="first">{first}</div>
      <div class="bar" role="separator" tabIndex={0} aria-label={`Size of ${name}`} aria-orientation={down ? 'horizontal' : 'vertical'}
        aria-valuenow={Math.round(share)} aria-valuemin={LEAST} aria-valuemax={MOST} onKeyDown={key}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)} onPointerMove={drag} />
      <div class="second">{second}</div>
    </div>
  )
}

/** Panels of which one is open; which, stands in the address. */
export function Tabs({ name, tabs, open, onOpen, children }) {
  const ids = tabs.map(([id]) => id)
  const key = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    const next = ids[(ids.indexOf(open) + step + ids.length) % ids.length]
    onOpen(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={name} onKeyDown={key}>
        {tabs.map(([id, title, n, tone]) => (
          <button key={id} id={`tab-${id}`} type="button" role="tab" aria-selected={id === open} aria-controls="tab-panel"
            tabIndex={id === open ? 0 : -1} onClick={() => onOpen(id)}>
            {title}{n > 0 && <span class={`pill ${tone ?? ''}`}>{n}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${open}`} tabIndex={0}>{children}</div>
    </div>
  )
}
