/** `assay run`: asks a model, shows the answer, and says in one line what proves it. */
import fs from 'node:fs'
import { Command } from 'commander'
import { z } from 'zod'
import { toHex } from '../base/hex.ts'
import { UserError } from '../base/errors.ts'
import { homePaths } from '../config/home.ts'
import { address } from '../config/hexTypes.ts'
import { integer } from '../config/types.ts'
import { findInCatalogue } from '../models/catalogue.ts'
import { addClientOptions, openClient, type Client, type ClientFlags } from './job/client.ts'
import { jobEvents } from './job/events.ts'
import { fraction } from './job/fraction.ts'
import { EXIT_CODES } from './job/verifyReport.ts'
import { readOption } from './options.ts'
import { verdictOn } from './run/verdict.ts'
import { readUpFile } from './upFile.ts'

type Flags = ClientFlags & {
  readonly temperature: string
  readonly maxTokens: string
  readonly raw?: true
  readonly dispatcherAddress?: string
}

const results = z.array(z.object({ result: z.string() }))
const served = z.array(z.object({ model: z.string(), job_type: z.string() }))
const ended = z.object({ reason: z.string().exactOptional() })

/** Throws UserError, with what to do, unless operators serve the model. */
async function requireServed(client: Client, model: string, given: string): Promise<void> {
  const models = served.parse(await client.get('/api/models'))
  if (models.some((each) => each.model === model && each.job_type === 'opml')) return
  const names = [...new Set(models.map((each) => each.model))].join(', ')
  throw new UserError(
    `no operator serves ${model}`,
    `${findInCatalogue(given) === undefined ? '' : `Fetch it: assay model get ${given}. `}Served: ${names || 'nothing'}.`,
  )
}

/** Waits until the job ends; resolves with its text. Rejects with UserError when there is none. */
async function textOf(client: Client, jobId: string): Promise<string> {
  let last = { name: '', data: '{}' }
  for await (const event of jobEvents(client, jobId)) last = event
  const [first] = results.parse(await client.post('/api/job/result', { job_id: jobId }))
  if (first !== undefined) return first.result
  const { reason = '' } = ended.safeParse(JSON.parse(last.data)).data ?? {}
  throw new UserError(`the job ended without an answer: ${last.name} ${reason}`.trimEnd())
}

async function run(given: string, text: string, flags: Flags): Promise<void> {
  const client = openClient(flags)
  if (client.project === undefined || client.token === undefined)
    throw new UserError('no project is set', 'Set ASSAY_PROJECT and ASSAY_PROJECT_TOKEN.')
  const entry = findInCatalogue(given)
  const model = entry?.file ?? given
  const prompt = text === '-' ? fs.readFileSync(0, 'utf8') : text
  const params = {
    temperature: readOption('--temperature', fraction, flags.temperature),
    max_tokens: readOption('--max-tokens', integer(1, 1_000_000), flags.maxTokens),
    ...(flags.raw === true && { raw: true }),
  }
  await requireServed(client, model, given)
  const job = { tag: 'opml', prompt, model, params }
  const submission = { from: client.project, verify: client.token, user: '', job }
  const jobId = z.string().parse(await client.post('/api/job/submit', submission))
  const answer = await textOf(client, jobId)
  // A model can write whatever moves the cursor of a terminal.
  const shown = process.stdout.isTTY ? answer.replaceAll(/[^\P{Cc}\n\t]/gu, '?') : answer
  process.stdout.write(`${shown}\n`)
  const named = flags.dispatcherAddress
  const { verdict, line } = await verdictOn(client, {
    jobId,
    submission,
    prompt,
    modelSha256: entry?.sha256,
    dispatcher:
      named === undefined
        ? trustedDispatcher(flags)
        : toHex(readOption('--dispatcher-address', address, named)),
    text: answer,
  })
  process.stderr.write(`${line}\n`)
  process.exitCode = EXIT_CODES[verdict]
}

/** The system of the home is the user's own. */
function trustedDispatcher({ home, dispatcher }: ClientFlags): string | undefined {
  return dispatcher === undefined
    ? readUpFile(homePaths(home).upFile)?.dispatcherAddress
    : undefined
}

/** The command. */
export function runCommand(): Command {
  return addClientOptions(new Command('run'))
    .description('Ask a model; print its answer, and on standard error what proves it.')
    .argument('<model>', 'name of the catalogue (smollm2), or of a model that operators serve')
    .argument('<prompt>', 'the prompt, or - to read it from standard input')
    .option('--temperature <n>', '0 always picks the most likely token', '0')
    .option('--max-tokens <n>', 'maximum number of tokens', '512')
    .option('--raw', 'run the prompt as it is, without the chat template of the model')
    .option(
      '--dispatcher-address <address>',
      'the dispatcher you trust (default: that of the home)',
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 it is verified; 1 it is not proven, or there is no answer; 3 nothing failed, but you named no dispatcher.`,
    )
    .action(run)
}
