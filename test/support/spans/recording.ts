/** What the processes of a traced build recorded. */
import fs from 'node:fs'
import path from 'node:path'
import { eventually } from '../assay.ts'

/** A function's calls by another one, and what was called meanwhile. */
export type Span = {
  /** Of the function. */
  readonly number: number
  /** When it was first called, in milliseconds since 1970. */
  readonly at: number
  /** Whether the event loop called it with bytes that were asked for. */
  readonly isMarked?: boolean
  readonly calls: readonly Span[]
}

/** One thread of one process. */
export type ThreadRecord = {
  /** The command of the program: `node`, `dispatcher`. */
  readonly program: string
  /** The file of the thread, without its ending; '' for the main thread. */
  readonly thread: string
  /** Those that the event loop called. */
  readonly spans: readonly Span[]
}

/** Everything that began between two turns. */
export type Chapter = readonly ThreadRecord[]

export type Recording = {
  /** Where the processes write: ASSAY_SPANS. */
  readonly folder: string
  /**
   * Begins a chapter and returns its number; resolves when all processes know. In it, calls by the event loop with these
   * bytes are marked. The start is chapter 0.
   */
  turn(marks?: readonly `0x${string}`[]): Promise<number>
  /** A chapter, at least two turns after it began. */
  read(chapter: number): Chapter
}

/** A recording in a new folder, to be handed to processes. */
export function createRecording(folder: string): Recording {
  let chapter = 0
  fs.mkdirSync(folder)

  function order(marks: readonly string[]): void {
    const file = path.join(folder, 'chapter.json')
    fs.writeFileSync(`${file}.part`, JSON.stringify({ chapter, marks }))
    fs.renameSync(`${file}.part`, file)
  }

  function contents(isWanted: (name: string) => boolean): readonly string[] {
    const names = fs.readdirSync(folder).filter(isWanted)
    return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
  }
  order([])

  return {
    folder,
    async turn(marks = []) {
      chapter++
      order(marks.map((hex) => hex.slice(2)))
      await eventually(() => {
        const reached = contents((name) => /^here-\d+-\d+$/.test(name))
        return reached.every((each) => Number(each) === chapter) || undefined
      })
      return chapter
    },
    read: (chapter) =>
      contents((name) => name.startsWith(`${chapter}-`) && name.endsWith('.json')).map((text) =>
        JSON.parse(text),
      ),
  }
}
