/** Puts a span into each named function of a module of the build. */
import type { ArrowFunctionExpression, Function as FunctionNode, Node } from 'oxc-parser'
import { eachChild, readFunctions, type NamedFunction } from './functions.ts'

export type Instrumented = {
  readonly text: string
  /** Those of its functions that have a span now; they are numbered from `first` on. */
  readonly functions: readonly NamedFunction[]
  /** Whether it imports a package or a module of Node. */
  readonly meetsWorld: boolean
}

/** The names that a parameter binds. */
function boundBy(node: Node): readonly string[] {
  if (node.type === 'Identifier') return [node.name]
  if (node.type === 'AssignmentPattern') return boundBy(node.left)
  if (node.type === 'Property') return boundBy(node.value)
  const names: string[] = []
  eachChild(node, (child) => names.push(...boundBy(child)))
  return names
}

/** What goes where a body begins and where it ends. */
function wrap(
  number: number,
  node: FunctionNode | ArrowFunctionExpression,
): readonly [begin: string, end: string] {
  const given = `() => [${node.params.flatMap(boundBy).join(', ')}]`
  if (node.type !== 'ArrowFunctionExpression' && node.generator)
    return [`return yield* assaySpans.steps(${number}, (function* () {`, '}).bind(this))']
  const call = `assaySpans.call(${number}, ${given}, ${node.async ? 'async ' : ''}() => `
  return node.body?.type === 'BlockStatement' ? [`return ${call}{`, '})'] : [`${call}(`, '))']
}

/** A module with spans that are told to the module `recorder`. Async generators have none. */
export function instrument(
  file: string,
  text: string,
  { recorder, first }: { readonly recorder: string; readonly first: number },
): Instrumented {
  const { program, functions: all } = readFunctions(file, text)
  const functions = all.filter(
    ({ node }) => !(node.async && node.type !== 'ArrowFunctionExpression' && node.generator),
  )
  const pieces: { readonly at: number; readonly text: string }[] = []
  for (const [index, { node }] of functions.entries()) {
    const { body } = node
    if (body === null) continue
    const [begin, end] = wrap(first + index, node)
    const inside = body.type === 'BlockStatement' ? 1 : 0
    pieces.push({ at: body.start + inside, text: begin }, { at: body.end - inside, text: end })
  }
  // Stable: where two functions begin at one place the outer one comes first, and their ends are alike.
  pieces.sort((a, b) => a.at - b.at)
  let at = 0
  let out = ''
  for (const piece of pieces) {
    out += text.slice(at, piece.at) + piece.text
    at = piece.at
  }
  const importing = `import * as assaySpans from ${JSON.stringify(recorder)}`
  const meetsWorld = program.body.some(
    (each) => each.type === 'ImportDeclaration' && !each.source.value.startsWith('.'),
  )
  return { text: `${out}${text.slice(at)}\n${importing}\n`, functions, meetsWorld }
}
