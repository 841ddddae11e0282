/** From what processes recorded to what belongs to one way, without what only the time brought. */
import type { Chapter, Span } from '../spans/recording.ts'

/** A function, and the functions that it called, in the order of their first calls. */
export type Call = { readonly number: number; readonly calls: readonly Call[] }

/** What one thread did when the event loop called a function. */
export type Stage = {
  /** The command of the program: `node`, `dispatcher`. */
  readonly program: string
  /** The file of the thread, without its ending; '' for the main thread. */
  readonly thread: string
  readonly call: Call
}

type Begun = Stage & { readonly key: string; readonly at: number }

function addNumbers({ number, calls }: Span, numbers: Set<number>): void {
  numbers.add(number)
  for (const each of calls) addNumbers(each, numbers)
}

/** When a span first did what only belongs to the way; undefined when it did nothing of the kind. */
function beginOf(span: Span, background: ReadonlySet<number>): number | undefined {
  if (!background.has(span.number)) return span.at
  const begins = span.calls.map((each) => beginOf(each, background))
  const begin = Math.min(...begins.filter((at) => at !== undefined))
  return begin === Number.POSITIVE_INFINITY ? undefined : begin
}

function byNumber(spans: readonly Span[]): ReadonlyMap<number, readonly Span[]> {
  const groups = new Map<number, Span[]>()
  for (const span of spans) {
    const group = groups.get(span.number)
    if (group === undefined) groups.set(span.number, [span])
    else group.push(span)
  }
  return groups
}

/** One call for all calls of each function: a loop that looked ten times looked. */
function united(spans: readonly Span[]): readonly Call[] {
  return [...byNumber(spans)].map(([number, same]) => ({
    number,
    calls: united(same.flatMap(({ calls }) => calls)),
  }))
}

function common(calls: readonly Call[], others: readonly Call[]): readonly Call[] {
  return calls.flatMap(({ number, calls }) => {
    const other = others.find((each) => each.number === number)
    return other === undefined ? [] : [{ number, calls: common(calls, other.calls) }]
  })
}

/** The functions that each thread called when nothing of the way went on. */
function backgroundOf(chapters: readonly Chapter[]): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>()
  for (const { program, thread, spans } of chapters.flat()) {
    const key = `${program} ${thread}`
    const numbers = found.get(key) ?? new Set<number>()
    for (const span of spans) addNumbers(span, numbers)
    found.set(key, numbers)
  }
  return found
}

function stagesOf(
  chapter: Chapter,
  programs: readonly string[],
  background: ReadonlyMap<string, ReadonlySet<number>>,
): readonly Begun[] {
  return chapter.flatMap(({ program, thread, spans }) => {
    if (!programs.includes(program)) return []
    const known = background.get(`${program} ${thread}`) ?? new Set<number>()
    const begins = new Map<Span, number>()
    for (const span of spans) {
      const begin = beginOf(span, known) ?? (span.isMarked === true ? span.at : undefined)
      if (begin !== undefined) begins.set(span, begin)
    }
    return united([...begins.keys()]).map((call) => ({
      key: `${program} ${thread} ${call.number}`,
      program,
      thread,
      call,
      at: Math.min(
        ...[...begins].flatMap(([{ number }, at]) => (number === call.number ? [at] : [])),
      ),
    }))
  })
}

/**
 * The stages of a chapter, in the order in which they began: what the event loop called that did something that did not
 * happen in the background, or was marked. Of that, what happened in both of two recordings of the chapter.
 */
export function stagesIn(
  [once, again]: readonly [Chapter, Chapter],
  programs: readonly string[],
  background: readonly Chapter[],
): readonly Stage[] {
  const known = backgroundOf(background)
  const others = stagesOf(once, programs, known)
  return stagesOf(again, programs, known)
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ key, program, thread, call }) => {
      const other = others.find((each) => each.key === key)
      const [kept] = other === undefined ? [] : common([call], [other.call])
      return kept === undefined ? [] : [{ program, thread, call: kept }]
    })
}
