/** up.json: the details of a running `assay up`, for scripts. Written last, removed when it stops, mode 0600 (D50). */
import fs from 'node:fs'
import { codeOf } from '../base/errors.ts'
import { writeFileAtomic } from '../base/files.ts'
import type { Hex } from '../base/hex.ts'

export type UpFile = {
  /** Ethereum JSON-RPC: at the root path, and at /ethereum (D4). */
  readonly rpc: string
  readonly ws: string
  readonly ethereum: string
  readonly wsEthereum: string
  /** Consensus RPC. */
  readonly comet: string
  /** Job API, the dispatcher's id, and where operators connect. */
  readonly dispatcher: string
  readonly dispatcherAddress: string
  readonly operatorAddress: string
  /** The dispatcher's PostgreSQL database. Operators may have further databases on its server. */
  readonly database: string
  /** The explorer's page; absent if it is not served. */
  readonly explorer?: string
  readonly ipc: string
  /** Where each program serves GET /metrics, by its name; only the dispatcher's unless metrics.address is set. */
  readonly metrics: Readonly<Record<string, string>>
  /** Path of the secret of JSON-RPC tokens, and a token for private methods. */
  readonly jwt: string
  readonly rpcToken: string
  readonly chainId: number
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[]
  /** Of the development accounts in the key store. */
  readonly passphrase: string
  readonly project: string
  readonly token: string
  readonly models: readonly string[]
  readonly pid: number
}

/** Writes the file. */
export function writeUpFile(file: string, content: UpFile): void {
  writeFileAtomic(file, `${JSON.stringify(content, undefined, 2)}\n`)
}

/** The contents of a running system's file, or undefined if there is none. */
export function readUpFile(file: string): UpFile | undefined {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  return JSON.parse(text) as UpFile
}
