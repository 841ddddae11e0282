/** Names of validators, as in genesis. They are untrusted text. */
import { bytesToHex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'

export type GenesisValidator = {
  /** Consensus address, in upper-case digits. */
  readonly address: string
  /** 0x and 64 digits. */
  readonly publicKey: string
  readonly name: string
}

type GenesisAnswer = {
  readonly genesis: {
    readonly validators?:
      | readonly {
          readonly address?: string
          readonly pub_key: { readonly value: string }
          readonly name?: string
        }[]
      | null
  }
}

/** Genesis never changes: it is requested once. */
let known: Promise<readonly GenesisValidator[]> | undefined

/** Base64 as hex. */
export function hexOfBase64(text: string): string {
  return bytesToHex(Uint8Array.from(atob(text), (each) => each.charCodeAt(0)))
}

async function ask({ consensus }: Node): Promise<readonly GenesisValidator[]> {
  const { genesis } = (await consensus('genesis', {})) as GenesisAnswer
  return (genesis.validators ?? []).map(({ address = '', pub_key: key, name = '' }) => ({
    address,
    publicKey: hexOfBase64(key.value),
    name,
  }))
}

/** The validators of genesis; none if it is too large for a single response. */
export async function genesisValidators(node: Node): Promise<readonly GenesisValidator[]> {
  known ??= ask(node)
  try {
    return await known
  } catch {
    known = undefined
    return []
  }
}
