import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { ProtobufError } from '../../proof/comet/protobuf.ts'
import {
  decodePrivval,
  encodePrivval,
  type PrivvalMessage,
  type WireProposal,
  type WireVote,
} from './messages.ts'

const NOTHING = new Uint8Array(0)
const timeNs = BigInt(Date.UTC(2019, 9, 13, 16, 14, 44)) * 1_000_000n
const blockId = {
  hash: sha256(utf8('blockID_hash')),
  parts: { total: 1_000_000, hash: sha256(utf8('blockID_part_set_header_hash')) },
}
const vote: WireVote = {
  type: 2,
  height: 3,
  round: 2,
  blockId,
  timeNs,
  validatorAddress: sha256(utf8('validator_address')).slice(0, 20),
  validatorIndex: 56_789,
  signature: NOTHING,
  extension: utf8('extension'),
  extensionSignature: NOTHING,
}
const signature = utf8("it's a signature")
const proposal: WireProposal = { height: 3, round: 2, polRound: 2, blockId, timeNs, signature }
const error = { code: 1, description: "it's a error" }
const publicKey = fromHex('0x556a436f1218d30942efe798420f51dc9b6a311b929c578257457d05c5fcf230')

const VOTE =
  '0a7f080210031802224a0a208b01023386c371778ecb6368573e539afc3cc860ec3a2f614e54fe5652f4fc80122608c0843d122072db3d959635dff1bb567bedaa70573392c5159666a3f8caf11e413aac52207a2a0608f49a8ded0532146af1f4111082efb388211bc72c55bcd61e9ac3d538d5bb034a09657874656e73696f6e'
// The vector has the type of a prevote here, which no signer is ever sent; 0x20 is that of a proposal.
const PROPOSAL =
  '0a6e08201003180220022a4a0a208b01023386c371778ecb6368573e539afc3cc860ec3a2f614e54fe5652f4fc80122608c0843d122072db3d959635dff1bb567bedaa70573392c5159666a3f8caf11e413aac52207a320608f49a8ded053a10697427732061207369676e6174757265'

/** TestPrivvalVectors of CometBFT v0.38, privval/msgs_test.go. */
const VECTORS: readonly (readonly [PrivvalMessage, string])[] = [
  [{ type: 'pingRequest' }, '3a00'],
  [{ type: 'pingResponse' }, '4200'],
  [{ type: 'pubKeyRequest', chainId: '' }, '0a00'],
  [
    { type: 'pubKeyResponse', answer: { publicKey } },
    '12240a220a20556a436f1218d30942efe798420f51dc9b6a311b929c578257457d05c5fcf230',
  ],
  [{ type: 'pubKeyResponse', answer: { error } }, '12140a0012100801120c697427732061206572726f72'],
  [{ type: 'signVoteRequest', vote, chainId: '' }, `1a8101${VOTE}`],
  [{ type: 'signedVoteResponse', answer: { vote } }, `228101${VOTE}`],
  [
    { type: 'signedVoteResponse', answer: { error } },
    '22250a11220212002a0b088092b8c398feffffff0112100801120c697427732061206572726f72',
  ],
  [{ type: 'signProposalRequest', proposal, chainId: '' }, `2a70${PROPOSAL}`],
  [{ type: 'signedProposalResponse', answer: { proposal } }, `3270${PROPOSAL}`],
  [
    { type: 'signedProposalResponse', answer: { error } },
    '32250a112a021200320b088092b8c398feffffff0112100801120c697427732061206572726f72',
  ],
]

test('messages have the bytes of CometBFT, and are read from them', () => {
  for (const [message, bytes] of VECTORS) {
    expect(toHexDigits(encodePrivval(message))).toBe(bytes)
    expect(decodePrivval(fromHex(`0x${bytes}`))).toEqual(message)
  }
})

test('what is not a message, or asks for what is no vote, is refused', () => {
  const bytes = encodePrivval({ type: 'signVoteRequest', vote, chainId: 'c' })
  const wrongType = Uint8Array.from(bytes)
  wrongType[wrongType.indexOf(0x08) + 1] = 32
  for (const each of [NOTHING, Uint8Array.of(0x4a, 0), wrongType, Uint8Array.of(0x3a, 0, 0x42, 0)])
    expect(() => decodePrivval(each)).toThrow(ProtobufError)
  expect(() => decodePrivval(fromHex('0x12050a030a0101'))).toThrow('not an Ed25519 key')
})

test('whatever bytes come, a message is read or refused as malformed', () => {
  const some = encodePrivval({ type: 'signedVoteResponse', answer: { vote } })
  const flipped = fc
    .array(fc.tuple(fc.nat({ max: some.length - 1 }), fc.nat({ max: 255 })), { minLength: 1 })
    .map((changes) => {
      const copy = Uint8Array.from(some)
      for (const [at, value] of changes) copy[at] = value
      return copy
    })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), flipped), (input) => {
      try {
        expect(decodePrivval(input).type).toBeTypeOf('string')
      } catch (failure) {
        expect(failure).toBeInstanceOf(ProtobufError)
      }
    }),
    { numRuns: 2000 },
  )
})
