/** Runs the nodes of a network as processes, each under its own supervisor, so that all of them stop simultaneously. */
import fs from 'node:fs'
import { messageOf, UserError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { storeDamageOf } from '../storeDamage.ts'
import { createSupervisor, type Supervisor } from '../supervisor.ts'
import { findPlan, type LocalnetPaths, type PlannedNode } from './plan.ts'

export type RunningNetwork = {
  /** Resolves once every node responds, which means that the first block exists. Rejects with a node's error. */
  readonly ready: Promise<void>
  /** Starts the nodes that were added to the plan since. */
  startAdded(): void
  stop(): Promise<void>
}

/** Starts all nodes of the plan. `cometbft` is the path of the program; by default, the one on the PATH. */
export function runNetwork(
  paths: LocalnetPaths,
  cometbft: string | undefined,
  log: Log,
): RunningNetwork {
  const supervisors = new Map<string, Supervisor>()
  fs.mkdirSync(paths.logs, { recursive: true, mode: 0o700 })

  async function start({ name }: PlannedNode): Promise<void> {
    const supervisor = createSupervisor(paths.logs, log, (error) =>
      log.fatal({ node: name, reason: error.message, advice: error.advice }, 'a node has ended'),
    )
    supervisors.set(name, supervisor)
    const home = paths.home(name)
    const { folder, configFile } = home
    try {
      await supervisor.start({
        name,
        args: [
          'node',
          '--home',
          folder,
          ...(cometbft === undefined ? [] : ['--cometbft', cometbft]),
        ],
        damage: storeDamageOf(home),
      })
    } catch (error) {
      // The node's own advice is for nodes that are started manually.
      throw error instanceof UserError
        ? new UserError(
            `${name} failed to start: ${error.message}`,
            `Its settings are in ${configFile}.`,
          )
        : error
    }
  }

  const missing = (): readonly PlannedNode[] =>
    (findPlan(paths)?.nodes ?? []).filter(({ name }) => !supervisors.has(name))

  return {
    ready: Promise.all(missing().map(start)).then(() => undefined),
    startAdded() {
      for (const node of missing())
        start(node).catch((error: unknown) =>
          log.error({ node: node.name, reason: messageOf(error) }, 'a node failed to start'),
        )
    },
    async stop() {
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.stop()))
    },
  }
}
