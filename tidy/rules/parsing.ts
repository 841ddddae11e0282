/** Servers parse what strangers send with a budget (D71): `JSON.parse` in their rooms is for what the program wrote itself. */
import { isTest } from '../checkout.ts'
import type { Fault } from '../fault.ts'
import type { Module } from '../modules.ts'
import { roomOf, type RoomName } from '../rooms.ts'
import { walk, type SyntaxNode } from '../walk.ts'

/** The rooms that read what strangers send. */
const SERVERS: ReadonlySet<RoomName> = new Set(['wire', 'rpc', 'consensusRpc', 'jobs', 'explorer'])

const SUBJECT = 'JSON.parse'

function isJsonParse(node: SyntaxNode): boolean {
  if (node.type !== 'MemberExpression') return false
  const { name } = node['object'] as { name?: string }
  const { name: property, value } = node['property'] as { name?: string; value?: unknown }
  return name === 'JSON' && (property ?? value) === 'parse'
}

/** Uses of `JSON.parse` in the rooms of servers. */
export function parsingFaults(modules: ReadonlyMap<string, Module>): Fault[] {
  const out: Fault[] = []
  for (const module of modules.values()) {
    const { file, text } = module
    const room = roomOf(file)
    if (room === undefined || !SERVERS.has(room) || isTest(file) || !/\bJSON\b/.test(text)) continue
    walk(module.program(), (node) => {
      if (!isJsonParse(node)) return
      const message =
        'uses JSON.parse: what strangers send is parsed by parseBounded (base/jsonBudget.ts)'
      out.push({
        file,
        line: module.lineOf(node.start),
        rule: 'parsing',
        subject: SUBJECT,
        message,
      })
    })
  }
  return out
}
