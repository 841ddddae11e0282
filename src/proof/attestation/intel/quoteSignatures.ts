/** The signatures of a quote, from its body up to Intel's root. They do not cover the state of firmware. */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, equalBytes } from '../../../base/bytes.ts'
import { USAGE, verifyChain } from '../chain.ts'
import type { AttestationContext } from '../context.ts'
import type { Ledger } from '../ledger.ts'
import { parseCertificate, type Certificate } from '../x509.ts'
import type { Quote } from './quote.ts'
import { readSgxBody, type SgxBody } from './quoteBody.ts'

const UNCOMPRESSED = Uint8Array.of(4)

/** The quoting enclave's report, and the chain: PCK first, root last. */
export type SignedQuote = { readonly qeReport: SgxBody; readonly chain: readonly Certificate[] }

/** Verifies body, quoting enclave and PCK chain. Throws AttestationRefused with the reason, DerError on malformed certificates. */
export async function verifyQuoteSignatures(
  { crypto, nowMs }: AttestationContext,
  ledger: Ledger,
  quote: Quote,
  roots: readonly string[],
): Promise<SignedQuote> {
  const chain = quote.chain.map(parseCertificate)
  const rules = { name: 'PCK', roots, nowMs, leafUsage: USAGE.digitalSignature }
  await verifyChain(crypto, ledger, chain, rules)
  const key = chain[0]?.key
  ledger.require(
    key?.type === 'ecdsa' &&
      (await crypto.verifyEcdsa('P-256', key.point, quote.qeReportSignature, quote.qeReport)),
    "the platform's key signed the quoting enclave's report",
    "the platform's key did not sign the quoting enclave's report",
  )
  const qeReport = readSgxBody(quote.qeReport)
  const bound = sha256(concatBytes(quote.attestationKey, quote.qeAuthentication))
  ledger.require(
    equalBytes(qeReport.reportData, concatBytes(bound, new Uint8Array(32))),
    'the quoting enclave vouches for the attestation key',
    'the quoting enclave does not vouch for the attestation key',
  )
  const point = concatBytes(UNCOMPRESSED, quote.attestationKey)
  ledger.require(
    await crypto.verifyEcdsa('P-256', point, quote.signature, quote.signedBytes),
    'the attestation key signed the quote',
    'the attestation key did not sign the quote',
  )
  return { qeReport, chain }
}
