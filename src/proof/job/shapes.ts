/** Schemas of values that several messages and records share. */
import { z } from 'zod'
import { text } from '../../base/boundedSchema.ts'

/** A lower-case address. */
export const address = z.string().regex(/^0x[0-9a-f]{40}$/, 'a lower-case address')

/** 32 bytes without 0x: job ids, seeds, nonces. */
export const digits32 = z.string().regex(/^[0-9a-f]{64}$/, '64 hex digits')

/** 32 bytes with 0x, as in statements. */
export const bytes32 = z.string().regex(/^0x[0-9a-f]{64}$/, '0x and 64 hex digits')

/** A chain id in decimal. */
export const chainId = z.string().regex(/^\d{1,78}$/, 'a decimal integer')

/** Which kind of operator checks a job. */
export const jobType = z.enum(['opml', 'tee'])

/** Why a user is watched (D31). */
export const reviewTag = z.enum(['', 'suspicion', 'malicious'])

/** The block whose hash a draw binds (D32); the hash without 0x. */
export const drawBlock = z.object({ number: z.number().int().min(0), hash: digits32 })

/** Texts that end an output (D137). */
export const stopTexts = z
  .array(text(256).min(1, 'a stop text is empty'))
  .min(1)
  .max(4, 'at most 4 stop texts')
  .readonly()

/** Sampling parameters with their defaults filled in (D42). */
export const jobParams = z.object({
  temperature: z.number(),
  top_p: z.number(),
  max_tokens: z.number().int(),
  /** The prompt is run as it is (D57). */
  raw: z.literal(true).exactOptional(),
  /** The prompt is a conversation (D136). */
  messages: z.literal(true).exactOptional(),
  stop: stopTexts.exactOptional(),
  seed: z.int().exactOptional(),
})

/** A draw as in result records (D31): hex digits without 0x. */
export const vrfRecord = z.object({
  selected: z.boolean(),
  vrf_prompt_hash: z.string(),
  vrf_random_value: z.string(),
  vrf_verify_pubkey: z.string(),
  vrf_proof: z.string(),
})

/** How much evidence is worth (D34). */
export const evidenceLevel = z.enum(['hardware', 'software-insecure'])

/** Attestation of a tee worker (D34); `document` is base64. */
export const evidence = z.object({
  level: evidenceLevel,
  format: z.string(),
  document: z.string(),
})
