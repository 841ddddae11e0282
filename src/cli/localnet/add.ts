/** `assay localnet add`: adds a full node, which catches up from the others. */
import { Command } from 'commander'
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import { ownerOf } from '../../base/lock.ts'
import { sendSignal } from '../../base/processes.ts'
import { integer } from '../../config/types.ts'
import { heightText } from '../../proof/comet/json/scalars.ts'
import { readOption } from '../options.ts'
import { pathsOf } from './pathsOf.ts'
import type { Trusted } from './create.ts'
import { requirePlan, type Plan } from './plan.ts'

const commitAnswer = z.object({
  result: z.object({
    signed_header: z.object({
      commit: z.object({ height: heightText, block_id: z.object({ hash: z.string() }) }),
    }),
  }),
})

/** The header of the last block, from the first node: on a local network, there is no other source. */
async function latestHeader({ nodes }: Plan): Promise<Trusted> {
  const url = `http://127.0.0.1:${nodes[0]?.ports.comet}/commit`
  try {
    const { commit } = commitAnswer.parse(await (await fetch(url)).json()).result.signed_header
    return { height: commit.height, hash: commit.block_id.hash }
  } catch (error) {
    throw new UserError(
      `cannot get a trusted header from ${url}: ${messageOf(error)}`,
      'State sync requires a running network: assay localnet start',
    )
  }
}

/** The command. */
export function localnetAddCommand(): Command {
  const command = new Command('add')
    .description('Add a full node, which catches up by block sync or state sync.')
    .option('--state-sync', 'start from a snapshot instead of the first block')
    .option('--first-port <port>', 'as for localnet start', '26600')
  return command.action(async () => {
    const { firstPort, stateSync } = command.opts<{ firstPort: string; stateSync?: boolean }>()
    const paths = pathsOf(command)
    const plan = requirePlan(paths)
    const { addFullNode } = await import('./create.ts')
    const first = readOption('--first-port', integer(0, 64_000), firstPort)
    const node = await addFullNode(
      paths,
      plan,
      first,
      stateSync === true ? await latestHeader(plan) : undefined,
    )
    const supervisor = ownerOf(paths.lock)
    if (supervisor !== undefined) sendSignal(supervisor, 'SIGHUP')
    process.stdout.write(`${node.name}  http://127.0.0.1:${node.ports.rpc}\n`)
  })
}
