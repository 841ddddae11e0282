/** The rooms in layers, and the arrows between them that others do not imply. */
import { ROOMS, roomNames, type RoomName } from '../rooms.ts'

function arrowsOf(room: RoomName): readonly RoomName[] {
  return [...ROOMS[room].imports, ...(ROOMS[room].typesOf ?? [])]
}

function reach(room: RoomName, out = new Set<RoomName>()): ReadonlySet<RoomName> {
  for (const next of arrowsOf(room)) if (!out.has(next)) reach(next, out.add(next))
  return out
}

/** For each room the rooms that it imports, without those that another of them imports, too. */
export function reduced(): ReadonlyMap<RoomName, readonly RoomName[]> {
  return new Map(
    roomNames().map((room) => {
      const direct = arrowsOf(room)
      const implied = new Set(direct.flatMap((next) => [...reach(next)]))
      return [room, direct.filter((next) => !implied.has(next))]
    }),
  )
}

/** Rooms by layer: each stands one below the lowest that it imports. */
export function layers(): readonly (readonly RoomName[])[] {
  const depth = new Map<RoomName, number>()
  const depthOf = (room: RoomName): number => {
    const known = depth.get(room)
    if (known !== undefined) return known
    const own = Math.max(-1, ...arrowsOf(room).map(depthOf)) + 1
    depth.set(room, own)
    return own
  }
  const out: RoomName[][] = []
  for (const room of roomNames()) (out[depthOf(room)] ??= []).push(room)
  return out
}
