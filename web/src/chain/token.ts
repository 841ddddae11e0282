/** Metadata of token contracts. It is untrusted: strings are truncated, and decimals bounded. */
import { useCallback, useSyncExternalStore } from 'react'
import { decodeValues } from '../abi/decode.ts'
import { parseType } from '../abi/parse.ts'
import { hexToBytes } from '../format/hex.ts'
import { useNode } from '../net/context.ts'
import type { Ask } from '../net/jsonRpc.ts'

export type Token = {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

const NAME = '0x06fdde03'
const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'
const MOST_DECIMALS = 77
const LONGEST = 2000

const UNKNOWN: Token = { name: '', symbol: '', decimals: 0 }
const STRING = parseType('string')
const UINT8 = parseType('uint8')

const tokens = new Map<string, Token>()
const asked = new Set<string>()
const listeners = new Set<() => void>()

async function call(ask: Ask, to: string, data: string): Promise<Uint8Array | undefined> {
  const answer = await ask('eth_call', [{ to, data }, 'latest']).catch(() => undefined)
  return typeof answer === 'string' && answer !== '0x' ? hexToBytes(answer) : undefined
}

function textOf(data: Uint8Array | undefined): string {
  if (data === undefined) return ''
  try {
    return String(decodeValues([STRING], data)[0]).slice(0, LONGEST)
  } catch {
    return ''
  }
}

function decimalsOf(data: Uint8Array | undefined): number {
  if (data === undefined) return 0
  try {
    return Math.min(Number(decodeValues([UINT8], data)[0]), MOST_DECIMALS)
  } catch {
    return 0
  }
}

/** Asks a contract for name, symbol and decimals; missing values are empty. */
async function askToken(ask: Ask, address: string): Promise<Token> {
  const [name, symbol, decimals] = await Promise.all(
    [NAME, SYMBOL, DECIMALS].map((selector) => call(ask, address, selector)),
  )
  return { name: textOf(name), symbol: textOf(symbol), decimals: decimalsOf(decimals) }
}

/** What is known of a token; its contract is asked once. */
export function useToken(address: string): Token {
  const { ethereum } = useNode()
  const key = address.toLowerCase()
  const subscribe = useCallback(
    (listener: () => void): (() => void) => {
      listeners.add(listener)
      if (!asked.has(key)) {
        asked.add(key)
        void askToken(ethereum, key).then((token) => {
          tokens.set(key, token)
          for (const each of listeners) each()
        })
      }
      return () => listeners.delete(listener)
    },
    [ethereum, key],
  )
  return useSyncExternalStore(subscribe, () => tokens.get(key) ?? UNKNOWN)
}
