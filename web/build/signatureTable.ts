/** Makes a table of well-known signatures of functions, errors and events, under their selectors and topics. */
import fs from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Plugin } from 'vite'

const SUFFIX = '.signatures'

/** Keys are 8 hex digits of a function's or error's selector, or the 64 of an event's topic. */
export function tableOf(text: string): Readonly<Record<string, string>> {
  const table: Record<string, string> = {}
  for (const line of text.split('\n')) {
    const [kind, signature] = line.trim().split(/\s+(.*)/s)
    if (signature === undefined || kind === undefined || kind.startsWith('#')) continue
    // Events are written with "indexed", which is no part of what is hashed.
    const hash = bytesToHex(keccak_256(utf8ToBytes(signature.replaceAll(' indexed', ''))))
    table[kind === 'event' ? hash : hash.slice(0, 8)] = signature
  }
  return table
}

/** The plugin: importing a file of that suffix gives its table. */
export function signatureTable(): Plugin {
  return {
    name: 'signature-table',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(SUFFIX)) return undefined
      const table = JSON.stringify(tableOf(fs.readFileSync(id, 'utf8')))
      return { code: `export const SIGNATURES = ${table}`, moduleType: 'js' }
    },
  }
}
