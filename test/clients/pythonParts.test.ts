/** The parts of the Python package against those of the program, on values that are made at random. Skipped without python3. */
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import fc from 'fast-check'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { toHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { decodeRlp, encodeRlp, RlpError } from '../../src/base/rlp.ts'
import { signerOf } from '../../src/proof/job/recover.ts'
import { canonicalMessages, promptText } from '../../src/proof/job/canonicalMessages.ts'
import { clockHash, paramsHash, promptHash } from '../../src/proof/job/hashes.ts'
import { formatTime, parseTime } from '../../src/proof/comet/time.ts'
import { portableCrypto } from '../../src/proof/comet/portableCrypto.ts'
import { ProofError, verifyTrieProof } from '../../src/proof/mpt.ts'
import { proveVrf, verifyVrf, vrfPublicKey } from '../../src/proof/vrf.ts'

const folder = path.resolve(import.meta.dirname, '../../python')
const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
if (!hasPython)
  console.warn('skipped: the parts of the Python package, because there is no python3 from 3.9 on')

const MANY = 2000
const FEW = 60

type Call = readonly [name: string, ...args: unknown[]]
type Case = { readonly call: Call; readonly expected: unknown }

function answersOf(cases: readonly Case[]): readonly unknown[] {
  const input = cases.map(({ call }) => `${JSON.stringify(call)}\n`).join('')
  const env = { ...process.env, PYTHONPATH: path.join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout, stderr } = spawnSync('python3', [path.join(folder, 'tests', 'primitives.py')], {
    input,
    env,
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
  })
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

/** Holds Python to what TypeScript gives for values of these kinds. */
function holdEqual(...kinds: readonly (readonly [fc.Arbitrary<Case>, number])[]): void {
  const cases = kinds.flatMap(([kind, count]) => fc.sample(kind, count))
  const answers = answersOf(cases)
  expect(answers).toHaveLength(cases.length)
  for (const [at, { call, expected }] of cases.entries())
    expect(answers[at], JSON.stringify(call)).toEqual(expected)
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const digits = toHexDigits
const attempt = <T>(work: () => T, kind: new (...args: never[]) => Error): T | string => {
  try {
    return work()
  } catch (error) {
    if (error instanceof kind) return `error: ${error.message}`
    throw error
  }
}
const texts = fc.string({ unit: 'binary', maxLength: 40 })

// Holds D152.
test.skipIf(!hasPython)(
  'hashes, numbers, texts and times are the same',
  { timeout: 120_000 },
  () => {
    const data = fc.uint8Array({ maxLength: 500 })
    const keccak = data.map((each): Case => ({
      call: ['keccak', digits(each)],
      expected: digits(keccak256(each)),
    }))
    const numbers = fc
      .oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.float({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
      )
      .map((each): Case => ({ call: ['number', each], expected: String(each) }))
    const times = fc.bigInt({
      min: -62_135_596_800n * 10n ** 9n,
      max: 253_402_300_799n * 10n ** 9n,
    })
    const format = times.map((each): Case => ({
      call: ['format', String(each)],
      expected: formatTime(each),
    }))
    const written = fc
      .tuple(times, fc.constantFrom('Z', '+01:30', '-11:59', 'z', ''))
      .map(([time, zone]) => formatTime(time).replace('Z', zone))
    const oddTimes = fc.constantFrom(
      '2026-02-29T00:00:00Z',
      '2024-02-29T23:59:59.000000001Z',
      '',
      '2026-13-01T00:00:00Z',
    )
    const parse = fc.oneof(written, oddTimes).map((each): Case => ({
      call: ['parse', each],
      expected: parseTime(each)?.toString() ?? null,
    }))
    const prompt = texts.map((each): Case => ({
      call: ['prompt', each],
      expected: promptHash(each),
    }))
    const message = fc.record({
      content: texts,
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    })
    const messages = fc.array(message, { maxLength: 3 }).map((list): Case => {
      const text = JSON.stringify(list, null, 1)
      return { call: ['messages', text], expected: promptText(text, { messages: true }) }
    })
    const clock = fc.dictionary(texts, fc.nat().map(String)).map((each): Case => ({
      call: ['clock', each],
      expected: clockHash(each),
    }))
    holdEqual(
      [keccak, 300],
      [numbers, MANY],
      [format, MANY],
      [parse, MANY],
      [prompt, 300],
      [messages, 300],
      [clock, 100],
    )
    expect(canonicalMessages([{ role: 'user', content: 'a' }])).toBe(
      '[{"content":"a","role":"user"}]',
    )
  },
)

test.skipIf(!hasPython)(
  'parameters hash the same, whichever are there',
  { timeout: 60_000 },
  () => {
    const params = fc
      .record(
        {
          temperature: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constant(-1)),
          top_p: fc.double({ min: 0, max: 1, noNaN: true }),
          max_tokens: fc.integer({ min: 0, max: 2 ** 31 }),
          raw: fc.constant(true as const),
          messages: fc.constant(true as const),
          stop: fc.array(texts, { minLength: 1, maxLength: 4 }),
          seed: fc.maxSafeInteger(),
        },
        { requiredKeys: ['temperature', 'top_p', 'max_tokens'] },
      )
      .map((each): Case => ({
        call: ['params', each],
        expected: each.temperature < 0 ? 'error' : paramsHash(each),
      }))
    holdEqual([params, 500])
  },
)

test.skipIf(!hasPython)(
  'signatures, draws and proofs are judged the same, good or spoilt',
  { timeout: 120_000 },
  () => {
    const recover = fc
      .tuple(bytes(32), bytes(32), fc.integer({ min: 0, max: 1 }), fc.boolean())
      .map(([key, digest, parity, isGood]): Case => {
        const signed = secp256k1.sign(
          digest,
          secp256k1.utils.isValidSecretKey(key) ? key : digest,
          {
            prehash: false,
            format: 'recovered',
          },
        )
        const compact = isGood ? signed.subarray(1) : new Uint8Array([...digest, ...key])
        const signature = `${toHex(compact)}${(27 + parity).toString(16)}`
        return {
          call: ['recover', digits(digest), digits(compact), parity],
          expected: signerOf(digest, signature) ?? null,
        }
      })
    // Points of small order, which ZIP-215 accepts and others do not.
    const small = fc.constantFrom(
      '00'.repeat(32),
      `01${'00'.repeat(31)}`,
      `${'00'.repeat(31)}80`,
      `ecffffff${'ff'.repeat(27)}7f`,
    )
    const vote = fc
      .tuple(bytes(32), fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 5 }), small)
      .map(([secret, message, kind, point]): Case => {
        let key = ed25519.getPublicKey(secret)
        let signature = ed25519.sign(message, secret)
        if (kind === 1) signature = signature.with(0, (signature[0] as number) ^ 1)
        if (kind === 2) signature = signature.with(63, 0xff)
        if (kind === 3) key = key.with(5, (key[5] as number) ^ 1)
        if (kind === 4) {
          key = Uint8Array.from(Buffer.from(point, 'hex'))
          signature = Uint8Array.from([...Buffer.from(point, 'hex'), ...new Uint8Array(32)])
        }
        return {
          call: ['ed25519', digits(key), digits(message), digits(signature)],
          expected: portableCrypto.verifyEd25519(key, message, signature),
        }
      })
    const draw = fc
      .tuple(bytes(32), bytes(32), fc.nat({ max: 90 }))
      .map(([seed, alpha, at]): Case => {
        const secret = createHash('sha256').update(seed).digest()
        const key = vrfPublicKey(secret)
        const { proof } = proveVrf(secret, alpha)
        const shown = at < proof.length ? proof.with(at, (proof[at] as number) ^ 1) : proof
        const beta = verifyVrf(key, alpha, shown)
        return {
          call: ['vrf', digits(key), digits(alpha), digits(shown)],
          expected: beta ? digits(beta) : null,
        }
      })
    const encoded = fc
      .oneof(
        fc.uint8Array({ maxLength: 70 }),
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 }).map((list) => encodeRlp(list)),
        fc
          .uint8Array({ minLength: 1, maxLength: 6 })
          .map((rest) => Uint8Array.from([0xc0, ...rest])),
      )
      .map((each): Case => ({
        call: ['rlp', digits(each)],
        expected: attempt(() => digits(encodeRlp(decodeRlp(each))), RlpError),
      }))
    const leaf = fc
      .tuple(bytes(2), fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat({ max: 60 }))
      .map(([key, value, at]): Case => {
        const node = encodeRlp([Uint8Array.from([0x20, ...key]), value])
        const shown = at < node.length ? node.with(at, (node[at] as number) ^ 1) : node
        const root = keccak256(shown)
        const expected = attempt(() => {
          const found = verifyTrieProof(root, key, [shown])
          return found ? digits(found) : null
        }, ProofError)
        return { call: ['trie', digits(root), digits(key), [digits(shown)]], expected }
      })
    holdEqual([recover, FEW], [vote, FEW], [draw, FEW], [encoded, MANY], [leaf, MANY])
  },
)
