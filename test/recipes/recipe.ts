/** A recipe of docs/recipes: its steps, what each of them does to a checkout, and what tells that one was forgotten. */
import fs from 'node:fs'
import path from 'node:path'

/** A fenced block that changes a file: a new one (`file=`), more at the end of one (`append=`), or other lines (`diff file=`). */
type Change = {
  readonly kind: 'write' | 'append' | 'edit'
  readonly file: string
  readonly text: string
}

export type Step = {
  readonly number: number
  readonly changes: readonly Change[]
  readonly commands: readonly string[]
}

/** What fails without a step, an npm command or a file of tests, and a part of what it says. */
export type Reminder = { readonly step: number; readonly fails: string; readonly says: string }

export type Recipe = {
  readonly name: string
  readonly title: string
  readonly steps: readonly Step[]
  readonly reminders: readonly Reminder[]
}

const BLOCK = /^```(\w+)(?: (file|append)=(\S+))?\n(.*?)^```$/gms
const ROW = /^\| (\d+) +\| `(.+?)` +\| `(.+?)` +\|$/gm

function stepOf(section: string): Step {
  const changes: Change[] = []
  const commands: string[] = []
  for (const [, language, attribute, file, text = ''] of section.matchAll(BLOCK))
    if (file !== undefined) {
      const kind = language === 'diff' ? 'edit' : attribute === 'append' ? 'append' : 'write'
      changes.push({ kind, file, text })
    } else if (language === 'sh') commands.push(...text.trim().split('\n'))
  return { number: Number.parseInt(section, 10), changes, commands }
}

/** Reads a page: sections that begin with a number are steps, the table of the last one holds the reminders. */
export function readRecipe(file: string): Recipe {
  const page = fs.readFileSync(file, 'utf8')
  const sections = page.split(/^## /m)
  return {
    name: path.basename(file, '.md'),
    title: /^# (.+)/.exec(page)?.[1] ?? '',
    steps: sections.filter((section) => /^\d/.test(section)).map(stepOf),
    reminders: [...page.matchAll(ROW)].map(([, step, fails = '', says = '']) => ({
      step: Number(step),
      fails,
      says,
    })),
  }
}

/** Whether a line is the one that a diff has; an ellipsis at its end stands for the rest. */
function isLine(line: string | undefined, wanted: string): boolean {
  return wanted.endsWith('…') ? (line?.startsWith(wanted.slice(0, -1)) ?? false) : line === wanted
}

/** The text with the lines of a diff. Throws where the lines that it begins from are not there, or more than once. */
function edited(text: string, diff: string): string {
  const lines = text.split('\n')
  const changes = diff.replace(/\n$/, '').split('\n')
  const before = changes.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
  const starts = [...lines.keys()].filter((at) =>
    before.every((line, i) => isLine(lines[at + i], line)),
  )
  const [start, ...others] = starts
  if (start === undefined || others.length > 0)
    throw new Error(
      `has these lines ${others.length + (start === undefined ? 0 : 1)} times:\n${before.join('\n')}`,
    )
  let at = start
  const after = changes.flatMap((line) => {
    if (line.startsWith('+')) return [line.slice(1)]
    const found = lines[at++] ?? ''
    return line.startsWith('-') ? [] : [found]
  })
  return lines.toSpliced(start, before.length, ...after).join('\n')
}

/** Does to a file what a change says. Throws where the file is not as the recipe has it. */
export function applyChange(folder: string, { kind, file, text }: Change): void {
  const target = path.join(folder, file)
  const current = fs.existsSync(target) ? fs.readFileSync(target, 'utf8') : undefined
  if ((current === undefined) !== (kind === 'write'))
    throw new Error(`${file} is ${current === undefined ? 'absent' : 'there already'}`)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  if (kind === 'write') return fs.writeFileSync(target, text)
  try {
    fs.writeFileSync(
      target,
      kind === 'append' ? `${current}\n${text}` : edited(current ?? '', text),
    )
  } catch (error) {
    throw new Error(`${file} ${String(error)}`, { cause: error })
  }
}

/** What a recipe takes, in the words of CONTRIBUTING.md. */
export function costOf({ steps }: Pick<Recipe, 'steps'>): string {
  const changes = steps.flatMap((step) => step.changes)
  const lines = changes
    .filter(({ kind }) => kind === 'edit')
    .flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('+')))
  const others = changes.filter(({ kind }) => kind !== 'edit')
  const tests = others.filter(({ file }) => file.endsWith('.test.ts'))
  const count = (n: number, word: string): string[] =>
    n === 0 ? [] : [`${n} ${word}${n === 1 ? '' : 's'}`]
  return [
    ...count(others.length - tests.length, 'file'),
    ...count(tests.length, 'test'),
    ...count(lines.length, 'line'),
  ].join(', ')
}
