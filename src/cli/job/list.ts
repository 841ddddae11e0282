/** `assay job list|cancel|retry`: the jobs of a project (D146). */
import { Command } from 'commander'
import { z } from 'zod'
import { oneOf, integer } from '../../config/types.ts'
import { JOB_STATES } from '../../jobs/dispatcher/lifecycle/states.ts'
import { readOption } from '../options.ts'
import { plain } from '../plain.ts'
import { columns } from '../project/columns.ts'
import { addClientOptions, jobIdOf, openClient, type ClientFlags } from './client.ts'

type Flags = ClientFlags & {
  readonly state?: string
  readonly model?: string
  readonly user?: string
  readonly before?: string
  readonly limit: string
  readonly json?: true
}

const listed = z.array(
  z.looseObject({
    job_id: z.string(),
    state: z.string(),
    job_type: z.string(),
    model: z.string(),
    created_at: z.string(),
    reason: z.string(),
  }),
)

async function list(flags: Flags): Promise<void> {
  const { state, model, user, before } = flags
  const query = new URLSearchParams({
    limit: String(readOption('--limit', integer(1, 1000), flags.limit)),
    ...(state !== undefined && { state: readOption('--state', oneOf(...JOB_STATES), state) }),
    ...(model !== undefined && { model }),
    ...(user !== undefined && { user }),
    ...(before !== undefined && { before }),
  })
  const { result, next } = await openClient(flags).getPage(`/api/jobs?${String(query)}`)
  if (flags.json === true) {
    const page = { jobs: result, ...(next !== undefined && { next }) }
    process.stdout.write(`${JSON.stringify(page, undefined, 2)}\n`)
    return
  }
  const rows = listed
    .parse(result)
    .map(({ job_id, state, job_type, model, created_at, reason }) =>
      [job_id, created_at, state, job_type, model, reason].map(plain),
    )
  process.stdout.write(columns(['id', 'submitted (UTC)', 'state', 'type', 'model', 'reason'], rows))
  if (next !== undefined) process.stdout.write(`More: --before ${plain(next)}\n`)
}

/** `assay job list`. */
export function listJobsCommand(): Command {
  return addClientOptions(new Command('list'))
    .description('List the jobs of the project, newest first.')
    .option('--state <state>', JOB_STATES.join(', '))
    .option('--model <name>', 'jobs that name this model')
    .option('--user <id>', 'jobs of this user or device')
    .option('--limit <n>', 'maximum number of jobs', '20')
    .option('--before <cursor>', 'where the previous page ended')
    .option('--json', 'print one JSON object')
    .action(list)
}

async function control(action: 'cancel' | 'retry', id: string, flags: ClientFlags): Promise<void> {
  const state = await openClient(flags).post(`/api/job/${action}`, { job_id: jobIdOf(id) })
  process.stdout.write(`${plain(String(state))}\n`)
}

/** `assay job cancel`. */
export function cancelJobCommand(): Command {
  return addClientOptions(new Command('cancel'))
    .description('Cancel an unfinished job. Answers that arrive later are not recorded.')
    .argument('<id>', 'job id')
    .action((id: string, flags: ClientFlags) => control('cancel', id, flags))
}

/** `assay job retry`. */
export function retryJobCommand(): Command {
  return addClientOptions(new Command('retry'))
    .description('Retry a failed, expired or cancelled job, with a new deadline.')
    .argument('<id>', 'job id')
    .action((id: string, flags: ClientFlags) => control('retry', id, flags))
}
