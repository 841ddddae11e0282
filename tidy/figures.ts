/** Figures of the house: rooms, circles, and the lengths of files and functions. */
import { isTest, type Checkout } from './checkout.ts'
import { EXCEPTIONS, withoutExceptions } from './exceptions.ts'
import type { Module } from './modules.ts'
import { roomNames, roomOf } from './rooms.ts'
import { arrowFaults } from './rules/arrows.ts'
import { cyclesOf } from './rules/cycles.ts'
import { walk } from './walk.ts'

export type Figures = {
  readonly rooms: number
  /** Imports that the table of rooms does not allow. */
  readonly wrongArrows: number
  readonly cyclesByValue: number
  readonly cyclesByType: number
  readonly files: number
  readonly lines: number
  /** Lines of a file. */
  readonly median: number
  readonly p90: number
  readonly longest: { readonly file: string; readonly lines: number }
  /** Functions of more than 60 lines. */
  readonly longFunctions: number
  /** Lines of tests, beside the code and in test/. */
  readonly testLines: number
}

const LONG_FUNCTION = 60
/** Written by `npm run docs`. */
const MADE = 'src/client/methods.ts'

const ofArrows = EXCEPTIONS.filter(({ rule }) => rule === 'arrows')

function linesOf({ text }: Module): number {
  return text.split('\n').length - 1
}

function longFunctionsOf(module: Module): number {
  let count = 0
  walk(module.program(), (node) => {
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      return
    const length = module.lineOf(node.end - 1) - module.lineOf(node.start) + 1
    if (length > LONG_FUNCTION) count++
  })
  return count
}

/** Figures of all code in rooms, tests and generated code left out. */
export function figuresOf(checkout: Checkout, modules: ReadonlyMap<string, Module>): Figures {
  const all = [...modules.values()]
  const code = all.filter(({ file }) => roomOf(file) && !isTest(file) && file !== MADE)
  const sorted = code
    .map((module) => ({ file: module.file, lines: linesOf(module) }))
    .sort((a, b) => a.lines - b.lines)
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)]?.lines ?? 0
  const sum = (of: readonly Module[]): number =>
    of.reduce((total, module) => total + linesOf(module), 0)
  return {
    rooms: roomNames().length,
    wrongArrows: withoutExceptions(arrowFaults(checkout, modules), ofArrows).length,
    cyclesByValue: cyclesOf(modules, { withTypes: false }).length,
    cyclesByType: cyclesOf(modules, { withTypes: true }).length,
    files: code.length,
    lines: sum(code),
    median: at(0.5),
    p90: at(0.9),
    longest: sorted.at(-1) ?? { file: '', lines: 0 },
    longFunctions: code.reduce((total, module) => total + longFunctionsOf(module), 0),
    testLines: sum(all.filter(({ file }) => isTest(file))),
  }
}
