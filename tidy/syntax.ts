/**
 * Reads one file of TypeScript, JavaScript or AssemblyScript. AssemblyScript is TypeScript with decorators on functions, which
 * no parser of TypeScript takes: blanks stand in their places, so that positions stay right.
 */
import { parseSync, type EcmaScriptModule, type Program } from 'oxc-parser'
import { walk } from './walk.ts'

export type Import = {
  /** As written. Undefined where it is computed. */
  readonly specifier: string | undefined
  /** Imported names; `*` for a whole module. */
  readonly names: readonly string[]
  /** Whether only types come, which leave no trace at run time. */
  readonly isType: boolean
  /** Whether the file is only named by its address: a thread that runs it, or a reader, has modules of its own. */
  readonly isAddress: boolean
  readonly line: number
}

export type Syntax = {
  /** The syntax tree: made when it is first asked for, since most of the time goes into it. */
  program(): Program
  readonly imports: readonly Import[]
  /** The line of a position. */
  lineOf(offset: number): number
  /** Why the file cannot be read, if so. */
  readonly error: string | undefined
}

const DECORATOR = /^([ \t]*)@\w+(\([^)]*\))?/gm

function blank(text: string): string {
  return text.replace(DECORATOR, (decorator) => ' '.repeat(decorator.length))
}

/** Gives the line of an offset, for texts that are asked often. */
function createLineOf(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

function literal(text: string): string | undefined {
  return /^(['"`])([^'"`$]*)\1$/.exec(text.trim())?.[2]
}

function importsOf(
  text: string,
  module: EcmaScriptModule,
  lineOf: (offset: number) => number,
): Import[] {
  const out: Import[] = []
  for (const { start, moduleRequest, entries } of module.staticImports)
    out.push({
      specifier: moduleRequest.value,
      names: entries.map(({ importName }) => importName.name ?? '*'),
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      isAddress: false,
      line: lineOf(start),
    })
  for (const { start, entries } of module.staticExports)
    for (const { moduleRequest, isType, importName } of entries)
      if (moduleRequest)
        out.push({
          specifier: moduleRequest.value,
          names: [importName.name ?? '*'],
          isType,
          isAddress: false,
          line: lineOf(start),
        })
  for (const { start, moduleRequest } of module.dynamicImports)
    out.push({
      specifier: literal(text.slice(moduleRequest.start, moduleRequest.end)),
      names: ['*'],
      isType: false,
      isAddress: false,
      line: lineOf(start),
    })
  return out
}

/** Files that are loaded by their addresses beside this one, as workers are: `new URL('./worker.js', import.meta.url)`. */
function addressesOf(program: Program, lineOf: (offset: number) => number): Import[] {
  const out: Import[] = []
  walk(program, (node) => {
    if (node.type !== 'NewExpression') return
    const { callee, arguments: args } = node as unknown as {
      callee: { name?: string }
      arguments: readonly { value?: unknown }[]
    }
    const specifier = args[0]?.value
    if (callee.name !== 'URL' || args.length !== 2 || typeof specifier !== 'string') return
    // Addresses on the network are made the same way, from a base that is no file.
    if (!/^\.{1,2}\//.test(specifier)) return
    out.push({
      specifier,
      names: ['*'],
      isType: false,
      isAddress: true,
      line: lineOf(node.start),
    })
  })
  return out
}

/** Parses a file. `file` says by its ending which language it is. */
export function parseFile(file: string, written: string): Syntax {
  const text = file.endsWith('.as.ts') ? blank(written) : written
  const result = parseSync(file, text)
  const lineOf = createLineOf(text)
  return {
    program: () => result.program,
    imports: [
      ...importsOf(text, result.module, lineOf),
      ...(text.includes('new URL(') ? addressesOf(result.program, lineOf) : []),
    ],
    lineOf,
    error: result.errors[0]?.message,
  }
}
