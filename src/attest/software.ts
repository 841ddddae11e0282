/** The attester of machines without a TEE (D34). Its evidence is marked `software-insecure` and never counts as more. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { p384 } from '@noble/curves/nist.js'
import { toBase64 } from '../base/base64.ts'
import { toHexDigits } from '../base/hex.ts'
import { loadOrCreateSecret } from '../base/secretFile.ts'
import { sha256 } from '../base/sha256.ts'
import { SOFTWARE_FORMAT, SOFTWARE_MODULE_PREFIX } from '../proof/attestationSoftware.ts'
import { encodeCbor } from '../proof/cbor.ts'
import { encodeCoseSign1, ES384_HEADER, signedBytes } from '../proof/cose.ts'
import type { Attester } from './attester.ts'

const KEY_FILE = 'attestation-key.hex'

/** An attester and the public key (SEC1, uncompressed) that its documents carry. */
export type SoftwareAttester = Attester & { readonly publicKey: Uint8Array }

/**
 * Opens the attester of a worker's folder. The P-384 key is generated at the first start and kept there (0600).
 * `measured` are the files that are measured into PCR0, as SHA-384, the program that runs the model. Throws UserError when the
 * key file holds anything but a key, or can be read by other users.
 */
export function openSoftwareAttester(
  folder: string,
  measured: readonly string[],
): SoftwareAttester {
  const privateKey = loadOrCreateSecret(path.join(folder, KEY_FILE), {
    what: 'a P-384 key',
    advice: 'Restore it, or remove it to let the worker create a new one.',
    isValid: p384.utils.isValidSecretKey,
    generate: () => p384.utils.randomSecretKey(),
  })
  const publicKey = p384.getPublicKey(privateKey, false)
  const moduleId = `${SOFTWARE_MODULE_PREFIX}${toHexDigits(sha256(publicKey)).slice(0, 16)}`
  const measurement = measure(measured)
  return {
    level: 'software-insecure',
    format: SOFTWARE_FORMAT,
    publicKey,
    async attest({ statementHash, nonce }) {
      const payload = encodeCbor(
        new Map<string, number | string | Uint8Array | Map<number, Uint8Array>>([
          ['module_id', moduleId],
          ['digest', 'SHA384'],
          ['timestamp', Date.now()],
          ['pcrs', new Map([[0, measurement]])],
          ['public_key', publicKey],
          ['user_data', statementHash],
          ['nonce', nonce],
        ]),
      )
      const signature = p384.sign(signedBytes(ES384_HEADER, payload), privateKey)
      const document = encodeCoseSign1({ protectedHeader: ES384_HEADER, payload, signature })
      return {
        level: 'software-insecure',
        format: SOFTWARE_FORMAT,
        document: toBase64(document),
      }
    },
  }
}

function measure(files: readonly string[]): Uint8Array {
  const hash = createHash('sha384')
  for (const file of files) hash.update(createHash('sha384').update(fs.readFileSync(file)).digest())
  return hash.digest()
}
