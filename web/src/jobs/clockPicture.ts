/** Vector clocks as a picture (D28): a lane for each participant, an event for each count that is known of it. */
import type { Clock } from './types.ts'

/** A clock that is known, and whose event it is. */
export type KnownClock = {
  readonly participant: string
  readonly clock: Clock
  readonly label: string
}

export type ClockEvent = {
  readonly lane: number
  /** Place from left to right: everything that an event has seen stands left of it. */
  readonly column: number
  readonly count: number
  readonly label: string
}

export type ClockArrow = { readonly from: ClockEvent; readonly to: ClockEvent }

export type ClockPicture = {
  readonly lanes: readonly string[]
  readonly events: readonly ClockEvent[]
  /** From the last event of another participant that an event has seen. */
  readonly arrows: readonly ClockArrow[]
  readonly columns: number
}

const MAX_LANES = 12
const MAX_EVENTS = 60

function countOf(clock: Clock, participant: string): number {
  const text = Object.hasOwn(clock, participant) ? clock[participant] : undefined
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0
}

function sizeOf(clock: Clock): number {
  return Object.keys(clock).reduce((sum, participant) => sum + countOf(clock, participant), 0)
}

/** The picture of what is known. A count that a clock names is an event, also when its own clock is not known. */
export function clockPicture(
  known: readonly KnownClock[],
  first: string | undefined,
): ClockPicture {
  const named = new Set(known.flatMap(({ clock }) => Object.keys(clock)))
  const lanes = [...named]
    .sort((a, b) => Number(b === first) - Number(a === first) || (a < b ? -1 : 1))
    .slice(0, MAX_LANES)
  const sorted = known.toSorted((a, b) => sizeOf(a.clock) - sizeOf(b.clock)).slice(0, MAX_EVENTS)
  const events: ClockEvent[] = []
  const arrows: ClockArrow[] = []
  let columns = 0

  const eventOf = (lane: number, count: number, label: string): ClockEvent => {
    const held = events.find((event) => event.lane === lane && event.count === count)
    if (held !== undefined) return held
    const event = { lane, count, label, column: columns++ }
    events.push(event)
    return event
  }

  for (const { participant, clock, label } of sorted) {
    const lane = lanes.indexOf(participant)
    if (lane < 0) continue
    const seen = lanes.flatMap((other, otherLane) => {
      const count = countOf(clock, other)
      return otherLane === lane || count === 0 ? [] : [eventOf(otherLane, count, '')]
    })
    const own = eventOf(lane, countOf(clock, participant), label)
    for (const from of seen) arrows.push({ from, to: own })
  }
  return { lanes, events, arrows, columns }
}
