/** What must hold however the network behaves. Each violation ends the simulation. */
import { equalBytes } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import type { FinalizeBlockResponse, ProposedBlock } from '../../src/consensus/application.ts'
import type { ChainReader } from '../../src/chain/reader.ts'

/** Something that must not happen has happened. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

export function demand(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Violation(what)
}

/** Whether two nodes answered the same. Events follow from the receipt, whose hash is a result's `data`. */
function isSame(a: FinalizeBlockResponse, b: FinalizeBlockResponse): boolean {
  return (
    equalBytes(a.appHash, b.appHash) &&
    a.txResults.length === b.txResults.length &&
    a.validatorUpdates.length === b.validatorUpdates.length &&
    a.txResults.every((result, index) => {
      const other = b.txResults[index]
      return (
        other !== undefined &&
        result.code === other.code &&
        result.log === other.log &&
        result.gasWanted === other.gasWanted &&
        result.gasUsed === other.gasUsed &&
        equalBytes(result.data, other.data)
      )
    }) &&
    a.validatorUpdates.every(({ publicKey, power }, index) => {
      const other = b.validatorUpdates[index]
      return other?.power === power && equalBytes(other.publicKey, publicKey)
    })
  )
}

/** The chain that was decided, and what it does. */
export type Decisions = {
  readonly blocks: ProposedBlock[]
  /** Height by hash of each transaction that was executed. */
  readonly executed: ReadonlyMap<string, number>
  appHash(height: number): Uint8Array
  /** Compares what a node made of a height with what the first one made of it. */
  finalized(who: string, height: number, response: FinalizeBlockResponse): void
}

export function createDecisions(): Decisions {
  const blocks: ProposedBlock[] = []
  const answers: FinalizeBlockResponse[] = []
  const executed = new Map<string, number>()

  function first(height: number, response: FinalizeBlockResponse): void {
    answers[height] = response
    for (const [index, tx] of blocks[height - 1]?.txs.entries() ?? []) {
      const code = response.txResults[index]?.code
      if (code === 2) continue
      const hash = toHexDigits(keccak256(tx))
      demand(!executed.has(hash), `${hash} was executed at ${executed.get(hash)} and at ${height}`)
      executed.set(hash, height)
    }
  }

  return {
    blocks,
    executed,
    appHash(height) {
      const answer = answers[height]
      if (answer === undefined) throw new Violation(`nobody has executed block ${height}`)
      return answer.appHash
    },
    finalized(who, height, response) {
      const known = answers[height]
      if (known === undefined) first(height, response)
      else demand(isSame(known, response), `${who} made something else of block ${height}`)
    },
  }
}

/** Every block that a node keeps is the decided one, and its state has the root. */
export function checkChain(who: string, reader: ChainReader, decisions: Decisions): void {
  const earliest = Math.max(1, reader.earliestHeight())
  demand(reader.latestHeight() === decisions.blocks.length, `${who} is not at the last block`)
  for (let height = earliest; height <= decisions.blocks.length; height++) {
    const header = reader.header(height)
    demand(
      header !== undefined &&
        toHexDigits(header.stateRoot) === toHexDigits(decisions.appHash(height)),
      `${who} has another root at ${height}`,
    )
    const txs = reader.decided(height)?.map(({ raw }) => toHexDigits(raw))
    const expected = decisions.blocks[height - 1]?.txs.map(toHexDigits)
    demand(
      JSON.stringify(txs) === JSON.stringify(expected),
      `${who} has other transactions at ${height}`,
    )
  }
}
