/**
 * The table of rooms as rules of the linter, so that an editor shows a wrong import while it is written. The linter knows
 * specifiers and no files: the tidy tests decide.
 */
import { CAPABILITY_GLOBALS, CAPABILITY_MODULES } from '../capabilities.ts'
import { EXCEPTIONS, type Exception } from '../exceptions.ts'
import { ROOMS, roomNames, type RoomName } from '../rooms.ts'

/** Where the rules go; `.oxlintrc.json` extends it. */
export const LINT_RULES_FILE = '.oxlintrc.rooms.json'

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}

function alternatives(texts: readonly string[]): string {
  return texts.map(escape).join('|')
}

function forbiddenRooms(room: RoomName): object[] {
  const { imports, typesOf = [], folder } = ROOMS[room]
  const allowed = new Set<RoomName>([room, ...imports])
  const names = roomNames().filter((name) => !allowed.has(name))
  if (names.length === 0) return []
  // A page has folders that are called like rooms.
  const source = folder.startsWith('src/') ? '(?:src/|dist/)?' : 'src/'
  const up = String.raw`^(?:\.{1,2}/)+${source}`
  return [
    {
      regex: `${up}(?:${alternatives(names)})/`,
      ...(typesOf.length > 0 ? { allowTypeImports: true } : {}),
      message: `${folder}/ may import ${imports.join(', ') || 'no other room'} (tidy/rooms.ts).`,
    },
  ]
}

/** Packages that any room imports: the linter's patterns cannot say "all but". */
const allPackages = [...new Set(roomNames().flatMap((room) => ROOMS[room].packages))].sort()

function forbiddenModules(room: RoomName): object[] {
  const { uses, packages, folder } = ROOMS[room]
  const others = allPackages.filter((name) => !packages.includes(name))
  const forbidden = Object.entries(CAPABILITY_MODULES)
    .filter(([, capability]) => !uses.includes(capability))
    .map(([name]) => name)
  return [
    {
      regex: `^(?:${alternatives(others)})(?:/|$)`,
      message: `${folder}/ may import ${packages.join(', ') || 'no package'} (tidy/rooms.ts).`,
    },
    {
      regex: uses.includes('node') ? `^(?:${alternatives(forbidden)})$` : '^node:',
      message: `${folder}/ may use ${uses.join(', ') || 'nothing of the machine'} (tidy/rooms.ts).`,
    },
  ]
}

function globalsRule(room: RoomName): readonly unknown[] {
  const { uses, folder } = ROOMS[room]
  const forbidden = Object.entries(CAPABILITY_GLOBALS)
    .filter(([, capability]) => !uses.includes(capability))
    .map(([name, capability]) => ({
      name,
      message: `${folder}/ may not use ${capability} (tidy/rooms.ts): pass it in.`,
    }))
  return forbidden.length === 0 ? ['off'] : ['error', ...forbidden]
}

function propertiesRule(room: RoomName): readonly unknown[] {
  const random = { object: 'Math', property: 'random', message: 'Math.random can be foreseen.' }
  const clock = {
    object: 'Date',
    property: 'now',
    message: `${ROOMS[room].folder}/ may not use a clock (tidy/rooms.ts): pass the time in.`,
  }
  return ['error', random, ...(ROOMS[room].uses.includes('clock') ? [] : [clock])]
}

function override(room: RoomName): object {
  const { folder } = ROOMS[room]
  return {
    files: [`${folder}/**/*.ts`, `${folder}/**/*.tsx`],
    excludeFiles: [`${folder}/**/*.test.ts`, `${folder}/**/*.test.tsx`],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [...forbiddenRooms(room), ...forbiddenModules(room)] },
      ],
      'no-restricted-globals': globalsRule(room),
      'no-restricted-properties': propertiesRule(room),
    },
  }
}

/** Where the table has exceptions, the tidy tests alone decide. */
function exemption({ file }: Exception): object {
  return {
    files: [file],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-properties': 'off' },
  }
}

/** The text of the file. */
export function lintRules(): string {
  const overrides = roomNames()
    .filter((room) => room !== 'generated')
    .map(override)
  overrides.push(...EXCEPTIONS.filter(({ rule }) => rule === 'machine').map(exemption))
  return `${JSON.stringify({ overrides }, undefined, 2)}\n`
}
