// A bar for each row's ratio to anvil, on a logarithmic axis, as SVG text.
import { ratioOf, verdictOf } from './table.mjs'

const WIDTH = 900
const LABELS = 430
const LINE = 24
const TOP = 48
const COLOURS = { aim: '#1a7f4b', target: '#7fb069', miss: '#c8553d', '': '#8a8f98' }
const LOWEST = 0.01
const HIGHEST = 100

function x(ratio) {
  const clamped = Math.min(HIGHEST, Math.max(LOWEST, ratio))
  const share = Math.log(clamped / LOWEST) / Math.log(HIGHEST / LOWEST)
  return LABELS + share * (WIDTH - LABELS - 60)
}

const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Where lower is better, the bar shows the inverse: to the right is always better. */
const shown = (row, value) => (row.isLowerBetter ? 1 / value : value)

function bar(row, index) {
  const ratio = shown(row, ratioOf(row))
  const y = TOP + index * LINE
  const [from, to] = [x(1), x(ratio)].toSorted((a, b) => a - b)
  const targets =
    row.least === undefined ? [] : [row.least, row.aim].map((each) => shown(row, each))
  const ticks = targets.map(
    (each) =>
      `<line x1="${x(each).toFixed(1)}" x2="${x(each).toFixed(1)}" y1="${y + 2}" y2="${y + LINE - 4}" stroke="#222" stroke-dasharray="2 2"/>`,
  )
  return [
    `<text x="${LABELS - 10}" y="${y + 15}" text-anchor="end">${escape(row.name)}</text>`,
    `<rect x="${from.toFixed(1)}" y="${y + 3}" width="${Math.max(1, to - from).toFixed(1)}" height="${LINE - 8}" fill="${COLOURS[verdictOf(row)]}"/>`,
    ...ticks,
    `<text x="${WIDTH - 50}" y="${y + 15}">${ratio.toPrecision(3)}x</text>`,
  ].join('\n')
}

function axis(height) {
  return [0.01, 0.1, 1, 10, 100].map(
    (value) =>
      `<line x1="${x(value)}" x2="${x(value)}" y1="${TOP - 6}" y2="${height}" stroke="${value === 1 ? '#222' : '#ddd'}"/>` +
      `<text x="${x(value)}" y="${TOP - 12}" text-anchor="middle">${value}x</text>`,
  )
}

/** The plot of the rows that have a ratio. Dashed lines are target and aim. */
export function ratioPlot(rows, title) {
  const drawn = rows.filter((row) => Number.isFinite(ratioOf(row)))
  const height = TOP + drawn.length * LINE + 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="10" y="18" font-size="14">${escape(title)}</text>`,
    ...axis(height - 10),
    ...drawn.map(bar),
    '</svg>',
    '',
  ].join('\n')
}
