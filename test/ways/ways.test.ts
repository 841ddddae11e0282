/** The pages of docs/ that say which functions a transfer and a job pass through, held against what really happens. */
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { renderPage } from '../support/ways/page.ts'
import { recordRounds, type Round, type Rounds } from '../support/ways/record.ts'
import { readSentences } from '../support/ways/sentences.ts'
import { stepsOf } from '../support/ways/steps.ts'
import { stagesIn } from '../support/ways/trace.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

const HOW_TO_READ = `Each section is one call by the event loop of a process or one of its threads: a request, a timer, a message.
They stand in the order in which they began. Below each are the functions that it leads to, under their callers, with what the
code says of them. Only steps are told, by the rules at the head of [steps.ts](../test/support/ways/steps.ts).

\`npm run docs:ways\` writes this page from a run of \`assay up\`. A test fails when the way changes without it.`

type Way = {
  readonly file: string
  readonly title: string
  readonly introduction: string
  readonly programs: readonly string[]
  readonly chapters: readonly { readonly title: string; readonly of: keyof Round }[]
}

const WAYS: readonly Way[] = [
  {
    file: 'way-of-a-transaction.md',
    title: 'The way of a transaction',
    introduction:
      'What a transfer passes through in a chain node with the embedded engine, from the request that brings it to the subscriber who hears of its receipt.',
    programs: ['node'],
    chapters: [
      { title: 'A transfer is sent', of: 'transfer' },
      { title: 'Its receipt is asked for', of: 'transferRead' },
    ],
  },
  {
    file: 'way-of-a-job.md',
    title: 'The way of a job',
    introduction:
      'What an opml job passes through in a dispatcher and an operator, from its submission to the receipt that proves it. What the chain does for it, its blocks and the transaction that anchors the receipt, is [the way of a transaction](way-of-a-transaction.md).',
    programs: ['dispatcher', 'operator'],
    chapters: [
      { title: 'A job is submitted', of: 'job' },
      { title: 'Its result and its receipt are asked for', of: 'jobRead' },
    ],
  },
]

let recorded: Rounds
beforeAll(async () => {
  recorded = await recordRounds()
}, 400_000)

test.each(WAYS)('$file tells what really happens', async (way) => {
  const { functions, background, rounds } = recorded
  const [first, second] = rounds
  // Nothing of a job goes on while there is only a transfer.
  const idle = way.chapters.some(({ of }) => of === 'job')
    ? [...background, first.transfer, second.transfer]
    : background
  const stages = way.chapters.map(({ of }) => stagesIn([first[of], second[of]], way.programs, idle))
  const told = stepsOf(stages, functions)
  const page = renderPage(
    {
      title: way.title,
      introduction: `${way.introduction}\n\n${HOW_TO_READ}`,
      chapters: way.chapters.map(({ title }, index) => ({ title, stages: told[index] ?? [] })),
    },
    functions,
    readSentences(path.join(root, 'src')),
  )
  await expect(page).toMatchFileSnapshot(
    path.join(root, 'docs', way.file),
    `docs/${way.file} is stale: run npm run docs:ways`,
  )
})
