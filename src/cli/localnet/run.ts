/** Runs the nodes of a network as processes, each under a supervisor of its own, so that all of them stop at once. */
import fs from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createSupervisor, type Supervisor } from '../supervisor.ts'
import { findPlan, type LocalnetPaths, type PlannedNode } from './plan.ts'

export type RunningNetwork = {
  /** Resolves once every node answers, and so the first block is made. Rejects with what a node says. */
  readonly ready: Promise<void>
  /** Starts the nodes that the plan has more by now. */
  startAdded(): void
  stop(): Promise<void>
}

/** Starts all nodes of the plan. `cometbft` names the program, where it is not the one of the PATH. */
export function runNetwork(
  paths: LocalnetPaths,
  cometbft: string | undefined,
  log: Log,
): RunningNetwork {
  const supervisors = new Map<string, Supervisor>()
  fs.mkdirSync(paths.logs, { recursive: true, mode: 0o700 })

  async function start({ name }: PlannedNode): Promise<void> {
    const supervisor = createSupervisor(paths.logs, log)
    supervisors.set(name, supervisor)
    const { folder } = paths.home(name)
    await supervisor.start({
      name,
      args: ['node', '--home', folder, ...(cometbft === undefined ? [] : ['--cometbft', cometbft])],
    })
  }

  const missing = (): readonly PlannedNode[] =>
    (findPlan(paths)?.nodes ?? []).filter(({ name }) => !supervisors.has(name))

  return {
    ready: Promise.all(missing().map(start)).then(() => undefined),
    startAdded() {
      for (const node of missing())
        start(node).catch((error: unknown) =>
          log.error({ node: node.name, reason: messageOf(error) }, 'a node does not start'),
        )
    },
    async stop() {
      await Promise.all([...supervisors.values()].map((supervisor) => supervisor.stop()))
    },
  }
}
