/** What must hold however the network behaves. Each violation ends the simulation. */
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

/** Everything of an answer, as text. */
function textOf(response: FinalizeBlockResponse): string {
  return JSON.stringify(response, (_, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    return value instanceof Uint8Array ? toHexDigits(value) : value
  })
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
  const answers: { readonly text: string; readonly appHash: Uint8Array }[] = []
  const executed = new Map<string, number>()

  function first(height: number, response: FinalizeBlockResponse, text: string): void {
    answers[height] = { text, appHash: response.appHash }
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
      const text = textOf(response)
      const known = answers[height]
      if (known === undefined) first(height, response, text)
      else demand(known.text === text, `${who} made something else of block ${height}`)
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
