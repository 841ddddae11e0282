/** Small plots: one series, its latest value in words, and nothing to read off an axis. */
import { useId, type ReactNode } from 'react'

const WIDTH = 240
const HEIGHT = 56

export type PlotProps = {
  readonly name: string
  /** The latest value, as it is read. */
  readonly value: string
  readonly note?: ReactNode
  /** The oldest first. */
  readonly series: readonly number[]
  /** Bars suit amounts of a time, a line suits a level. */
  readonly kind: 'bars' | 'line'
  /** How many values fill the width. */
  readonly length: number
  /** What the vertical reaches at least, so that noise around zero looks like that. */
  readonly floor?: number
}

function bars(series: readonly number[], length: number, top: number): string {
  const step = WIDTH / length
  const offset = length - series.length
  let path = ''
  series.forEach((value, index) => {
    if (value <= 0) return
    const height = Math.max(1.5, (value / top) * HEIGHT)
    const x = (offset + index) * step
    path += `M${x.toFixed(1)} ${HEIGHT}v${(-height).toFixed(1)}h${(step * 0.72).toFixed(1)}v${height.toFixed(1)}z`
  })
  return path
}

function line(series: readonly number[], length: number, low: number, top: number): string {
  const step = WIDTH / Math.max(1, length - 1)
  const offset = length - series.length
  return series
    .map((value, index) => {
      const y = HEIGHT - 2 - ((value - low) / (top - low || 1)) * (HEIGHT - 4)
      return `${index === 0 ? 'M' : 'L'}${((offset + index) * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

/** A plot with its name and latest value. */
export function Plot({ name, value, note, series, kind, length, floor = 0 }: PlotProps) {
  const id = useId()
  const shown = series.slice(-length)
  const top = Math.max(floor, ...shown, 1e-9)
  const low = kind === 'bars' ? 0 : Math.min(0, ...shown)
  const path = kind === 'bars' ? bars(shown, length, top) : line(shown, length, low, top)
  return (
    <figure className="plot" aria-labelledby={id}>
      <figcaption id={id}>
        <span className="plot-name">{name}</span>
        <span className="plot-value">{value}</span>
        {note !== undefined && <span className="plot-note">{note}</span>}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path className={`plot-${kind}`} d={path} vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  )
}
