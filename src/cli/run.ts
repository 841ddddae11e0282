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
import {
  addClientOptions,
  jobIdOf,
  openClient,
  type Client,
  type ClientFlags,
} from './job/client.ts'
import { fraction } from './job/fraction.ts'
import { EXIT_CODES } from './job/verifyReport.ts'
import { readOption } from './options.ts'
import { ask, submissionOf, type Question } from './run/ask.ts'
import { verdictOn } from './run/verdict.ts'
import { plain } from './plain.ts'
import { readUpFile } from './upFile.ts'

type Flags = ClientFlags & {
  readonly temperature: string
  readonly maxTokens?: string
  readonly raw?: true
  readonly dispatcherAddress?: string
}

/** A name that says which file it means (D58). */
const PIN = /^(.*)@sha256:[0-9a-f]{64}$/

const served = z.array(z.object({ model: z.string(), job_type: z.string() }))

/** The name under which operators serve a model. Throws UserError, with what to do, when they do not. */
async function servedName(client: Client, given: string): Promise<string> {
  const models = served.parse(await client.get('/api/models'))
  const names = new Set(models.flatMap((each) => (each.job_type === 'opml' ? [each.model] : [])))
  const entry = findInCatalogue(given)
  const [, name] = PIN.exec(given) ?? []
  const found = [name ?? given, entry?.name, entry?.file].find((each) => each && names.has(each))
  if (found !== undefined) return name === undefined ? found : given
  const advice = entry === undefined ? '' : `Fetch it: assay model get ${given}. `
  throw new UserError(
    `no operator serves ${plain(given)}`,
    `${advice}Served: ${plain([...names].join(', ')) || 'nothing'}.`,
  )
}

/** Writes text as it comes: on a terminal without what moves its cursor. */
function show(text: string): void {
  process.stdout.write(process.stdout.isTTY ? text.replaceAll(/[^\P{Cc}\n\t]/gu, '?') : text)
}

async function run(given: string, text: string, flags: Flags): Promise<void> {
  const client = openClient(flags)
  const { project } = client
  if (project === undefined || client.token === undefined)
    throw new UserError('no project is set', 'Set ASSAY_PROJECT and ASSAY_PROJECT_TOKEN.')
  const entry = findInCatalogue(given)
  const question: Question = {
    model: await servedName(client, given),
    prompt: text === '-' ? fs.readFileSync(0, 'utf8') : text,
    temperature: readOption('--temperature', fraction, flags.temperature),
    maxTokens:
      flags.maxTokens === undefined
        ? undefined
        : readOption('--max-tokens', integer(1, 1_000_000), flags.maxTokens),
    raw: flags.raw === true,
  }
  const { jobId, text: answer } = await ask(client, question, show)
  process.stdout.write('\n')
  const named = flags.dispatcherAddress
  const { verdict, line } = await verdictOn(client, {
    jobId: jobIdOf(jobId),
    submission: submissionOf(question, project),
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
    .description('Ask a model; print the answer as it comes, and on standard error what proves it.')
    .argument('<model>', 'name of the catalogue (smollm2), or of a model that operators serve')
    .argument('<prompt>', 'the prompt, or - to read it from standard input')
    .option('--temperature <n>', '0 always picks the most likely token', '0')
    .option('--max-tokens <n>', 'maximum number of tokens (default: until the context ends)')
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
