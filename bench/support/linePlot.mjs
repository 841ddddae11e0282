// Curves over a logarithmic axis each way, as SVG text.

const WIDTH = 640
const HEIGHT = 320
const LEFT = 70
const RIGHT = 190
const TOP = 40
const BOTTOM = 50
const COLOURS = ['#1a7f4b', '#c8553d', '#2c5f9e', '#8a6d1d']

const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Powers of ten that enclose the values. */
function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return Array.from({ length: high - low + 1 }, (_, i) => low + i)
}

const label = (power) => (power < 0 ? (10 ** power).toFixed(-power) : (10 ** power).toLocaleString('en')) // prettier-ignore

/** One plot: `curves` by name are lists of [x, y], all positive; `at` is where its upper edge stands. */
function plot({ title, x: xTitle, y: yTitle, curves }, at) {
  const points = Object.values(curves).flat()
  const xs = decades(points.map(([x]) => x))
  const ys = decades(points.map(([, y]) => y))
  const place = (value, powers, from, to) =>
    from + ((Math.log10(value) - powers[0]) / (powers.at(-1) - powers[0])) * (to - from)
  const x = (value) => place(value, xs, LEFT, WIDTH - RIGHT).toFixed(1)
  const y = (value) => (at + place(value, ys, HEIGHT - BOTTOM, TOP)).toFixed(1)
  const [lowest, highest] = [ys[0], ys.at(-1)].map((power) => y(10 ** power))
  return [
    `<text x="10" y="${at + 20}" font-size="14">${escape(title)}</text>`,
    ...xs.map(
      (power) =>
        `<line x1="${x(10 ** power)}" x2="${x(10 ** power)}" y1="${highest}" y2="${lowest}" stroke="#ddd"/><text x="${x(10 ** power)}" y="${at + HEIGHT - BOTTOM + 18}" text-anchor="middle">${label(power)}</text>`,
    ),
    ...ys.map(
      (power) =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(10 ** power)}" y2="${y(10 ** power)}" stroke="#ddd"/><text x="${LEFT - 8}" y="${Number(y(10 ** power)) + 4}" text-anchor="end">${label(power)}</text>`,
    ),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${at + HEIGHT - 12}" text-anchor="middle">${escape(xTitle)}</text>`,
    `<text x="${LEFT}" y="${at + TOP - 6}">${escape(yTitle)}</text>`,
    ...Object.entries(curves).flatMap(([name, list], index) => {
      const colour = COLOURS[index % COLOURS.length]
      const [lastX, lastY] = list.at(-1)
      return [
        `<polyline points="${list.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...list.map(([px, py]) => `<circle cx="${x(px)}" cy="${y(py)}" r="3" fill="${colour}"/>`),
        `<text x="${Number(x(lastX)) + 8}" y="${Number(y(lastY)) + 4}" fill="${colour}">${escape(name)}</text>`,
      ]
    }),
  ].join('\n')
}

/** Plots below each other. */
export function linePlots(plots) {
  const height = plots.length * HEIGHT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...plots.map((each, index) => plot(each, index * HEIGHT)),
    '</svg>',
    '',
  ].join('\n')
}
