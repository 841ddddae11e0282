/** The vector clock of a job as a diagram. */
import { shorten } from '../format/text.ts'
import { Scrolled } from '../parts/Scrolled.tsx'
import type { ClockPicture } from './clockPicture.ts'

const LANE = 56
const COLUMN = 110
const LEFT = 150
const TOP = 44

/** Lanes from left to right in the order of cause and effect; who saw what, as arrows. */
export function ClockDiagram({
  picture,
  nameOf,
}: {
  readonly picture: ClockPicture
  readonly nameOf: (participant: string) => string
}) {
  const { lanes, events, arrows, columns } = picture
  const width = LEFT + Math.max(1, columns) * COLUMN
  const height = TOP + lanes.length * LANE
  const x = (column: number): number => LEFT + 30 + column * COLUMN
  const y = (lane: number): number => TOP + lane * LANE
  const words = events
    .toSorted((a, b) => a.column - b.column)
    .map(
      ({ lane, count, label }) =>
        `${nameOf(lanes[lane] ?? '')}, event ${count}${label === '' ? '' : `: ${label}`}`,
    )
    .join('; then ')
  return (
    <Scrolled label="Causal order, as a diagram" className="clock">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={words}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path className="clock-head" d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {lanes.map((participant, lane) => (
          <g key={participant}>
            <text className="clock-name" x="0" y={y(lane) - 4}>
              {nameOf(participant)}
            </text>
            <text className="clock-address" x="0" y={y(lane) + 14}>
              {shorten(participant, 8, 6)}
            </text>
            <line className="clock-lane" x1={LEFT} x2={width} y1={y(lane)} y2={y(lane)} />
          </g>
        ))}
        {arrows.map(({ from, to }) => (
          <line
            key={`${from.column}-${to.column}`}
            className="clock-arrow"
            markerEnd="url(#arrow)"
            x1={x(from.column) + 6}
            y1={y(from.lane) + Math.sign(to.lane - from.lane) * 10}
            x2={x(to.column) - 8}
            y2={y(to.lane) - Math.sign(to.lane - from.lane) * 13}
          />
        ))}
        {events.map((event) => (
          <g key={event.column}>
            <circle className="clock-event" cx={x(event.column)} cy={y(event.lane)} r="11" />
            <text className="clock-count" x={x(event.column)} y={y(event.lane) + 4}>
              {event.count}
            </text>
            <text
              className="clock-label"
              x={x(event.column)}
              y={y(event.lane) + (event.lane === 0 ? -18 : 27)}
            >
              {event.label}
            </text>
          </g>
        ))}
      </svg>
    </Scrolled>
  )
}
