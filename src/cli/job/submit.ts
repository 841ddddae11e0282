/** `assay job submit|result|watch`: a job from the terminal. */
import { Command, Option } from 'commander'
import { UserError } from '../../base/errors.ts'
import { integer, oneOf } from '../../config/types.ts'
import { isFinished, JOB_STATES } from '../../jobs/dispatcher/lifecycle/states.ts'
import { readOption } from '../options.ts'
import { jobEvents } from './events.ts'
import { fraction } from './fraction.ts'
import { addClientOptions, jobIdOf, openClient, readText, type ClientFlags } from './client.ts'

type Flags = ClientFlags & {
  readonly type: string
  readonly model: string
  readonly prompt?: string
  readonly promptFile?: string
  readonly temperature?: string
  readonly topP?: string
  readonly maxTokens?: string
  readonly raw?: true
  readonly user: string
}

async function submit(flags: Flags): Promise<void> {
  const client = openClient(flags)
  const prompt = flags.prompt ?? readText(flags.promptFile)
  if (prompt === undefined) throw new UserError('pass --prompt or --prompt-file')
  if (client.project === undefined || client.token === undefined)
    throw new UserError('no project is set', 'Set ASSAY_PROJECT and ASSAY_PROJECT_TOKEN.')
  const { temperature, topP, maxTokens, raw } = flags
  const params = {
    ...(temperature !== undefined && {
      temperature: readOption('--temperature', fraction, temperature),
    }),
    ...(topP !== undefined && { top_p: readOption('--top-p', fraction, topP) }),
    ...(maxTokens !== undefined && {
      max_tokens: readOption('--max-tokens', integer(1, 1_000_000), maxTokens),
    }),
    ...(raw === true && { raw }),
  }
  const tag = readOption('--type', oneOf('opml', 'tee'), flags.type)
  const job = { tag, prompt, model: flags.model, params }
  const body = { from: client.project, verify: client.token, user: flags.user, job }
  process.stdout.write(`${String(await client.post('/api/job/submit', body))}\n`)
}

async function result(id: string, flags: ClientFlags): Promise<void> {
  const results = await openClient(flags).post('/api/job/result', { job_id: jobIdOf(id) })
  process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`)
}

/** Prints a job's events as they arrive, one line each, until the job ends; the exit code says how. */
async function watch(id: string, flags: ClientFlags): Promise<void> {
  let last = ''
  for await (const { name, data } of jobEvents(openClient(flags), jobIdOf(id))) {
    process.stdout.write(`${name} ${data}\n`)
    last = name
  }
  if (last === 'completed') return
  process.exitCode = 1
  const state = JOB_STATES.find((each) => each === last)
  if (state === undefined || !isFinished(state))
    throw new UserError(
      'the dispatcher closed the connection before the job ended',
      'Watch it again: nothing of it is lost.',
    )
}

/** `assay job submit`. */
export function submitCommand(): Command {
  return addClientOptions(new Command('submit'))
    .description('Submit a job and print its id.')
    .requiredOption('--model <name>', 'name of the model; name@sha256:HASH for one file')
    .option('--type <type>', 'opml or tee', 'opml')
    .option('--prompt <text>', 'the prompt')
    .addOption(
      new Option('--prompt-file <file>', 'file with the prompt, - for standard input').conflicts(
        'prompt',
      ),
    )
    .option('--temperature <n>', '0 always picks the most likely token')
    .option('--top-p <n>', 'cumulative probability of the tokens to choose from')
    .option('--max-tokens <n>', 'maximum number of tokens')
    .option('--raw', 'run the prompt as it is, without the chat template of the model')
    .option('--user <id>', 'user or device to verify', '')
    .action(submit)
}

/** `assay job result`. */
export function resultCommand(): Command {
  return addClientOptions(new Command('result'))
    .description('Print the results of a job.')
    .argument('<id>', 'job id')
    .action(result)
}

/** `assay job watch`. */
export function watchCommand(): Command {
  return addClientOptions(new Command('watch'))
    .description('Follow a job until it ends.')
    .argument('<id>', 'job id')
    .addHelpText('after', '\nExit codes: 0 it is completed; 1 it failed, expired or was cancelled.')
    .action(watch)
}
