/**
 * Transactions of every sort that a seed decides: transfers, deployments, calls, reverts, self-destructs, out of gas, stake,
 * rubbish.
 */
import { utf8 } from '../../src/base/bytes.ts'
import { fromHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import type { UnsignedTransaction } from '../../src/chain/unsignedTransaction.ts'
import { contractAddress } from '../../src/evm/contractAddress.ts'
import type { StateView } from '../../src/evm/types.ts'
import { pick, randomProgram, type Random } from './randomProgram.ts'
import { stakingCall } from './stakingCalls.ts'

const GWEI = 1_000_000_000n
const PRECOMPILES = [1, 2, 4, 5].map((number) => {
  const address = new Uint8Array(20)
  address[19] = number
  return address
})

/** An account that the workload sends from. */
export type Sender = { readonly privateKey: Uint8Array; readonly address: Uint8Array }

/** The same accounts in every run. */
export function workloadSenders(count: number): readonly Sender[] {
  return Array.from({ length: count }, (_, index) => {
    const privateKey = keccak256(utf8(`sender ${index}`))
    return { privateKey, address: addressOfPrivateKey(privateKey) }
  })
}

export type Workload = {
  /** Raw transactions for the next block, with the nonces that the state asks for unless chance wants others. */
  next(count: number, state: Pick<StateView, 'account'>): readonly Uint8Array[]
}

export type WorkloadOptions = {
  readonly chainId: bigint
  readonly senders: readonly Sender[]
  readonly random: Random
  /** Whether some transactions are bytes that cannot be decoded. */
  readonly withRubbish?: boolean
  /** Operators of validators; with them there are calls of the staking contract. */
  readonly operators?: readonly Uint8Array[]
}

/** Deploys the program that is given. */
function initCodeOf(runtime: Uint8Array): Uint8Array {
  const [high, low] = [runtime.length >> 8, runtime.length & 255]
  // PUSH2 length, DUP1, PUSH1 offset, PUSH0, CODECOPY, PUSH0, RETURN
  const prologue = [0x61, high, low, 0x80, 0x60, 10, 0x5f, 0x39, 0x5f, 0xf3]
  return Uint8Array.from([...prologue, ...runtime])
}

/** Runs until its gas is gone. */
const ENDLESS = Uint8Array.of(0x5b, 0x5f, 0x56)
/** Writes the call data's first word into slot 0 and where the second says, and destroys itself where it begins odd. */
const KEEPER = fromHex('0x5f35805f555f35602035555f1a600116601757000000005b33ff')

/** A source of transactions. The same random numbers and states give the same ones. */
export function createWorkload(options: WorkloadOptions): Workload {
  const { chainId, senders, random, withRubbish = true, operators } = options
  const contracts: Uint8Array[] = []
  const addresses = senders.map(({ address }) => address)

  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => random(256))

  /** What a transaction does: its recipient, value, data and gas. */
  function action(): Pick<UnsignedTransaction, 'to' | 'value' | 'data' | 'gasLimit'> {
    const none = new Uint8Array(0)
    const known = [...contracts, ...PRECOMPILES, ...addresses]
    const gasLimit = BigInt(60_000 + random(400_000))
    if (operators !== undefined && random(5) === 0)
      return { ...stakingCall(random, [...operators, ...addresses]), gasLimit: 500_000n }
    switch (random(10)) {
      case 0:
      case 1:
      case 2: {
        const to = random(3) === 0 ? bytes(20) : pick(random, senders).address
        return { to, value: BigInt(random(1_000_000)), data: none, gasLimit: 21_000n }
      }
      case 3:
        return {
          to: undefined,
          value: 0n,
          data: initCodeOf(randomProgram(random, known)),
          gasLimit,
        }
      case 4:
        return { to: undefined, value: 0n, data: initCodeOf(KEEPER), gasLimit }
      case 5:
        return { to: undefined, value: 0n, data: randomProgram(random, known), gasLimit }
      case 6:
        return {
          to: undefined,
          value: 0n,
          data: random(2) === 0 ? ENDLESS : initCodeOf(ENDLESS),
          gasLimit: BigInt(54_000 + random(60_000)),
        }
      default: {
        const to = contracts.length === 0 ? bytes(20) : pick(random, contracts)
        return { to, value: BigInt(random(3)), data: bytes(random(70)), gasLimit }
      }
    }
  }

  return {
    next(count, state) {
      const nonces = new Map<Sender, bigint>()
      return Array.from({ length: count }, () => {
        if (withRubbish && random(40) === 0) return bytes(1 + random(100))
        const sender = pick(random, senders)
        const next = nonces.get(sender) ?? state.account(sender.address)?.nonce ?? 0n
        const nonce = random(30) === 0 ? next + BigInt(random(3)) : next
        nonces.set(sender, next + 1n)
        const { to, ...rest } = action()
        if (to === undefined) contracts.push(contractAddress(sender.address, nonce))
        if (contracts.length > 60) contracts.shift()
        const type = pick(random, [0, 1, 2] as const)
        const price = BigInt(2 + random(3)) * GWEI
        const unsigned = {
          ...rest,
          type,
          chainId,
          nonce,
          to,
          maxFeePerGas: price,
          maxPriorityFeePerGas: type === 2 ? BigInt(random(2)) * GWEI : price,
          accessList: [],
          authorizationList: [],
        }
        return signTransaction(unsigned, sender.privateKey).raw
      })
    },
  }
}
