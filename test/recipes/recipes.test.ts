/**
 * The recipes of docs/recipes, followed to the letter in a copy of the checkout: with all their steps everything passes, and
 * without any one of them something fails and says which. Recipes do not meet, so that all are tried at once.
 */
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { costOf, readRecipe, type Reminder } from './recipe.ts'
import { createScratch, type Scratch } from './scratch.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const recipes = fs
  .readdirSync(path.join(root, 'docs', 'recipes'))
  .map((file) => readRecipe(path.join(root, 'docs', 'recipes', file)))

const MINUTES = 60_000
let scratch: Scratch
beforeAll(() => {
  scratch = createScratch()
})
afterEach(() => scratch.restore())
afterAll(() => scratch.remove())

/** What AssemblyScript becomes must be fresh; the program itself may not compile. */
const vitest = 'node scripts/build.mjs; npx vitest run --project unit'

async function expectSuccess(command: string): Promise<void> {
  const { code, output } = await scratch.run(command)
  expect({ command, code, output: code === 0 ? '' : output }).toEqual({
    command,
    code: 0,
    output: '',
  })
}

test('CONTRIBUTING.md names every recipe with what it takes', () => {
  const rows = recipes.map(({ title, ...recipe }) => {
    const link = `[${title.replace('A', 'a')}](docs/recipes/${recipe.name}.md)`
    return `${link}: ${costOf(recipe)}`
  })
  const contributing = fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
  const found = [...contributing.matchAll(/^\| (\[.+?\]\(docs\/recipes\/.+?\)) +\| (.+?) +\|$/gm)]
  expect(new Set(found.map(([, link, cost]) => `${link}: ${cost}`))).toEqual(new Set(rows))
})

test.each(recipes)('$name says of each step what fails without it', ({ steps, reminders }) => {
  expect(reminders.map(({ step }) => step)).toEqual(steps.map(({ number }) => number))
})

test(
  'with all steps, types, lint, references and tests pass, and the new things are there',
  async () => {
    await scratch.follow(
      recipes.flatMap(({ steps }) => steps),
      { commands: true },
    )
    await expectSuccess('npm run check')
    await expectSuccess('npm run docs:check')
    const changes = recipes.flatMap(({ steps }) => steps).flatMap((step) => step.changes)
    const sources = changes.map(({ file }) => file).filter((file) => /(?<!\.as)\.ts$/.test(file))
    await expectSuccess(`npx oxlint --type-aware ${sources.join(' ')}`)
    await expectSuccess(`npx oxfmt --check ${sources.join(' ')}`)
    const tests = [
      ...changes.map(({ file }) => file),
      ...recipes.flatMap(({ reminders }) => reminders.map(({ fails }) => fails)),
    ].filter((file) => file.endsWith('.test.ts'))
    await expectSuccess(`${vitest} ${[...new Set(tests)].join(' ')}`)
    const page = (name: string): string => fs.readFileSync(path.join(scratch.folder, name), 'utf8')
    expect(page('docs/methods.md')).toContain('`eth_isContract`')
    expect(page('docs/methods.md')).toContain('`tx_count`')
    expect(page('src/client/methods.ts')).toContain('eth_isContract')
    expect(page('docs/config.md')).toContain('`ASSAY_RPC_COMMIT_TIMEOUT`')
    expect(page('docs/errors.md')).toContain('-32010')
    expect(page('docs/events.md')).toContain('`nonce`')
    expect(page('docs/metrics.md')).toContain('`assay_block_transactions`')
    const address = '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'
    const { output } = await scratch.run(`node dist/main.js checksum ${address.toLowerCase()}`)
    expect(output).toBe(`${address}\n`)
  },
  15 * MINUTES,
)

type Omission = Reminder & { readonly name: string }

/** Of each recipe the n-th step, of those that the same kind of check would miss, is left out. */
function groupsOf(isOfKind: (fails: string) => boolean): readonly (readonly Omission[])[] {
  const omissions = recipes.map(({ name, reminders }) =>
    reminders.filter(({ fails }) => isOfKind(fails)).map((reminder) => ({ name, ...reminder })),
  )
  const longest = Math.max(...omissions.map((each) => each.length))
  return Array.from({ length: longest }, (_, n) => omissions.flatMap((each) => each[n] ?? []))
}

/** Follows every recipe but for the steps that are left out. */
async function followWithout(omissions: readonly Omission[]): Promise<void> {
  const isLeftOut = (name: string, number: number): boolean =>
    omissions.some((each) => each.name === name && each.step === number)
  await scratch.follow(
    recipes.flatMap(({ name, steps }) => steps.filter(({ number }) => !isLeftOut(name, number))),
  )
}

/** What each omission should have been answered with, where it was not. */
function unsaid(omissions: readonly Omission[], output: string): readonly string[] {
  return omissions
    .filter(({ says }) => !output.includes(says))
    .map(({ name, step, says }) => `${name}, step ${step}: ${says}`)
}

const described = (omissions: readonly Omission[]) => ({
  steps: omissions.map(({ name, step }) => `${name} ${step}`).join(', '),
  omissions,
})

test.each(groupsOf((fails) => fails === 'npm run check').map(described))(
  'the compiler says what lacks without: $steps',
  { timeout: 5 * MINUTES },
  async ({ omissions }) => {
    await followWithout(omissions)
    const { code, output } = await scratch.run('npm run check')
    expect(code).not.toBe(0)
    expect({ unsaid: unsaid(omissions, output), output }).toEqual({ unsaid: [], output })
  },
)

test.each(groupsOf((fails) => fails.endsWith('.test.ts')).map(described))(
  'a test says what lacks without: $steps',
  { timeout: 5 * MINUTES },
  async ({ omissions }) => {
    await followWithout(omissions)
    const files = new Set(omissions.map(({ fails }) => fails))
    const { code, output } = await scratch.run(`${vitest} ${[...files].join(' ')}`)
    expect(code).not.toBe(0)
    expect({ unsaid: unsaid(omissions, output), output }).toEqual({ unsaid: [], output })
  },
)

test('docs:check says which references are stale', { timeout: 5 * MINUTES }, async () => {
  const [omissions = []] = groupsOf((fails) => fails === 'npm run docs:check')
  await followWithout(omissions)
  const { code, output } = await scratch.run('npm run docs:check')
  expect(code).not.toBe(0)
  expect({ unsaid: unsaid(omissions, output), output }).toEqual({ unsaid: [], output })
})
