/** Rooms use of the machine only what their entry in the table names; deterministic ones not even through others. */
import { isTest } from '../checkout.ts'
import { usesOf, type Capability, type Use } from '../capabilities.ts'
import type { Fault } from '../fault.ts'
import type { Module } from '../modules.ts'
import { roomNames, roomOf, ROOMS, type RoomName } from '../rooms.ts'

const RULE = 'machine'

/** What would make two machines disagree. */
const BREAKS_DETERMINISM: ReadonlySet<Capability> = new Set([
  'clock',
  'timers',
  'randomness',
  'environment',
  'network',
])

function describe(room: RoomName, { capability, what }: Use): string {
  const { uses, folder, isDeterministic } = ROOMS[room]
  if (isDeterministic)
    return `uses ${what} (${capability}): ${folder}/ is deterministic, so pass it in`
  const allowed = uses.length === 0 ? 'nothing of the machine' : uses.join(', ')
  return `uses ${what} (${capability}): ${folder}/ may use ${allowed} (tidy/rooms.ts)`
}

function forbiddenEverywhere({ file }: Module, { what, line }: Use): Fault[] {
  if (what !== 'Math.random') return []
  const message = 'uses Math.random: whoever sees some of its numbers knows the next ones'
  return [{ file, line, rule: RULE, subject: what, message }]
}

/**
 * Files of other rooms that a deterministic room runs, each with the file that leads there. The search ends at the store: what
 * is behind it is a disk, which gives back what was written.
 */
function reached(
  modules: ReadonlyMap<string, Module>,
  room: RoomName,
): ReadonlyMap<string, string> {
  const via = new Map<string, string>()
  const queue = [...modules.values()].filter(({ file }) => roomOf(file) === room && !isTest(file))
  for (let module = queue.pop(); module; module = queue.pop())
    for (const { target, isType } of module.imports) {
      const next = target === undefined || isType ? undefined : modules.get(target)
      if (!next || via.has(next.file)) continue
      const place = roomOf(next.file)
      if (place === room || place === 'store') continue
      via.set(next.file, module.file)
      queue.push(next)
    }
  return via
}

/** Code that uses more of the machine than the table allows, and entries of the table that nothing needs. */
export function machineFaults(modules: ReadonlyMap<string, Module>): Fault[] {
  const out: Fault[] = []
  const uses = new Map<string, readonly Use[]>()
  const used = new Map<RoomName, Set<Capability>>()
  for (const module of modules.values()) {
    const { file } = module
    const room = roomOf(file)
    if (room === undefined || isTest(file) || file.endsWith('.as.ts')) continue
    const found = usesOf(module)
    uses.set(file, found)
    const ofRoom = used.get(room) ?? new Set()
    used.set(room, ofRoom)
    for (const use of found) {
      ofRoom.add(use.capability)
      out.push(...forbiddenEverywhere(module, use))
      if (!ROOMS[room].uses.includes(use.capability))
        out.push({
          file,
          line: use.line,
          rule: RULE,
          subject: use.capability,
          message: describe(room, use),
        })
    }
  }
  for (const room of roomNames()) {
    for (const subject of ROOMS[room].uses)
      if (!used.get(room)?.has(subject))
        out.push({
          file: 'tidy/rooms.ts',
          line: 0,
          rule: RULE,
          subject,
          message: `${room} lists ${subject}, which nothing in it uses: take it off the list`,
        })
    if (!ROOMS[room].isDeterministic) continue
    for (const [file, from] of reached(modules, room))
      for (const { capability, what, line } of uses.get(file) ?? [])
        if (BREAKS_DETERMINISM.has(capability))
          out.push({
            file,
            line,
            rule: 'determinism',
            subject: capability,
            message: `uses ${what} (${capability}) and is imported by ${from}: ${room}/ is deterministic`,
          })
  }
  return out
}
