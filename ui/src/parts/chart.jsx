// A small line over time: enough to see a change, no more.

const WIDTH = 220
const HEIGHT = 44

function points(values, top) {
  const step = WIDTH / Math.max(1, values.length - 1)
  return values.map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`)
}

/** `values`: one a minute (or whatever `per` says), oldest first; null where nothing is known. */
export function Spark({ name, values, format, tone = 'run' }) {
  const known = values.filter((value) => value !== null && value !== undefined)
  const top = Math.max(1e-9, ...known)
  const last = known.at(-1)
  const line = points(values.map((value) => value ?? 0), top)
  return (
    <figure class={`spark ${tone}`}>
      <figcaption>{name}<strong class="number">{last === undefined ? '–' : format(last)}</strong></figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" preserveAspectRatio="none"
        aria-label={last === undefined ? `${name}: nothing known yet` : `${name}: now ${format(last)}, at most ${format(top)}`}>
        {known.length > 1 && <polygon points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`} />}
        {known.length > 1 && <polyline points={line.join(' ')} />}
      </svg>
    </figure>
  )
}
