import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** All files that a file imports, directly or transitively, and their imports from outside the project. */
function reach(
  file: string,
  files = new Set<string>(),
  packages = new Set<string>(),
): readonly [ReadonlySet<string>, ReadonlySet<string>] {
  files.add(file)
  const source = fs.readFileSync(file, 'utf8')
  // Types are erased at run time.
  for (const [, name = ''] of source.matchAll(
    /^(?:import|export) (?!type )[^'"=]* from '([^']+)'/gm,
  )) {
    const target = path.resolve(path.dirname(file), name)
    if (!name.startsWith('.')) packages.add(name)
    else if (!files.has(target)) reach(target, files, packages)
  }
  return [files, packages]
}

test('a page can load the verifier: nothing that it imports is of Node', () => {
  const [files, packages] = reach(path.join(import.meta.dirname, 'verify.ts'))
  expect(files.size).toBeGreaterThan(50)
  expect([...packages].filter((name) => !/^(?:@noble\/|zod$)/.test(name))).toEqual([])
})
