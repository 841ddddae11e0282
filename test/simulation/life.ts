/** How nodes live: they start, follow what is decided, crash and start again; a late one may restore a snapshot first. */
import { pick } from '../support/randomProgram.ts'
import { demand } from './invariants.ts'
import type { Network } from './network.ts'
import { Crashed, type SimulatedNode } from './node.ts'

/** A node gets what was decided from whoever has it and can be reached. */
async function followAll(network: Network, node: SimulatedNode): Promise<void> {
  const { holders, phase, scheduler } = network
  while (!phase.isOver) {
    const next = holders[node.stored()]
    const isReachable = [...(next ?? [])].some(
      (holder) =>
        holder === node || (holder.running() !== undefined && network.areConnected(holder, node)),
    )
    if (next === undefined || !isReachable) {
      await scheduler.sleep(10)
      if (!node.isReady()) throw new Crashed()
      continue
    }
    next.add(node)
    await node.follow()
  }
}

/** A node runs until it crashes, and starts again some time later; now and then a validator loses its disk. */
export async function live(network: Network, node: SimulatedNode): Promise<void> {
  const { chance, counts, phase, random, scheduler } = network
  while (!phase.isOver) {
    try {
      await node.start()
      await followAll(network, node)
    } catch (error) {
      if (!(error instanceof Crashed)) throw error
      counts.crashes++
      await scheduler.sleep(phase.isHealed ? 10 : 20 + random(300))
      if (!phase.isHealed && node !== network.late && chance(10)) node.wipe()
      if (!phase.isHealed && network.options.storeFolder !== undefined && chance(50)) {
        counts.flipped++
        node.damage(random)
      }
    }
  }
}

/** Restores a snapshot of somebody else, chunk by chunk, some of them spoilt on their way. */
async function restore(network: Network): Promise<void> {
  const { chance, decisions, late, phase, scheduler } = network
  const peer = pick(network.random, network.validators)
  const snapshot = peer.running()?.application.listSnapshots()[0]
  if (snapshot === undefined || snapshot.height >= decisions.blocks.length) return
  const appHash = decisions.appHash(snapshot.height)
  await late.start()
  const offer = await late.use((to) => to.application.offerSnapshot({ snapshot, appHash }))
  demand(offer === 'accept', `a snapshot is answered with: ${offer}`)
  for (let index = 0; index < snapshot.chunks;) {
    await network.pause()
    if (network.crashesNow()) late.crash()
    const loaded = await scheduler.real(
      peer.use(({ application }) => application.loadSnapshotChunk({ ...snapshot, chunk: index })),
    )
    const isSpoilt = !phase.isHealed && chance(20)
    const chunk = isSpoilt ? loaded.map((byte) => byte ^ 1) : loaded
    const { result } = await late.use(({ application }) =>
      application.applySnapshotChunk({ index, chunk, sender: peer.name }),
    )
    // The peer may have removed it meanwhile.
    const isWrong = isSpoilt || loaded.length === 0
    demand(result === (isWrong ? 'retry' : 'accept'), `a chunk is answered with: ${result}`)
    if (loaded.length === 0) return
    if (!isSpoilt) index++
  }
  const info = await late.use(({ application }) => application.info())
  demand(info.lastBlockHeight === snapshot.height, 'the restored height is not the last one')
  late.jumpTo(snapshot.height)
  network.counts.restored++
}

const TRIES = 5

/** The late node begins some time, with a snapshot where there is one. */
export async function joinLate(network: Network): Promise<void> {
  const { late, options, random, scheduler } = network
  await scheduler.sleep(random(options.duration))
  const tries = options.snapshotFolder === undefined ? 0 : TRIES
  for (let i = 0; i < tries && late.height() === 0; i++) {
    try {
      await restore(network)
    } catch (error) {
      if (!(error instanceof Crashed)) throw error
    }
    if (late.height() === 0) late.crash()
    await scheduler.sleep(100)
  }
  await live(network, late)
}
