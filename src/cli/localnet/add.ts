/** `assay localnet add`: one more full node, which catches up from the others. */
import { Command } from 'commander'
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import { integer } from '../../config/types.ts'
import { heightText } from '../../proof/comet/json/scalars.ts'
import { readOption } from '../options.ts'
import { pathsOf } from './pathsOf.ts'
import type { Trusted } from './create.ts'
import { requirePlan, type Plan } from './plan.ts'
import { ownerOf } from '../../base/lock.ts'

const commitAnswer = z.object({
  result: z.object({
    signed_header: z.object({
      commit: z.object({ height: heightText, block_id: z.object({ hash: z.string() }) }),
    }),
  }),
})

/** The header of the last block, as the first node shows it: on one's own machine, there is nobody else to ask. */
async function latestHeader({ nodes }: Plan): Promise<Trusted> {
  const url = `http://127.0.0.1:${nodes[0]?.ports.comet}/commit`
  try {
    const { commit } = commitAnswer.parse(await (await fetch(url)).json()).result.signed_header
    return { height: commit.height, hash: commit.block_id.hash }
  } catch (error) {
    throw new UserError(
      `${url} gives no header to trust: ${messageOf(error)}`,
      'State sync needs a running network: assay localnet start',
    )
  }
}

/** The command. */
export function localnetAddCommand(): Command {
  const command = new Command('add')
    .description('Add a full node, which catches up by block sync or state sync.')
    .option('--state-sync', 'begin with a snapshot instead of the first block')
    .option('--first-port <port>', 'as at the start of the network', '26600')
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
    if (supervisor !== undefined) process.kill(supervisor, 'SIGHUP')
    process.stdout.write(`${node.name}  http://127.0.0.1:${node.ports.rpc}\n`)
  })
}
