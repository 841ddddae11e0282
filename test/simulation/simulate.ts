/**
 * Validators, four unless said, and one late node under a seed: delays, lost messages, partitions, processes that end between any two
 * steps, lying proposers. In place of CometBFT stands what it promises an application: a proposal that two thirds took
 * may be decided; what is decided every node gets, in order; a start is a handshake.
 */
import { createClients } from './clients.ts'
import { runConsensus } from './consensus.ts'
import { checkChain, Violation } from './invariants.ts'
import { joinLate, live } from './life.ts'
import { createNetwork, type Network, type SimulationOptions } from './network.ts'

export type SimulationReport = Network['counts'] & {
  readonly blocks: number
  readonly transactions: number
}

/** Parts the network and joins it again, while it is not healed. */
async function runPartitions(network: Network): Promise<void> {
  const { options, phase, random, scheduler } = network
  const { duration } = options
  while (!phase.isHealed) {
    await scheduler.sleep(random(duration / 3))
    network.split(!phase.isHealed)
    await scheduler.sleep(random(duration / 5))
    network.split(false)
  }
}

/** Ends the faults, and after a long time everything. */
async function heal(network: Network): Promise<void> {
  const { decisions, nodes, options, phase, scheduler } = network
  await scheduler.sleep(options.duration)
  phase.isHealed = true
  network.split(false)
  await scheduler.sleep(20 * options.duration + 20_000)
  const heights = nodes.map((node) => node.height()).join(' ')
  throw new Violation(`it does not come to an end: ${heights} of ${decisions.blocks.length} blocks`)
}

/** Runs one seed to the end. Throws Violation, which names what was broken. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const network = createNetwork(options)
  const { counts, decisions, nodes, phase, scheduler, validators } = network
  const clients = createClients(network)
  const isDone = (): boolean =>
    phase.isHealed &&
    clients.isServed() &&
    nodes.every((node) => node.isReady() && node.height() === decisions.blocks.length)

  for (const node of validators) network.go(() => live(network, node))
  for (const task of [joinLate, runConsensus, runPartitions, heal]) network.go(() => task(network))
  network.go(clients.run)
  try {
    await scheduler.run(() => phase.isOver || isDone())
    phase.isOver = true
    if (phase.failure !== undefined) throw phase.failure
    for (const node of nodes)
      await node.use(({ store }) => checkChain(node.name, store.reader, decisions))
  } finally {
    phase.isOver = true
    for (const node of nodes) await node.end()
  }
  return { blocks: decisions.blocks.length, transactions: clients.sent(), ...counts }
}
