/** The chain that an operator is on, asked over `chain_rpc_url`: its signatures must not be good for another one. */
import { z } from 'zod'
import { tryFromQuantity } from '../../base/quantity.ts'

const ANSWER_MS = 3_000
const RETRY_MS = 30_000

const response = z.object({ result: z.string() })

/**
 * A reader of the chain id. It gives undefined while the node does not answer (jobs do not wait for it), asks again half a
 * minute later, and remembers the answer once there is one.
 */
export function chainIdReader(url: string): () => Promise<bigint | undefined> {
  let known: bigint | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (known !== undefined || performance.now() - askedAt < RETRY_MS) return known
    askedAt = performance.now()
    known = await askChainId(url)
    return known
  }
}

async function askChainId(url: string): Promise<bigint | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    return tryFromQuantity(response.parse(await answer.json()).result)
  } catch {
    return undefined
  }
}
