/** Compares a node's Ethereum view with the blocks of its CometBFT. */
import { rpc } from './assay.ts'

type EthereumBlock = {
  readonly hash: string
  readonly parentHash: string
  readonly stateRoot: string
  readonly receiptsRoot: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

type CometBlock = {
  readonly block_id: { readonly hash: string }
  readonly block: {
    readonly header: {
      readonly app_hash: string
      readonly time: string
      readonly proposer_address: string
    }
    readonly data: { readonly txs: readonly string[] }
  }
}

/** A block of the consensus RPC. */
export async function cometBlock(comet: string, height: number): Promise<CometBlock> {
  const { result, error } = (await (await fetch(`${comet}/block?height=${height}`)).json()) as {
    result?: CometBlock
    error?: { data: string }
  }
  if (result === undefined) throw new Error(`block ${height}: ${error?.data}`)
  return result
}

/** A block of the JSON-RPC, without its transactions' contents. */
export async function ethereumBlock(url: string, height: number): Promise<EthereumBlock> {
  const tag = `0x${height.toString(16)}`
  return (await rpc(url, 'eth_getBlockByNumber', [tag, false])).result as EthereumBlock
}

/** Height of the last block that the JSON-RPC knows. */
export async function heightOf(url: string): Promise<number> {
  return Number((await rpc(url, 'eth_blockNumber')).result)
}

/** What differs between the two views in the heights from 1 to `last`, one string per fault. */
export async function auditViews(
  node: { readonly rpc: string; readonly comet: string },
  last: number,
): Promise<readonly string[]> {
  const faults: string[] = []
  let parent = await ethereumBlock(node.rpc, 0)
  for (let height = 1; height <= last; height++) {
    const block = await ethereumBlock(node.rpc, height)
    const decided = await cometBlock(node.comet, height)
    const { header, data } = decided.block
    const expect = (what: string, a: unknown, b: unknown) => {
      if (a !== b) faults.push(`${what} of block ${height}: ${String(a)} is not ${String(b)}`)
    }
    expect('hash', block.hash, `0x${decided.block_id.hash.toLowerCase()}`)
    expect('parent', block.parentHash, parent.hash)
    expect('app hash', parent.stateRoot, `0x${header.app_hash.toLowerCase()}`)
    expect('time', Number(block.timestamp), Math.floor(Date.parse(header.time) / 1000))
    expect('transactions', block.transactions.length, data.txs.length)
    parent = block
  }
  return faults
}
