/** The list of tokens of a model file, with what all kinds of tokenizers read from it. */
import type { MetadataValue, ModelHead } from '../modelFile.ts'
import { unsupported } from '../shape.ts'
import { endTokens } from './endTokens.ts'

/** Numbers of llama.cpp's token types. */
export const TOKEN_TYPE = {
  normal: 1,
  unknown: 2,
  control: 3,
  userDefined: 4,
  unused: 5,
  byte: 6,
} as const

/** A vocabulary. Ids are indices of the lists. */
export type Vocabulary = {
  readonly texts: readonly string[]
  /** Types; a token that ends a text is a control token, whatever the file says. */
  readonly types: readonly number[]
  readonly ids: ReadonlyMap<string, number>
  readonly bos: number | undefined
  readonly unknown: number | undefined
  readonly ends: ReadonlySet<number>
  /** A key below `tokenizer.ggml.`. */
  read(name: string): MetadataValue | undefined
}

/** Reads the list. Throws InferenceError `unsupported-model` when it is missing or contradicts itself. */
export function readVocabulary({ metadata }: ModelHead): Vocabulary {
  const read = (name: string): MetadataValue | undefined => metadata.get(`tokenizer.ggml.${name}`)
  const texts = readList(read('tokens'), 'tokens', isText)
  const given =
    read('token_type') === undefined
      ? texts.map(() => TOKEN_TYPE.normal)
      : readList(read('token_type'), 'token_type', isNumber)
  if (given.length !== texts.length)
    throw unsupported('its lists of tokens and types differ in length')
  const ids = new Map(texts.map((text, id) => [text, id]))
  const idOf = (name: string): number | undefined => {
    const id = read(`${name}_token_id`)
    return typeof id === 'number' && id < texts.length ? id : undefined
  }
  const { ends, controls } = endTokens(ids, idOf)
  const types = given.map((type, id) => (controls.has(id) ? TOKEN_TYPE.control : type))
  return { texts, types, ids, bos: idOf('bos'), unknown: idOf('unknown'), ends, read }
}

const isText = (value: MetadataValue): value is string => typeof value === 'string'

/** Whether a metadata value is a number. */
export const isNumber = (value: MetadataValue): value is number => typeof value === 'number'

/** A list of a file. Throws InferenceError `unsupported-model` unless all its elements pass the test. */
export function readList<T extends MetadataValue>(
  value: MetadataValue | undefined,
  name: string,
  isElement: (element: MetadataValue) => element is T,
): readonly T[] {
  if (Array.isArray(value) && value.every(isElement)) return value
  throw unsupported(`tokenizer.ggml.${name} is missing or of the wrong type`)
}

/** The texts of a list, see `readList`. */
export function readTexts(value: MetadataValue | undefined, name: string): readonly string[] {
  return readList(value, name, isText)
}
