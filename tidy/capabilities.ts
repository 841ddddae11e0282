/** What code uses of the machine that it runs on, found in its syntax tree and its imports. */
import type { Module } from './modules.ts'
import { walk, type SyntaxNode } from './walk.ts'

/**
 * - clock: what time it is
 * - timers: how long something takes, and waiting
 * - randomness: numbers that nobody can foresee
 * - environment: variables, arguments, signals and everything else of this process
 * - files, network, processes, threads: what they say
 * - console: writing to standard output without the log
 * - node: other modules of Node, such as paths, streams and events, which a page lacks
 */
export type Capability =
  | 'clock'
  | 'timers'
  | 'randomness'
  | 'environment'
  | 'files'
  | 'network'
  | 'processes'
  | 'threads'
  | 'console'
  | 'node'

export type Use = {
  readonly capability: Capability
  /** What the code says: `Date.now`, `node:fs`. */
  readonly what: string
  readonly line: number
}

/** Modules by what they are for; any other of Node's counts as `node`. */
export const CAPABILITY_MODULES: Readonly<Record<string, Capability>> = {
  'node:child_process': 'processes',
  'node:cluster': 'processes',
  'node:dgram': 'network',
  'node:dns': 'network',
  'node:dns/promises': 'network',
  'node:fs': 'files',
  'node:fs/promises': 'files',
  'node:http': 'network',
  'node:http2': 'network',
  'node:https': 'network',
  'node:net': 'network',
  'node:os': 'environment',
  'node:perf_hooks': 'timers',
  'node:process': 'environment',
  'node:timers': 'timers',
  'node:timers/promises': 'timers',
  'node:tls': 'network',
  'node:worker_threads': 'threads',
  undici: 'network',
}

/** Names that are there without an import. */
export const CAPABILITY_GLOBALS: Readonly<Record<string, Capability>> = {
  Buffer: 'node',
  EventSource: 'network',
  Worker: 'threads',
  WebSocket: 'network',
  XMLHttpRequest: 'network',
  clearInterval: 'timers',
  clearTimeout: 'timers',
  console: 'console',
  fetch: 'network',
  globalThis: 'environment',
  performance: 'timers',
  process: 'environment',
  setImmediate: 'timers',
  setInterval: 'timers',
  setTimeout: 'timers',
}

/** Names of node:crypto that give something unforeseeable; the rest of it computes. */
const RANDOM = /^(?:random|generate|webcrypto$|getRandomValues$|\*$|default$)/
/** What base/ offers of the machine, by name. */
const OF_BASE: Readonly<Record<string, Capability>> = { systemClock: 'clock' }

function importedUses({ imports }: Module): Use[] {
  return imports.flatMap(({ specifier, names, isType, line }): Use[] => {
    if (specifier === undefined || isType) return []
    const what = specifier
    if (specifier === 'node:crypto')
      return [
        { capability: names.some((name) => RANDOM.test(name)) ? 'randomness' : 'node', what, line },
      ]
    const known = CAPABILITY_MODULES[specifier]
    if (known !== undefined || specifier.startsWith('node:'))
      return [{ capability: known ?? 'node', what, line }]
    return names.flatMap((name) => {
      const capability = specifier.endsWith('base/clock.ts') ? OF_BASE[name] : undefined
      return capability === undefined ? [] : [{ capability, what: name, line }]
    })
  })
}

function nameOf(node: unknown): string | undefined {
  const { type, name } = (node ?? {}) as { type?: string; name?: string }
  return type === 'Identifier' ? name : undefined
}

/** Whether an identifier names a variable at this place, and not a property, a key or a label. */
function isReference(parent: SyntaxNode | undefined, key: string): boolean {
  if (parent === undefined) return false
  if (parent.type === 'MemberExpression' && key === 'property') return parent['computed'] === true
  if (/^(?:Property|MethodDefinition|PropertyDefinition)$/.test(parent.type) && key === 'key')
    return parent['computed'] === true || parent['shorthand'] === true
  if (/^TS(?:As|Satisfies|NonNull)/.test(parent.type)) return key === 'expression'
  return !/^(?:TS|Import|Export|Labeled|Break|Continue)/.test(parent.type)
}

