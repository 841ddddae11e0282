import { expect, test } from 'vitest'
import { at, LIGHT_OPTIONS, lightChain, NOW_NS } from '../../../../test/support/lightChain.ts'
import { decodeCommit, encodeCommit } from '../commit.ts'
import { decodeHeader, encodeHeader } from '../header.ts'
import { parseMessage, ProtobufError } from '../protobuf.ts'
import { decodeValidator, encodeValidator } from '../validators.ts'
import { LightError } from './errors.ts'
import type { LightBlock } from './types.ts'
import { verifyForward } from './verify.ts'

const powers = { a: 5n, b: 3n, c: 2n }
const chain = lightChain({
  sets: [powers, powers, powers],
  signing: [
    ['a', 'b', 'c'],
    ['a', 'b'],
    ['a', 'b', 'c'],
  ],
})
const trusted = at(chain, 1)

type Part = {
  readonly name: string
  readonly encode: (block: LightBlock) => Uint8Array
  readonly replace: (block: LightBlock, bytes: Uint8Array) => LightBlock
}

const PARTS: readonly Part[] = [
  {
    name: 'header',
    encode: ({ header }) => encodeHeader(header),
    replace: (block, bytes) => ({ ...block, header: decodeHeader(parseMessage(bytes)) }),
  },
  {
    name: 'commit',
    encode: ({ commit }) => encodeCommit(commit),
    replace: (block, bytes) => ({ ...block, commit: decodeCommit(parseMessage(bytes)) }),
  },
  {
    name: 'validator',
    encode: ({ validators: [first] }) => (first ? encodeValidator(first) : new Uint8Array(0)),
    replace: (block, bytes) => ({
      ...block,
      validators: [decodeValidator(parseMessage(bytes)), ...block.validators.slice(1)],
    }),
  },
]

function isRefused(run: () => void): boolean {
  try {
    run()
    return false
  } catch (error) {
    if (error instanceof LightError || error instanceof ProtobufError) return true
    throw error
  }
}

test.each(PARTS)('no single bit of a $name can be flipped', ({ encode, replace }) => {
  for (const block of [at(chain, 2), at(chain, 3)]) {
    const bytes = encode(block)
    expect(
      isRefused(() => verifyForward(LIGHT_OPTIONS, trusted, replace(block, bytes), NOW_NS)),
    ).toBe(false)
    const accepted: number[] = []
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      const verify = () => verifyForward(LIGHT_OPTIONS, trusted, replace(block, flipped), NOW_NS)
      if (!isRefused(verify)) accepted.push(bit)
    }
    expect(accepted).toEqual([])
  }
})
