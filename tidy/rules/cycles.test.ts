import { expect, test } from 'vitest'
import { planted, type Rule } from '../planted.ts'
import { cycleFaults } from './cycles.ts'

const rule: Rule = (modules) => cycleFaults(modules)

test('a circle of values is found', () => {
  const found = planted(rule, {
    'src/base/plantedA.ts': `import { b } from './plantedB.ts'\nexport const a = () => b\n`,
    'src/base/plantedB.ts': `import { c } from './plantedC.ts'\nexport const b = () => c\n`,
    'src/base/plantedC.ts': `import { a } from './plantedA.ts'\nexport const c = () => a\n`,
  })
  expect(found).toEqual([
    'src/base/plantedA.ts imports itself by way of src/base/plantedB.ts, src/base/plantedC.ts [cycles]',
  ])
})

test('a circle of types is found', () => {
  const found = planted(rule, {
    'src/base/plantedA.ts': `import type { B } from './plantedB.ts'\nexport type A = B\n`,
    'src/base/plantedB.ts': `import type { A } from './plantedA.ts'\nexport type B = { a?: A }\n`,
  })
  expect(found).toHaveLength(1)
})

test('a circle in AssemblyScript is found', () => {
  const found = planted(rule, {
    'src/evm/core/plantedA.as.ts': `import { b } from './plantedB.as'\n@inline\nexport function a(): void { b() }\n`,
    'src/evm/core/plantedB.as.ts': `import { a } from './plantedA.as'\n// @ts-ignore\n@inline export function b(): void { a() }\n`,
  })
  expect(found).toHaveLength(1)
})

test('a thread that runs the code of its opener is no circle', () => {
  const found = planted(rule, {
    'src/base/plantedA.ts': `export const file = new URL('./plantedB.ts', import.meta.url)\n`,
    'src/base/plantedB.ts': `import { file } from './plantedA.ts'\nexport const b = file\n`,
  })
  expect(found).toEqual([])
})
