/** The rooms and their arrows as a picture (SVG). */
import { ROOMS, type RoomName } from '../rooms.ts'
import { layers, reduced } from './layers.ts'

export const DRAWING_FILE = 'docs/rooms.svg'

const BOX = { width: 104, height: 30 }
const GAP = { x: 22, y: 44 }
const MARGIN = 16

const STYLE = `
    svg { background: #fff; color: #1f2328; font: 13px system-ui, sans-serif; }
    text { fill: currentColor; text-anchor: middle; }
    .room { fill: #fff; stroke: #8a94a0; }
    .deterministic { fill: #eef4fb; stroke: #3b6ea5; }
    .way { fill: none; stroke: #8a94a0; marker-end: url(#arrow); }
    #arrow path { fill: #8a94a0; }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117; color: #e6edf3; }
      .room { fill: #0d1117; stroke: #6b7683; }
      .deterministic { fill: #14253a; stroke: #6ea8e6; }
    }
  `

type Place = { readonly x: number; readonly y: number }

/** Where rooms stand: each under the middle of what it imports, as far as its neighbours let it. */
function placesOf(rows: readonly (readonly RoomName[])[]): {
  readonly places: ReadonlyMap<RoomName, Place>
  readonly width: number
} {
  const arrows = reduced()
  const widest = Math.max(...rows.map((row) => row.length))
  const width = widest * (BOX.width + GAP.x) - GAP.x + 2 * MARGIN
  const places = new Map<RoomName, Place>()
  for (const [index, row] of rows.entries()) {
    const wish = (room: RoomName): number => {
      const above = (arrows.get(room) ?? []).map((name) => places.get(name)?.x ?? width / 2)
      return above.length === 0 ? width / 2 : above.reduce((sum, x) => sum + x, 0) / above.length
    }
    const ordered = [...row].sort((a, b) => wish(a) - wish(b))
    const step = width / ordered.length
    for (const [at, room] of ordered.entries())
      places.set(room, {
        x: Math.round(step * (at + 0.5)),
        y: MARGIN + index * (BOX.height + GAP.y),
      })
  }
  return { places, width }
}

/** The text of the file. */
export function drawing(): string {
  const rows = layers()
  const { places, width } = placesOf(rows)
  const height = rows.length * (BOX.height + GAP.y) - GAP.y + 2 * MARGIN
  const at = (room: RoomName): Place => places.get(room) ?? { x: 0, y: 0 }
  const ways = [...reduced()].flatMap(([room, imports]) =>
    imports.map((target) => {
      const [from, to] = [at(room), at(target)]
      const [start, end] = [from.y, to.y + BOX.height + 2]
      const bend = Math.min(GAP.y, (start - end) / 2)
      const curve = `M${from.x} ${start}C${from.x} ${start - bend} ${to.x} ${end + bend} ${to.x} ${end}`
      return `  <path class="way" d="${curve}" />`
    }),
  )
  const boxes = [...places].map(([room, { x, y }]) => {
    const kind = ROOMS[room].isDeterministic ? 'deterministic' : 'room'
    const size = `width="${BOX.width}" height="${BOX.height}"`
    return [
      `  <rect class="${kind}" x="${x - BOX.width / 2}" y="${y}" ${size} rx="4" />`,
      `  <text x="${x}" y="${y + 19}">${room}</text>`,
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">`,
    '  <title id="title">The rooms and what they import</title>',
    '  <desc id="description">An arrow leads from a room to one that it imports. Arrows that others imply are left out.',
    '    Deterministic rooms are tinted. Made from tidy/rooms.ts by npm run docs.</desc>',
    `  <style>${STYLE}</style>`,
    '  <defs>',
    '    <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
    '      <path d="M0 0 8 4 0 8z" />',
    '    </marker>',
    '  </defs>',
    ...ways,
    ...boxes,
    '</svg>',
    '',
  ].join('\n')
}
