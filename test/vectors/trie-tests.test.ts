/** Runs ethereum/tests' TrieTests against the chain's trie: roots of plain and of secure (hashed-key) tries. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { compareBytes, utf8 } from '../../src/base/bytes.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import type { TrieRoot } from '../../src/ledger/trie/node.ts'
import { rootHash } from '../../src/ledger/trie/reference.ts'
import { updateTrie, type UpdateContext } from '../../src/ledger/trie/update.ts'

type TrieCase = {
  readonly in:
    | readonly (readonly [string, string | null])[]
    | Readonly<Record<string, string | null>>
  readonly root: string
}

const FOLDER = path.resolve(
  process.env.ASSAY_VECTORS ?? '../shared/vectors',
  'ethereum-tests/TrieTests',
)
const FILES = [
  { name: 'trietest.json', isSecure: false },
  { name: 'trietest_secureTrie.json', isSecure: true },
  { name: 'hex_encoded_securetrie_test.json', isSecure: true },
  { name: 'trieanyorder.json', isSecure: false },
  { name: 'trieanyorder_secureTrie.json', isSecure: true },
].filter(({ name }) => fs.existsSync(path.join(FOLDER, name)))

const IN_MEMORY: UpdateContext = {
  load: (): never => {
    throw new Error('nothing is stored')
  },
  onVanished: (): void => {},
  bytes: 0,
  hits: 0,
}

const bytesOf = (text: string): Uint8Array => (text.startsWith('0x') ? fromHex(text) : utf8(text))

function entriesOf({ in: input }: TrieCase) {
  const pairs = Array.isArray(input) ? input : Object.entries(input)
  return pairs as readonly (readonly [string, string | null])[]
}

if (FILES.length === 0 && process.env.ASSAY_VECTORS_REQUIRED !== '1')
  console.warn(`TrieTests skipped: no vectors in ${FOLDER} (set ASSAY_VECTORS)`)

test.runIf(FILES.length > 0 || process.env.ASSAY_VECTORS_REQUIRED === '1')(
  'TrieTests give the expected roots, change by change and in one batch',
  () => {
    let cases = 0
    for (const { name, isSecure } of FILES) {
      const file: Record<string, TrieCase> = JSON.parse(
        fs.readFileSync(path.join(FOLDER, name), 'utf8'),
      )
      for (const [title, vector] of Object.entries(file)) {
        const changes = entriesOf(vector).map(([key, value]) => ({
          key: isSecure ? keccak256(bytesOf(key)) : bytesOf(key),
          value: value === null ? undefined : bytesOf(value),
        }))
        let root: TrieRoot
        for (const change of changes) root = updateTrie(root, [change], IN_MEMORY)
        expect({ name, title, root: toHex(rootHash(root)) }).toEqual({
          name,
          title,
          root: vector.root,
        })

        const last = new Map(changes.map((change) => [toHex(change.key), change]))
        const batch = [...last.values()].sort((a, b) => compareBytes(a.key, b.key))
        const inOne = toHex(rootHash(updateTrie(undefined, batch, IN_MEMORY)))
        expect({ name, title, inOne }).toEqual({ name, title, inOne: vector.root })
        cases++
      }
    }
    console.log(`TrieTests: ${cases} cases`)
    expect(cases).toBeGreaterThan(0)
  },
)
