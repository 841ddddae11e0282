/** The parts of ARCHITECTURE.md that follow from the table of rooms. */
import { ROOMS, roomNames, type RoomName } from '../rooms.ts'
import { reduced } from './layers.ts'

export const ARCHITECTURE_FILE = 'ARCHITECTURE.md'

const WIDTH = 120

function wrap(text: string, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(`\n${indent}`)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function owns(room: RoomName): string {
  const { folder, owns: what, leaves } = ROOMS[room]
  const notHere = leaves === undefined ? '' : ` Does not own ${leaves}.`
  return wrap(`- **\`${folder}/\`** ${sentence(what)}${notHere}`, '  ')
}

function arrows(room: RoomName): string {
  const { imports, uses } = ROOMS[room]
  const cell = (names: readonly string[]) => (names.length === 0 ? '–' : names.join(', '))
  return `| ${room} | ${cell(imports)} | ${cell(uses)} |`
}

/** The rooms, with what each owns and leaves to others. */
function roomsText(): string {
  return roomNames().map(owns).join('\n')
}

/** Who imports whom, and what each may use of the machine. */
function directionText(): string {
  const chains = [...reduced()].map(([room, imports]) =>
    imports.length === 0 ? `\`${room}\`` : `\`${imports.join(', ')} -> ${room}\``,
  )
  return [
    wrap(`Without the arrows that follow from others: ${chains.slice(1).join('; ')}.`, ''),
    '',
    '| room | imports | uses of the machine |',
    '| --- | --- | --- |',
    ...roomNames().map(arrows),
  ].join('\n')
}

const PARTS: Readonly<Record<string, () => string>> = { rooms: roomsText, direction: directionText }

/** The document with its generated parts renewed: what stands between `<!-- name -->` and `<!-- /name -->`. */
export function architecture(document: string): string {
  let out = document
  for (const [name, render] of Object.entries(PARTS)) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
    const [start, end] = [out.indexOf(open), out.indexOf(close)]
    if (start < 0 || end < start) throw new Error(`${ARCHITECTURE_FILE} lacks ${open} … ${close}`)
    out = `${out.slice(0, start + open.length)}\n\n${render()}\n\n${out.slice(end)}`
  }
  return out
}
