/**
 * Clients: they number transactions, give each to some node, whose gossip tells the others, and to another node while it
 * stands in no block.
 */
import { utf8 } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { pick } from '../support/randomProgram.ts'
import { SENDERS, type Network } from './network.ts'

const GWEI = 1_000_000_000n

export type Clients = {
  /** How many transactions were made. */
  sent(): number
  /** Whether each of them stands in a block. */
  isServed(): boolean
  run(): Promise<void>
}

type SignedTransfer = { readonly raw: Uint8Array; readonly hash: Uint8Array }

// Signatures are dear, and nothing of ours depends on who pays whom: the n-th transfer of a sender is the same under every
// seed, and signed once.
const signed = new Map<string, SignedTransfer>()

/** The transfer of a sender with this nonce. */
function transactionOf(chainId: bigint, sender: number, nonce: number): SignedTransfer {
  const name = `${sender} ${nonce}`
  const known = signed.get(name)
  if (known !== undefined) return known
  const digest = keccak256(utf8(name))
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId,
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
  const transfer = { raw, hash }
  signed.set(name, transfer)
  return transfer
}

export function createClients(network: Network): Clients {
  const { random, chance, scheduler, decisions, phase, nodes } = network
  const sent: SignedTransfer[] = []
  const nonces = SENDERS.map(() => 0)

  const isExecuted = ({ hash }: SignedTransfer): boolean =>
    decisions.executed.has(toHexDigits(hash))

  function newTransaction(): SignedTransfer {
    const index = random(SENDERS.length)
    const nonce = nonces[index] ?? 0
    nonces[index] = nonce + 1
    const transaction = transactionOf(network.genesis.state.rules.chainId, index, nonce)
    sent.push(transaction)
    return transaction
  }

  /** One node's pool takes a transaction, as after eth_sendRawTransaction. */
  async function submit({ hash, raw }: SignedTransfer): Promise<void> {
    const node = pick(random, nodes)
    const { code } = await node.use(({ application }) => application.takeTx(raw))
    if (code === 0) network.mempools.send(node, hash, raw)
  }

  return {
    sent: () => sent.length,
    isServed: () => sent.every(isExecuted),
    async run() {
      while (!phase.isOver) {
        await scheduler.sleep(20 + random(80))
        if (!phase.isHealed) network.go(() => submit(newTransaction()))
        for (const transfer of sent)
          if (!isExecuted(transfer) && chance(phase.isHealed ? 50 : 3))
            network.go(() => submit(transfer))
      }
    },
  }
}
