/** Clients: they number transactions, give each to some node, and to another one while it stands in no block. */
import { utf8 } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { pick } from '../support/randomProgram.ts'
import { GENESIS, SENDERS, type Network } from './network.ts'
import type { SimulatedNode } from './node.ts'

const GWEI = 1_000_000_000n

export type Clients = {
  /** How many transactions were made. */
  sent(): number
  /** Whether each of them stands in a block. */
  isServed(): boolean
  run(): Promise<void>
}

type SignedTransfer = { readonly raw: Uint8Array; readonly hash: string }

// Signatures are dear, and nothing of ours depends on who pays whom: the n-th transfer of a sender is the same under every
// seed, and signed once.
const signed = new Map<string, SignedTransfer>()

/** The transfer of a sender with this nonce. */
function transactionOf(sender: number, nonce: number): SignedTransfer {
  const name = `${sender} ${nonce}`
  const known = signed.get(name)
  if (known !== undefined) return known
  const digest = keccak256(utf8(name))
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId: GENESIS.state.rules.chainId,
      nonce: BigInt(nonce),
      maxFeePerGas: 10n * GWEI,
      maxPriorityFeePerGas: BigInt(1 + ((digest[0] ?? 0) % 3)) * GWEI,
      gasLimit: 21_000n,
      to: keccak256(utf8(`recipient ${(digest[1] ?? 0) % 20}`)).slice(12),
      value: BigInt(digest[2] ?? 0),
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
    },
    SENDERS[sender]?.privateKey ?? digest,
  )
  const transfer = { raw, hash: toHexDigits(hash) }
  signed.set(name, transfer)
  return transfer
}

export function createClients(network: Network): Clients {
  const { random, chance, scheduler, decisions, phase, nodes } = network
  const sent: SignedTransfer[] = []
  const nonces = SENDERS.map(() => 0)

  function newTransaction(): Uint8Array {
    const index = random(SENDERS.length)
    const nonce = nonces[index] ?? 0
    nonces[index] = nonce + 1
    const transaction = transactionOf(index, nonce)
    sent.push(transaction)
    return transaction.raw
  }

  async function give(raw: Uint8Array, to: SimulatedNode): Promise<boolean> {
    const { code } = await to.use(({ application }) => application.takeTx(raw))
    return code === 0
  }

  /** One node takes a transaction and tells the others, if nothing comes in between. */
  async function submit(raw: Uint8Array): Promise<void> {
    const first = pick(random, nodes)
    if (!(await give(raw, first))) return
    for (const other of nodes)
      if (other !== first)
        network.go(async () => {
          await scheduler.sleep(random(60))
          const isLost = !phase.isHealed && chance(10)
          if (network.areConnected(first, other) && !isLost) await give(raw, other)
        })
  }

  return {
    sent: () => sent.length,
    isServed: () => sent.every(({ hash }) => decisions.executed.has(hash)),
    async run() {
      while (!phase.isOver) {
        await scheduler.sleep(20 + random(80))
        if (!phase.isHealed) network.go(() => submit(newTransaction()))
        for (const { raw, hash } of sent)
          if (!decisions.executed.has(hash) && chance(phase.isHealed ? 50 : 3))
            network.go(() => submit(raw))
      }
    },
  }
}
