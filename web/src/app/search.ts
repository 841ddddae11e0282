/** Finds the page for a search term: a height, a hash of either kind, an address or a job. */
import { hexToBytes } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { paths } from './routes.ts'

type TxAnswer = { readonly tx?: string }

/** The consensus RPC takes hashes in base64, and answers with the raw transaction. */
function base64(hex: string): string {
  return btoa(String.fromCharCode(...hexToBytes(hex)))
}

async function byEthereumHash({ ethereum }: Node, hash: string): Promise<string | undefined> {
  const [transaction, block] = await Promise.all([
    ethereum('eth_getTransactionByHash', [hash]),
    ethereum('eth_getBlockByHash', [hash, false]),
  ])
  if (transaction !== null) return paths.transaction(hash)
  return block === null ? undefined : paths.block(hash)
}

async function byConsensusHash({ consensus }: Node, hash: string): Promise<string | undefined> {
  try {
    const { tx } = (await consensus('tx', { hash: base64(hash) })) as TxAnswer
    if (tx === undefined) return undefined
    const { keccak256 } = await import('../proof/hashes.ts')
    const raw = Uint8Array.from(atob(tx), (character) => character.charCodeAt(0))
    const { bytesToHex } = await import('../format/hex.ts')
    return paths.transaction(bytesToHex(keccak256(raw)))
  } catch {
    return undefined
  }
}

async function isJob({ endpoints }: Node, id: string): Promise<boolean> {
  if (endpoints.dispatcher === null) return false
  const response = await fetch(`${endpoints.dispatcher}/api/job/detail`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ job_id: id }),
  }).catch(() => undefined)
  return response?.ok === true || response?.status === 401
}

/** The path of the page for a search term; undefined when this node finds nothing. */
export async function find(node: Node, text: string): Promise<string | undefined> {
  const wanted = text.trim()
  if (/^[\d,]{1,20}$/.test(wanted)) {
    const height = Number(wanted.replaceAll(',', ''))
    const latest = Number(await node.ethereum('eth_blockNumber'))
    return height <= latest ? paths.block(height) : undefined
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(wanted)) return paths.account(wanted.toLowerCase())
  const digits = wanted.replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits)) return undefined
  const found = (await byEthereumHash(node, `0x${digits}`)) ?? (await byConsensusHash(node, digits))
  if (found !== undefined) return found
  return (await isJob(node, digits)) ? paths.job(digits) : undefined
}
