/**
 * An EVM chain, reached by a public URL. The format of responses is validated; whether to trust them is up to the
 * caller.
 */
import { z } from 'zod'
import { toHex, tryFromHex } from '../../base/hex.ts'
import { toQuantity, tryFromQuantity } from '../../base/quantity.ts'
import { jsonRpcCaller, ServerError } from './jsonRpc.ts'

const ANSWER_MS = 5_000
/** Responses are numbers, hashes and proofs. */
const ANSWER_BYTES = 4 * 1024 * 1024

const block = z.object({ hash: z.string().regex(/^0x[0-9a-fA-F]{64}$/) }).nullable()

/** All rejections are ServerError, or RpcAnswerError when the node responds with an error. */
export type EvmChain = {
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  /** Calls a method whose result is a QUANTITY. */
  quantity(method: string, params?: readonly unknown[]): Promise<bigint>
  /** Calls a method whose result is DATA. */
  bytes(method: string, params: readonly unknown[]): Promise<Uint8Array>
  chainId(): Promise<bigint>
  /** Number of the newest block. */
  head(): Promise<number>
  /** The hash of a block, 64 lower-case digits; undefined if no block has that number yet. */
  blockHash(number: number): Promise<string | undefined>
  /** The result of calling a contract, in the latest state. */
  view(contract: Uint8Array, data: Uint8Array): Promise<Uint8Array>
}

/** A client of the chain at a URL. Requests end when the signal is aborted. */
export function connectChain(url: string, signal: AbortSignal): EvmChain {
  const limits = { deadline: signal, answerMs: ANSWER_MS, answerBytes: ANSWER_BYTES }
  const ask = jsonRpcCaller(new URL(url), 'the chain', limits)
  const chain: EvmChain = {
    ask,
    async quantity(method, params = []) {
      const answer = await ask(method, params)
      const value = typeof answer === 'string' ? tryFromQuantity(answer) : undefined
      if (value === undefined) throw new ServerError(`the chain: ${method}: expected a QUANTITY`)
      return value
    },
    async bytes(method, params) {
      const answer = await ask(method, params)
      const value = typeof answer === 'string' ? tryFromHex(answer) : undefined
      if (value === undefined) throw new ServerError(`the chain: ${method}: expected DATA`)
      return value
    },
    chainId: () => chain.quantity('eth_chainId'),
    head: async () => Number(await chain.quantity('eth_blockNumber')),
    async blockHash(number) {
      const answer = await ask('eth_getBlockByNumber', [toQuantity(number), false])
      const parsed = block.safeParse(answer)
      if (!parsed.success)
        throw new ServerError('the chain: eth_getBlockByNumber: expected a block or null')
      return parsed.data?.hash.slice(2).toLowerCase()
    },
    view: (contract, data) =>
      chain.bytes('eth_call', [{ to: toHex(contract), data: toHex(data) }, 'latest']),
  }
  return chain
}
