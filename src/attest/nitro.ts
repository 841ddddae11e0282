/**
 * Evidence of AWS Nitro Enclaves: the security module behind /dev/nsm signs a document that contains the hash and the
 * nonce.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { toBase64 } from '../base/base64.ts'
import { messageOf, UserError } from '../base/errors.ts'
import { asBytes, asMap } from '../proof/attestation/cborFields.ts'
import { HARDWARE_FORMATS } from '../proof/attestation/hardware.ts'
import { decodeCbor, encodeCbor, type CborKey, type CborValue } from '../proof/cbor.ts'
import type { Attester } from './attester.ts'

const DEVICE = '/dev/nsm'
/** Talks to the device, which supports only ioctl calls: built from scripts/nsm.c into the enclave's image. */
const HELPER = 'assay-nsm'
const TIMEOUT_MS = 10_000
const MAX_ANSWER = 0x3000

/** Whether this machine has the device. */
export function hasNitro(device: string = DEVICE): boolean {
  return fs.existsSync(device)
}

/**
 * An attester of this enclave. Throws UserError outside an enclave. Its `attest` rejects with UserError when the helper is
 * missing, fails or answers with an error.
 */
export function openNitroAttester(
  helper: readonly [string, ...string[]] = [HELPER],
  device: string = DEVICE,
): Attester {
  if (!hasNitro(device))
    throw new UserError(
      `there is no Nitro security module: ${device} is missing`,
      'Run the worker inside a Nitro enclave, or choose another kind of evidence.',
    )
  const format = HARDWARE_FORMATS.nitro
  return {
    level: 'hardware',
    format,
    async attest({ statementHash, nonce }) {
      const fields = new Map<CborKey, CborValue>([
        ['user_data', statementHash],
        ['nonce', nonce],
        ['public_key', null],
      ])
      const answer = await runHelper(helper, encodeCbor(new Map([['Attestation', fields]])))
      return { level: 'hardware', format, document: toBase64(readDocument(answer)) }
    },
  }
}

function readDocument(answer: Uint8Array): Uint8Array {
  try {
    const map = asMap(decodeCbor(answer), 'the answer')
    const refusal = map.get('Error')
    if (typeof refusal === 'string') throw new SyntaxError(`it returned ${refusal}`)
    return asBytes(asMap(map.get('Attestation'), 'Attestation').get('document'), 'document')
  } catch (error) {
    throw new UserError(`the Nitro security module returned no document: ${messageOf(error)}`)
  }
}

/** Runs the helper with a request on standard input, and resolves with its standard output. */
async function runHelper(
  [command, ...rest]: readonly [string, ...string[]],
  request: Uint8Array,
): Promise<Uint8Array> {
  const child = spawn(command, rest, {
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const output: Buffer[] = []
  const complaint: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => output.push(part))
  child.stderr.on('data', (part: Buffer) => complaint.push(part))
  // A helper that does not start, or ends early, closes its input; its exit tells why.
  child.stdin.on('error', () => undefined)
  child.stdin.end(request)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    const bytes = Buffer.concat(output)
    if (code === 0 && bytes.length <= MAX_ANSWER) return bytes
    const said = Buffer.concat(complaint).toString('utf8').trim().slice(0, 200)
    throw new Error(said === '' ? `it exited with ${String(code)}` : said)
  } catch (error) {
    throw new UserError(
      `${command}, which asks the Nitro security module, failed: ${messageOf(error)}`,
      'Build it from scripts/nsm.c and put it on the PATH of the enclave image.',
    )
  }
}
