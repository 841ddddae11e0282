/** `assay logs`: the logs of a home's programs, together or one by one. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { UserError } from '../base/errors.ts'
import { homePaths } from '../config/home.ts'
import { integer } from '../config/types.ts'
import { formatLogLine, isAtLeast, LEVELS, parseLogLine } from './logs/line.ts'
import { followFrom, lastLines, type Tail } from './logs/tail.ts'
import { addHomeOption, readOption } from './options.ts'

type Options = {
  readonly home: string
  readonly follow?: boolean
  readonly lines: string
  readonly level: string
  readonly json?: boolean
}

const SUFFIX = '.log'
const POLL_MS = 200

/** A line of a program, with its time for sorting. */
type Entry = { readonly program: string; readonly text: string; readonly time: number }

function programsIn(folder: string, wanted: readonly string[]): readonly string[] {
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : []
  const found = files.filter((file) => file.endsWith(SUFFIX)).map((file) => path.parse(file).name)
  const missing = wanted.find((name) => !found.includes(name))
  if (missing !== undefined || found.length === 0)
    throw new UserError(
      missing === undefined ? `there are no logs in ${folder}` : `there is no log for ${missing}`,
      found.length === 0
        ? 'Logs are written by assay up.'
        : `Available: ${found.toSorted().join(', ')}.`,
    )
  return wanted.length === 0 ? found.toSorted() : wanted
}

function print({ program, text }: Entry, { json, level }: Options): void {
  const line = parseLogLine(text)
  if (line !== undefined && !isAtLeast(line.level, level)) return
  const isRaw = json === true || line === undefined
  const shown = isRaw ? text : formatLogLine(program, line, process.stdout.isTTY)
  process.stdout.write(`${shown}\n`)
}

function entriesOf(program: string, lines: readonly string[]): readonly Entry[] {
  let time = 0
  return lines.map((text) => {
    // Anything that is not a log line (such as a stack trace) belongs to the previous line.
    time = parseLogLine(text)?.time ?? time
    return { program, text, time }
  })
}

function printAll(entries: readonly Entry[], options: Options): void {
  for (const entry of entries.toSorted((a, b) => a.time - b.time)) print(entry, options)
}

async function follow(tails: ReadonlyMap<string, Tail>, options: Options): Promise<never> {
  for (;;) {
    printAll(
      [...tails].flatMap(([program, tail]) => entriesOf(program, tail.read())),
      options,
    )
    await sleep(POLL_MS)
  }
}

/** The command. */
export function logsCommand(): Command {
  return addHomeOption(new Command('logs'))
    .description(
      'Show the logs of the programs run by assay up: node, dispatcher, worker, opml, tee.',
    )
    .argument('[programs...]', 'programs whose logs to show (default: all)')
    .option('-f, --follow', 'keep printing new lines')
    .option('-n, --lines <count>', 'number of last lines of each log', '40')
    .addOption(new Option('--level <level>', 'minimum severity').choices(LEVELS).default('info'))
    .option('--json', 'print raw lines, as in the log files')
    .action(async (wanted: readonly string[], options: Options) => {
      const { logs } = homePaths(options.home)
      const count = readOption('--lines', integer(0, 1_000_000), options.lines)
      const entries: Entry[] = []
      const tails = new Map<string, Tail>()
      for (const program of programsIn(logs, wanted)) {
        const file = path.join(logs, `${program}${SUFFIX}`)
        const { lines, end } = lastLines(file, count)
        entries.push(...entriesOf(program, lines))
        tails.set(program, followFrom(file, end))
      }
      printAll(entries, options)
      if (options.follow === true) await follow(tails, options)
    })
}
