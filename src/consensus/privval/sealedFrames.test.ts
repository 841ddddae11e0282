import { expect, test } from 'vitest'
import { utf8 } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { ChannelError } from './channel.ts'
import { createOpener, createSealer, deriveKeys, SEALED_BYTES } from './sealedFrames.ts'

// The first two lines of TestDeriveSecretsAndChallengeGolden of CometBFT v0.38, p2p/conn.
test('the keys of both directions are those of CometBFT', () => {
  for (const [secret, isLeast, receive, send] of [
    [
      '9fe4a5a73df12dbd8659b1d9280873fe993caefec6b0ebc2686dd65027148e03',
      true,
      '80a83ad6afcb6f8175192e41973aed31dd75e3c106f813d986d9567a4865eb2f',
      '96362a04f628a0666d9866147326898bb0847b8db8680263ad19e6336d4eed9e',
    ],
    [
      '0716764b370d543fee692af03832c16410f0a56e4ddb79604ea093b10bb6f654',
      false,
      '84f2b1e8658456529a2c324f46c3406c3c6fecd5fbbf9169f60bed8956a8b03d',
      'cba357ae33d7234520d5742102a2a6cdb39b7db59c14a58fa8aadd310127630f',
    ],
  ] as const) {
    const keys = deriveKeys(fromHex(`0x${secret}`), isLeast)
    expect([toHexDigits(keys.receive), toHexDigits(keys.send)]).toEqual([receive, send])
  }
})

test('frames open in their order alone, and are all of one size', () => {
  const key = new Uint8Array(32).fill(1)
  const [seal, open] = [createSealer(key), createOpener(key)]
  const [first, second] = [seal(utf8('one')), seal(utf8('two'))]
  expect([first.length, second.length]).toEqual([SEALED_BYTES, SEALED_BYTES])
  expect(open(first)).toEqual(utf8('one'))
  expect(() => open(first)).toThrow(ChannelError)
  const tampered = Uint8Array.from(second)
  tampered[3] = (tampered[3] ?? 0) ^ 1
  expect(() => createOpener(key)(tampered)).toThrow('not sealed with the key')
})
