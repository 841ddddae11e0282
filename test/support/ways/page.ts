/** A way as a page of Markdown. */
import type { TracedFunction } from '../spans/tracedBuild.ts'
import type { Sentences } from './sentences.ts'
import type { StageSteps, Step } from './steps.ts'

export type PageChapter = { readonly title: string; readonly stages: readonly StageSteps[] }

export type Page = {
  readonly title: string
  readonly introduction: string
  readonly chapters: readonly PageChapter[]
}

/** The text of a page in docs/. `functions` has the function of each number. */
export function renderPage(
  { title, introduction, chapters }: Page,
  functions: readonly TracedFunction[],
  sentences: Sentences,
): string {
  const toldFiles = new Set<string>()

  function functionOf({ number }: Step): TracedFunction {
    const found = functions[number]
    if (found === undefined) throw new RangeError(`there is no function ${number}`)
    return found
  }

  function line(steps: readonly Step[], sentence: string): string {
    const traced = steps.map(functionOf)
    const [{ file } = { file: '' }] = traced
    // Methods and routes are known by their own names.
    const names = traced.map(({ name }) => `\`${name.replace(/\.handler$/, '')}\``).join(', ')
    return `[\`${file}\`](../src/${file}) ${names}${sentence && `: ${sentence}`}`
  }

  /** What is said of a file, once. */
  function fileSentence(file: string): string {
    if (toldFiles.has(file)) return ''
    toldFiles.add(file)
    return sentences.ofFile(file) ?? ''
  }

  function ownSentence(step: Step): string | undefined {
    const { file, path } = functionOf(step)
    return sentences.ofFunction(file, path)
  }

  function ownLine(step: Step): string {
    return line([step], ownSentence(step) ?? fileSentence(functionOf(step).file))
  }

  /** Steps that lead nowhere, of one caller and one file, stand together, where the first of them was called. */
  function rowsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
    const rows = new Map<string, Step[]>()
    for (const step of steps) {
      const { file } = functionOf(step)
      const key = step.steps.length === 0 ? file : `${file} ${step.number}`
      rows.set(key, [...(rows.get(key) ?? []), step])
    }
    return [...rows.values()]
  }

  /** They share a line and the sentence of their file; where that was told, only those of which nothing else is said. */
  function linesOf(row: readonly Step[]): readonly string[] {
    const [{ file } = { file: '' }] = row.map(functionOf)
    if (row.length === 1) return row.map(ownLine)
    if (!toldFiles.has(file)) return [line(row, fileSentence(file))]
    const silent = row.filter((step) => ownSentence(step) === undefined)
    const others = row.filter((step) => !silent.includes(step)).map(ownLine)
    return silent.length === 0 ? others : [...others, line(silent, '')]
  }

  function list(steps: readonly Step[], indent: string): readonly string[] {
    return rowsOf(steps).flatMap((row) => [
      ...linesOf(row).map((text) => `${indent}- ${text}`),
      ...row.flatMap((step) => list(step.steps, `${indent}  `)),
    ])
  }

  let number = 0
  function stage({ program, thread, step }: StageSteps): readonly string[] {
    const where = thread === '' ? program : `${program}, thread \`${thread}\``
    return ['', `### ${++number}. ${where}`, '', ownLine(step), '', ...list(step.steps, '')]
  }

  const body = chapters.flatMap(({ title, stages }) => [
    '',
    `## ${title}`,
    ...stages.flatMap(stage),
  ])
  return [`# ${title}`, '', introduction, ...body, ''].join('\n')
}
