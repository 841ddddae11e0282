/** How a job names its model (D58): `name`, or `name@sha256:<64 hex digits>`, which pins the file. */
import type { Hex } from './hex.ts'

/** Maximum length of a reference, with its pin, in characters (code points). */
export const MAX_MODEL_NAME = 256
/** The same in units of UTF-16, which JavaScript counts: a character has one or two. */
export const MAX_MODEL_UNITS = 2 * MAX_MODEL_NAME

const PIN = '@sha256:'
/** No control characters, and no halves of surrogate pairs, which UTF-8 cannot say. */
const TEXT = /^[^\p{Cc}\p{Cs}]{1,256}$/u
const DIGITS = /^[0-9a-fA-F]{64}$/

export type ModelReference = {
  readonly name: string
  /** SHA-256 of the only file that will do, in lower case; absent if any file of this name will do. */
  readonly sha256?: Hex
}

/** What a text refers to, or undefined if it is no reference: names are compared as they are, character by character. */
export function parseModelReference(text: string): ModelReference | undefined {
  if (text.length > MAX_MODEL_UNITS || !TEXT.test(text)) return undefined
  const at = text.indexOf(PIN)
  if (at === -1) return { name: text }
  const name = text.slice(0, at)
  const digits = text.slice(at + PIN.length)
  if (name === '' || !DIGITS.test(digits)) return undefined
  return { name, sha256: `0x${digits.toLowerCase()}` }
}

/** The text of a reference, the same for all texts that mean the same. */
export function modelReferenceText({ name, sha256 }: ModelReference): string {
  return sha256 === undefined ? name : `${name}${PIN}${sha256.slice(2)}`
}

/** The same text for all that name the same model; others are themselves. */
export function canonicalModel(text: string): string {
  return modelReferenceText(parseModelReference(text) ?? { name: text })
}

/** Whether a text is a reference, with or without a pin. */
export function isModelReference(text: string): boolean {
  return parseModelReference(text) !== undefined
}

/** Whether a text is a name alone, as operators offer it: a reference without a pin. */
export function isModelName(text: string): boolean {
  const reference = parseModelReference(text)
  return reference !== undefined && reference.sha256 === undefined
}

/** What is wrong with a text that is no reference, for whoever wrote it. */
export const MODEL_REFERENCE_HINT =
  'a model name: 1 to 256 characters without control characters, alone or with @sha256: and 64 hex digits'

/** Names that dispatchers and operators of former releases accept: file names. */
export const FORMER_MODEL_NAME = /^[A-Za-z0-9._-]{1,128}$/
