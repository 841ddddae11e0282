/** Whether two files that have one name are the same model, and in what they differ (D144). */

/** What is known of a model: as in statements, 0x and 64 digits. */
export type KnownModel = {
  readonly sha256: string
  readonly modelRoot?: string | null | undefined
  readonly templateHash?: string | null | undefined
  readonly tokenListHash?: string | null | undefined
}

const PARTS = {
  sha256: 'file',
  modelRoot: 'weights',
  templateHash: 'chat template',
  tokenListHash: 'token list',
} as const satisfies Record<keyof KnownModel, string>

const NAMES = Object.keys(PARTS) as readonly (keyof typeof PARTS)[]
const isKnown = (value: string | null | undefined): value is string =>
  value !== undefined && value !== null

/**
 * Why `served` is not `expected`, or undefined when nothing that both say differs: "serves another file for X: …", with each part
 * that differs. Where the weights are the same ones, it says so: then template or tokens were changed.
 */
export function otherFile(
  name: string,
  expected: KnownModel,
  served: KnownModel,
): string | undefined {
  const both = NAMES.filter((part) => isKnown(expected[part]) && isKnown(served[part]))
  const different = both.filter((part) => expected[part] !== served[part])
  if (different.length === 0) return undefined
  const parts = different.map((part) => `${PARTS[part]} ${served[part]}, not ${expected[part]}`)
  const same = both.filter((part) => !different.includes(part) && part === 'modelRoot')
  return `serves another file for ${name}: ${parts.join('; ')}${same.length > 0 ? '; the weights are the same' : ''}`
}
