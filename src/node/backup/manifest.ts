/**
 * The manifest of a backup: which chunks hold what, and the signed header that proves the state. It is a file of JSON,
 * named after the height and its own SHA-256.
 */
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../base/base64.ts'
import { concatBytes, EMPTY_BYTES, utf8 } from '../../base/bytes.ts'
import { UserError } from '../../base/errors.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { VERSION } from '../../base/version.ts'
import { decodeCommit, encodeCommit } from '../../proof/comet/commit.ts'
import { decodeHeader, encodeHeader } from '../../proof/comet/header.ts'
import type { LightBlock } from '../../proof/comet/light/types.ts'
import { messageField, parseMessage } from '../../proof/comet/protobuf.ts'
import { decodeValidator, encodeValidator } from '../../proof/comet/validators.ts'

/** Version of manifests and chunks. */
export const BACKUP_FORMAT = 1

const height = z.int().min(0)
const digits = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits')

/** A chunk by its SHA-256, and its size in bytes. */
const chunk = z.object({ hash: digits, size: height })

/** Blocks whose records are in some chunks. */
const segment = z.object({ first: height, last: height, chunks: z.array(chunk).readonly() })

const manifestFile = z.object({
  format: z.literal(BACKUP_FORMAT),
  /** Version of the program that wrote it. */
  program: z.string(),
  /** Of the store (D54). */
  schema: height,
  engine: z.enum(['embedded', 'cometbft']),
  chainId: z.string(),
  genesis: chunk,
  /** Of the state. The signed header is the next one's. */
  height,
  earliest: height,
  earliestState: height,
  /** Header, commit and validators of the block after `height`, as protobuf in base64. */
  signed: z.string(),
  tables: z.array(z.string()).max(32).readonly(),
  blocks: z.array(segment).readonly(),
  state: z.array(chunk).readonly(),
  codes: z.array(chunk).readonly(),
  /** Records by height 0 and after `height`, and the engine's values. */
  edge: z.array(chunk).readonly(),
  /**
   * Files of CometBFT's own stores, by their paths under `data`, with the time of their last change in milliseconds;
   * empty for the embedded engine.
   */
  files: z
    .array(z.object({ path: z.string(), modified: height, chunks: z.array(chunk).readonly() }))
    .readonly(),
})

export type Chunk = Readonly<z.infer<typeof chunk>>
export type Segment = Readonly<z.infer<typeof segment>>
export type Manifest = Readonly<z.infer<typeof manifestFile>>
/** What is said of a backup; the rest identifies the format. */
export type NewManifest = Omit<Manifest, 'format' | 'program'>

const NAME = /^(\d{12})-([0-9a-f]{64})\.json$/

/** Name and text of the file. */
export function encodeManifest(manifest: NewManifest): { readonly name: string; text: string } {
  const text = JSON.stringify({ format: BACKUP_FORMAT, program: VERSION, ...manifest })
  const padded = String(manifest.height).padStart(12, '0')
  return { name: `${padded}-${toHexDigits(sha256(utf8(text)))}.json`, text }
}

/** The height that a manifest's name tells; undefined for any other file. */
export function heightOfName(name: string): number | undefined {
  const match = NAME.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}

/** Throws UserError for a file that is damaged, or of another format. */
export function decodeManifest(name: string, text: string): Manifest {
  const damaged = (what: string): UserError =>
    new UserError(
      `the manifest ${name} ${what}`,
      'Restore an earlier backup: assay node restore --height.',
    )
  if (NAME.exec(name)?.[2] !== toHexDigits(sha256(utf8(text)))) throw damaged('is damaged')
  const parsed = manifestFile.safeParse(JSON.parse(text))
  if (!parsed.success) throw damaged('has another format than this program reads')
  return parsed.data
}

/** Every chunk that a backup needs, each once. */
export function chunksOf(manifest: Manifest): ReadonlyMap<string, Chunk> {
  const { blocks, state, codes, edge, files, genesis } = manifest
  const lists = [...blocks.map(({ chunks }) => chunks), ...files.map(({ chunks }) => chunks)]
  const all = [genesis, ...lists.flat(), ...state, ...codes, ...edge]
  return new Map(all.map((each) => [each.hash, each]))
}

/** A signed header with its validators, as text. */
export function encodeSigned({ header, commit, validators }: LightBlock): string {
  return toBase64(
    concatBytes(
      messageField(1, encodeHeader(header)),
      messageField(2, encodeCommit(commit)),
      ...validators.map((validator) => messageField(3, encodeValidator(validator))),
    ),
  )
}

/** Throws ProtobufError. */
export function decodeSigned(text: string): LightBlock {
  const message = parseMessage(fromBase64(text) ?? EMPTY_BYTES)
  return {
    header: decodeHeader(message.message(1)),
    commit: decodeCommit(message.message(2)),
    validators: message.all(3).map((bytes) => decodeValidator(parseMessage(bytes))),
  }
}