/** Whether an identifier of a pattern is what it binds, and not a key or part of a default. */
function isBinding(parent: SyntaxNode | undefined, key: string): boolean {
  if (parent?.type === 'Property') return key === 'value'
  if (parent?.type === 'AssignmentPattern') return key === 'left'
  return (
    parent === undefined || /^(?:ArrayPattern|RestElement|TSParameterProperty)$/.test(parent.type)
  )
}

/** Names that a file binds itself anywhere: what it calls `fetch` may be its own. */
function boundNames(module: Module): ReadonlySet<string> {
  const out = new Set<string>()
  const bind = (pattern: unknown): void =>
    walk(pattern, (node, parent, key) => {
      const name = nameOf(node)
      if (name !== undefined && isBinding(parent, key)) out.add(name)
    })
  walk(module.program(), (node) => {
    if (node.type === 'VariableDeclarator') bind(node['id'])
    if (/Function/.test(node.type)) for (const each of node['params'] as unknown[]) bind(each)
    if (/^(?:FunctionDeclaration|ClassDeclaration)$/.test(node.type)) bind(node['id'])
    if (/^Import.*Specifier$/.test(node.type)) bind(node['local'])
  })
  return out
}

function memberOf(
  node: SyntaxNode,
): { readonly object: string; readonly property: string } | undefined {
  if (node.type !== 'MemberExpression') return undefined
  const object = nameOf(node['object'])
  const { value } = node['property'] as { value?: unknown }
  const property = nameOf(node['property']) ?? (typeof value === 'string' ? value : undefined)
  return object === undefined || property === undefined ? undefined : { object, property }
}

/** Any name that matters: a text without one needs no walk through its tree. */
const MENTION = new RegExp(
  `\\b(?:Date|Math|crypto|${Object.keys(CAPABILITY_GLOBALS).join('|')})\\b`,
)

function usedGlobals(module: Module): Use[] {
  if (!MENTION.test(module.text)) return []
  const own = boundNames(module)
  const out: Use[] = []
  const add = (capability: Capability, what: string, node: SyntaxNode): void => {
    out.push({ capability, what, line: module.lineOf(node.start) })
  }
  walk(module.program(), (node, parent, key) => {
    const member = memberOf(node)
    if (member?.object === 'Date' && member.property === 'now') add('clock', 'Date.now', node)
    if (member?.object === 'Math' && member.property === 'random')
      add('randomness', 'Math.random', node)
    if (member?.object === 'crypto' && RANDOM.test(member.property) && !own.has('crypto'))
      add('randomness', `crypto.${member.property}`, node)
    const isDate = nameOf(node['callee']) === 'Date'
    const takesNothing = Array.isArray(node['arguments']) && node['arguments'].length === 0
    if (isDate && (node.type === 'CallExpression' || takesNothing)) add('clock', 'Date()', node)
    if (member?.object === 'globalThis')
      add(
        CAPABILITY_GLOBALS[member.property] ?? 'environment',
        `globalThis.${member.property}`,
        node,
      )
    const name = nameOf(node)
    const capability = name === undefined ? undefined : CAPABILITY_GLOBALS[name]
    if (
      name !== undefined &&
      capability !== undefined &&
      !own.has(name) &&
      isReference(parent, key)
    )
      add(capability, name, node)
  })
  return out
}

const found = new WeakMap<Module, readonly Use[]>()

/** Everything that a module uses, in no order. */
export function usesOf(module: Module): readonly Use[] {
  const known = found.get(module) ?? [...importedUses(module), ...usedGlobals(module)]
  found.set(module, known)
  return known
}
