/** RLPTests of ethereum/tests: what encodes to what, and bytes that are no RLP. */
import { expect, test } from 'vitest'
import { bigintToBytes, utf8 } from '../../src/base/bytes.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../../src/base/rlp.ts'
import { vectorFiles } from '../support/vectors.ts'

/** Text, a whole number, a larger one behind "#", or a list. */
type Value = string | number | readonly Value[]
type Vector = { readonly in: Value; readonly out: string }

const cases = vectorFiles('ethereum-tests/RLPTests', '.json').flatMap(({ content }) =>
  Object.entries(JSON.parse(content.toString('utf8')) as Record<string, Vector>),
)

function itemOf(value: Value): RlpItem {
  if (typeof value === 'number') return bigintToBytes(BigInt(value))
  if (typeof value !== 'string') return value.map(itemOf)
  return value.startsWith('#') ? bigintToBytes(BigInt(value.slice(1))) : utf8(value)
}

test.runIf(cases.length > 0)('RLP is encoded, decoded and refused as listed', () => {
  for (const [name, { in: value, out }] of cases) {
    const encoded = fromHex(out === '' || out.startsWith('0x') ? out : `0x${out}`)
    if (value === 'INVALID') {
      expect(() => decodeRlp(encoded), name).toThrow(RlpError)
      continue
    }
    if (value !== 'VALID') expect(toHex(encodeRlp(itemOf(value))), name).toBe(toHex(encoded))
    expect(toHex(encodeRlp(decodeRlp(encoded))), name).toBe(toHex(encoded))
  }
  console.log(`RLPTests: ${cases.length} cases pass`)
})
