// A small line over time: enough to see a change, no more.

const WIDTH = 220
const HEIGHT = 44

function points(values, top) {
  const step = WIDTH / Math.max(1, values.length - 1)
  return values.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`)
}

/** `values`: one a minute, oldest first; null where there was nothing to be counted. */
export function Spark({ name, values = [], format, tone = 'run' }) {
  const known = values.filter((value) => value !== null && value !== undefined)
  const top = Math.max(1e-9, ...known)
  const last = known.at(-1)
  const line = points(values.map((value) => value ?? 0), top)
  const says = last === undefined ? `${name}: the first minute is being counted` : `${name}: ${format(last)} in the last minute, at most ${format(top)}`
  return (
    <figure class={`spark ${tone}`} title={says}>
      <figcaption>{name}<strong class="number">{last === undefined ? '–' : format(last)}</strong></figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" preserveAspectRatio="none" aria-label={says}>
        <line class="ground" x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        {known.length > 1 && <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} />}
        {known.length > 1 && <polyline points={line.join(' ')} />}
      </svg>
    </figure>
  )
}
