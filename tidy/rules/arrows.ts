/** Rooms import only what their entry in the table names. */
import { isTest, type Checkout } from '../checkout.ts'
import type { Fault } from '../fault.ts'
import { isPresent, packageOf, type Module, type ResolvedImport } from '../modules.ts'
import { roomNames, roomOf, ROOMS, WORKSHOPS, type RoomName } from '../rooms.ts'

const RULE = 'arrows'

/** Tests beside the code may import what tests share, and each other. */
const SHARED_BY_TESTS = /^test\/support\//

function placeOf(file: string): string {
  return roomOf(file) ?? file.split('/', 1)[0] ?? file
}

function isWorkshop(place: string): boolean {
  return (WORKSHOPS as readonly string[]).includes(place)
}

function describe(room: RoomName): string {
  const { imports, folder } = ROOMS[room]
  return `${folder}/ may import ${imports.length === 0 ? 'no other room' : imports.join(', ')}`
}

function targetFault(
  checkout: Checkout,
  module: Module,
  target: string,
): Omit<Fault, 'line'> | undefined {
  const { file } = module
  const subject = placeOf(target)
  const room = roomOf(file)
  const fault = (message: string) => ({ file, rule: RULE, subject, message })
  if (!isPresent(checkout, target)) return fault(`imports ${target}, which is not there`)
  if (room === undefined || subject === room) return undefined
  if (isTest(file) && SHARED_BY_TESTS.test(target)) return undefined
  if (isWorkshop(subject))
    return fault(`imports ${target}: the product may not need what only its developers have`)
  if (ROOMS[room].imports.includes(subject as RoomName)) return undefined
  if (isTest(file) && ROOMS[room].tests?.includes(subject as RoomName)) return undefined
  return fault(`imports ${target}: ${describe(room)} (tidy/rooms.ts)`)
}

function typesFault(module: Module, { target, isType }: ResolvedImport): boolean {
  const room = roomOf(module.file)
  const subject = target === undefined ? undefined : roomOf(target)
  return !(isType && room && subject && ROOMS[room].typesOf?.includes(subject))
}

function packageFault({ file }: Module, specifier: string): Omit<Fault, 'line'> | undefined {
  const room = roomOf(file)
  // What a room may use of Node itself is the affair of its capabilities; tests may use any package that is installed.
  if (room === undefined || isTest(file) || specifier.startsWith('node:')) return undefined
  const subject = packageOf(specifier)
  if (ROOMS[room].packages.includes(subject)) return undefined
  const message = `imports the package ${subject}, which tidy/rooms.ts does not list for ${room}`
  return { file, rule: RULE, subject, message }
}

/** Imports that the table does not allow. */
export function arrowFaults(checkout: Checkout, modules: ReadonlyMap<string, Module>): Fault[] {
  const out: Fault[] = []
  for (const module of modules.values())
    for (const each of module.imports) {
      const { specifier, target, line } = each
      const fault =
        specifier === undefined
          ? roomOf(module.file) && !isTest(module.file)
            ? {
                file: module.file,
                rule: RULE,
                subject: 'computed',
                message: 'imports what is computed at run time: nobody can tell what that is',
              }
            : undefined
          : target === undefined
            ? packageFault(module, specifier)
            : typesFault(module, each)
              ? targetFault(checkout, module, target)
              : undefined
      if (fault) out.push({ ...fault, line })
    }
  return out
}

function missing(
  room: RoomName,
  kind: string,
  listed: readonly string[],
  used: ReadonlySet<string>,
): Fault[] {
  return listed
    .filter((subject) => !used.has(subject))
    .map((subject) => ({
      file: 'tidy/rooms.ts',
      line: 0,
      rule: RULE,
      subject,
      message: `${room} lists the ${kind} ${subject}, which nothing in it imports: take it off the list`,
    }))
}

/** Entries of the table that no import needs. */
export function staleArrows(modules: ReadonlyMap<string, Module>): Fault[] {
  const rooms = new Map<string, Set<string>>()
  const packages = new Map<string, Set<string>>()
  const byTests = new Map<string, Set<string>>()
  for (const { file, imports } of modules.values()) {
    const room = roomOf(file)
    if (room === undefined) continue
    const arrows = isTest(file) ? byTests : rooms
    const ofRooms = arrows.get(room) ?? new Set()
    const ofPackages = packages.get(room) ?? new Set()
    for (const { specifier, target } of imports)
      if (target !== undefined) ofRooms.add(placeOf(target))
      else if (specifier !== undefined && !isTest(file)) ofPackages.add(packageOf(specifier))
    arrows.set(room, ofRooms)
    packages.set(room, ofPackages)
  }
  const none = new Set<string>()
  return roomNames().flatMap((room) => [
    ...missing(
      room,
      'room',
      [...ROOMS[room].imports, ...(ROOMS[room].typesOf ?? [])],
      rooms.get(room) ?? none,
    ),
    ...missing(room, 'room for tests', ROOMS[room].tests ?? [], byTests.get(room) ?? none),
    ...missing(room, 'package', ROOMS[room].packages, packages.get(room) ?? none),
  ])
}

/** Rooms that import each other, directly or through others: the house would have a circle. */
export function circles(): Fault[] {
  const out: Fault[] = []
  const reach = (room: RoomName, seen = new Set<RoomName>()): Set<RoomName> => {
    for (const next of [...ROOMS[room].imports, ...(ROOMS[room].typesOf ?? [])])
      if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  for (const room of roomNames())
    if (reach(room).has(room))
      out.push({
        file: 'tidy/rooms.ts',
        line: 0,
        rule: RULE,
        subject: room,
        message: `${room} imports itself by way of other rooms`,
      })
  return out
}
