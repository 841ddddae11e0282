/**
 * Which of the functions of a way are its steps. Where one file calls another, the called function is a step
 * - when it is in another room than its caller, or in another folder of the room,
 * - when its file imports a package or a module of Node, and so may meet the world,
 * - or when it leads to a step.
 * Rooms that use nothing of the machine only think: within them a function is a step only when it leads out again, to a room
 * that does. Files that three others or more call, and that call none but such files, are tools and no part of the way. A step is told once in a chapter, where it comes first, and in later chapters where it leads to what is new.
 */
import path from 'node:path'
import { ROOMS } from '../../../tidy/rooms.ts'
import type { TracedFunction } from '../spans/tracedBuild.ts'
import type { Call, Stage } from './trace.ts'

export type Step = { readonly number: number; readonly steps: readonly Step[] }

/** A stage by its steps. The event loop called the first one. */
export type StageSteps = Omit<Stage, 'call'> & { readonly step: Step }

const TOOL_USERS = 3

/** By number. */
type Functions = readonly Pick<TracedFunction, 'file' | 'meetsWorld'>[]

const THINKING: ReadonlySet<string> = new Set(
  Object.entries(ROOMS).flatMap(([name, { uses }]) => (uses.length === 0 ? [name] : [])),
)

function fileOf(functions: Functions, { number }: Call | Step): string {
  return functions[number]?.file ?? ''
}

function roomOf(file: string): string {
  return file.slice(0, file.indexOf('/'))
}

/** One step for all of the same function. */
function united(steps: readonly Step[]): readonly Step[] {
  const found = new Map<number, Step[]>()
  for (const { number, steps: next } of steps)
    found.set(number, [...(found.get(number) ?? []), ...next])
  return [...found].map(([number, next]) => ({ number, steps: united(next) }))
}

/** Leaves out functions that their own file calls, and takes over what they call. */
function acrossFiles(call: Call, functions: Functions): Step {
  const file = fileOf(functions, call)
  const all = call.calls.map((each) => acrossFiles(each, functions))
  const steps = all.flatMap((step) => (fileOf(functions, step) === file ? step.steps : [step]))
  return { number: call.number, steps: united(steps) }
}

function toolsIn(steps: readonly Step[], functions: Functions): ReadonlySet<string> {
  const users = new Map<string, Set<string>>()
  const uses = new Map<string, Set<string>>()
  const scan = (caller: Step): void => {
    const from = fileOf(functions, caller)
    for (const step of caller.steps) {
      const to = fileOf(functions, step)
      users.set(to, (users.get(to) ?? new Set()).add(from))
      uses.set(from, (uses.get(from) ?? new Set()).add(to))
      scan(step)
    }
  }
  steps.forEach(scan)
  const tools = new Set<string>()
  for (let known = -1; known < tools.size;) {
    known = tools.size
    for (const [file, { size }] of users)
      if (size >= TOOL_USERS && [...(uses.get(file) ?? [])].every((each) => tools.has(each)))
        tools.add(file)
  }
  return tools
}

/** The steps of a way, chapter by chapter. A stage that leads nowhere is none. */
export function stepsOf(
  chapters: readonly (readonly Stage[])[],
  functions: Functions,
): readonly (readonly StageSteps[])[] {
  const all = chapters.map((stages) =>
    stages.map(({ program, thread, call }) => ({
      program,
      thread,
      step: acrossFiles(call, functions),
    })),
  )
  const tools = toolsIn(
    all.flat().map(({ step }) => step),
    functions,
  )
  const told = new Map<string, number>()

  function leadsOut({ steps }: Step): boolean {
    return steps.some((step) => !THINKING.has(roomOf(fileOf(functions, step))) || leadsOut(step))
  }

  function isStep(step: Step, caller: Step): boolean {
    const [from, to] = [fileOf(functions, caller), fileOf(functions, step)]
    if (roomOf(from) !== roomOf(to)) return true
    if (THINKING.has(roomOf(to))) return leadsOut(step)
    if (path.dirname(from) !== path.dirname(to)) return true
    return step.steps.length > 0 || functions[step.number]?.meetsWorld === true
  }

  /** `where` is the thread: what another one did is told again. */
  function choose(caller: Step, where: string, chapter: number): Step {
    const steps: Step[] = []
    for (const each of caller.steps) {
      const key = `${where} ${each.number}`
      const toldIn = told.get(key)
      if (toldIn === chapter || tools.has(fileOf(functions, each))) continue
      told.set(key, chapter)
      const step = choose(each, where, chapter)
      const isNew = toldIn === undefined || step.steps.length > 0
      if (isNew && isStep(step, caller)) steps.push(step)
    }
    return { number: caller.number, steps }
  }

  return all.map((stages, chapter) =>
    stages
      .map(({ program, thread, step }) => ({
        program,
        thread,
        step: choose(step, `${program} ${thread}`, chapter),
      }))
      .filter(({ step }) => step.steps.length > 0),
  )
}
