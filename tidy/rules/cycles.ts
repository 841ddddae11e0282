/** Files that import each other in a circle. Even circles of types alone make two files one: neither is read without the other. */
import { isTest } from '../checkout.ts'
import type { Fault } from '../fault.ts'
import type { Module } from '../modules.ts'

/** Groups of files of which each leads to each other (Tarjan's strongly connected components). */
export function cyclesOf(
  modules: ReadonlyMap<string, Module>,
  { withTypes }: { readonly withTypes: boolean },
): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const out: string[][] = []

  function connect(file: string): number {
    const own = index.size
    let lowest = own
    index.set(file, own)
    stack.push(file)
    onStack.add(file)
    for (const { target, isType, isAddress } of modules.get(file)?.imports ?? []) {
      if (target === undefined || isAddress || (isType && !withTypes)) continue
      if (!modules.has(target)) continue
      const known = index.get(target)
      if (known === undefined) lowest = Math.min(lowest, connect(target))
      else if (onStack.has(target)) lowest = Math.min(lowest, known)
    }
    low.set(file, lowest)
    if (lowest !== own) return lowest
    const group = stack.splice(stack.indexOf(file))
    for (const each of group) onStack.delete(each)
    if (group.length > 1) out.push(group.sort())
    return lowest
  }

  for (const file of modules.keys()) if (!index.has(file) && !isTest(file)) connect(file)
  return out
}

/** One fault for each circle. */
export function cycleFaults(modules: ReadonlyMap<string, Module>): Fault[] {
  return cyclesOf(modules, { withTypes: true }).map((group) => ({
    file: group[0] ?? '',
    line: 0,
    rule: 'cycles',
    subject: group.join(' '),
    message: `imports itself by way of ${group.slice(1).join(', ')}`,
  }))
}
