/**
 * Intel's collateral from a file, as DCAP tools write it: JSON with PEM chains, hex CRLs and signatures, and signed
 * texts.
 */
import fs from 'node:fs/promises'
import { z } from 'zod'
import { messageOf, UserError } from '../base/errors.ts'
import { tryFromHexDigits } from '../base/hex.ts'
import type { IntelCollateral } from '../proof/attestation/intel/collateral.ts'
import { readPem } from '../proof/attestation/pem.ts'

const hexBytes = z.string().transform((text, context) => {
  const bytes = tryFromHexDigits(text)
  if (bytes !== undefined) return bytes
  context.addIssue('not hex digits')
  return z.NEVER
})

const schema = z.object({
  tcb_info: z.string(),
  tcb_info_signature: hexBytes,
  tcb_info_issuer_chain: z.string(),
  qe_identity: z.string(),
  qe_identity_signature: hexBytes,
  qe_identity_issuer_chain: z.string(),
  root_ca_crl: hexBytes,
  pck_crl: hexBytes,
})

/** Reads a file. Rejects with UserError when it is missing or malformed. */
export async function readCollateralFile(file: string): Promise<IntelCollateral> {
  try {
    const parsed = schema.parse(JSON.parse(await fs.readFile(file, 'utf8')))
    return {
      tcbInfo: parsed.tcb_info,
      tcbInfoSignature: parsed.tcb_info_signature,
      tcbInfoChain: readPem(parsed.tcb_info_issuer_chain),
      qeIdentity: parsed.qe_identity,
      qeIdentitySignature: parsed.qe_identity_signature,
      qeIdentityChain: readPem(parsed.qe_identity_issuer_chain),
      rootCrl: parsed.root_ca_crl,
      pckCrl: parsed.pck_crl,
    }
  } catch (error) {
    throw new UserError(
      `${file} is not valid Intel collateral: ${messageOf(error)}`,
      "Create it again with a DCAP tool, from Intel's service or a cache of it.",
    )
  }
}
