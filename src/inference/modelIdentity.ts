/** What identifies the models of a folder, found in the background: large files take minutes to hash (D144). */
import fs from 'node:fs/promises'
import { toHex, type Hex } from '../base/hex.ts'
import { readChatTemplate } from './chat/chatTemplate.ts'
import { InferenceError } from './errors.ts'
import { fixedModelRoot } from './fixed/model.ts'
import { readModelHead } from './fixed/modelFile.ts'
import { tokenListHash } from './fixed/tokenizer/tokenListHash.ts'
import { GgufError } from './ggufCursor.ts'
import type { ModelFile, ModelFolder } from './models.ts'

/** As in statements. Only the file's hash is there for each model. */
export type FileIdentity = {
  readonly sha256: Hex
  /** Where the engine of opml jobs runs the model. */
  readonly modelRoot?: Hex
  /** Where there is a template. */
  readonly templateHash?: Hex
  readonly tokenListHash?: Hex
}

export type Identities = {
  /**
   * Identities by name, as far as they are known; the others are looked for from now on. Waits for up to `patienceMs` where some
   * are not known: small files need no second look.
   */
  known(patienceMs?: number): Promise<ReadonlyMap<string, FileIdentity>>
  /** Stops looking, after the file at hand. */
  close(): void
}

const PATIENCE_MS = 500

/** The identity of a hashed model. Rejects as file reads do. */
export async function identifyModel(
  model: Pick<ModelFile, 'name' | 'path' | 'sha256'>,
): Promise<FileIdentity> {
  const { sha256 } = model
  const root = await attempt(async () => toHex(await fixedModelRoot(model)))
  const rest = await attempt(async () => {
    const file = await fs.open(model.path, 'r')
    try {
      const head = await readModelHead(file)
      const template = readChatTemplate(head, () => [])
      return { template: template?.hash, tokens: tokenListHash(head) }
    } finally {
      await file.close()
    }
  })
  return {
    sha256,
    ...(root !== undefined && { modelRoot: root }),
    ...(rest?.template !== undefined && { templateHash: rest.template }),
    ...(rest !== undefined && { tokenListHash: rest.tokens }),
  }
}

/** Undefined where the file is nothing that the engine of opml jobs can read. */
async function attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof InferenceError || error instanceof GgufError) return undefined
    throw error
  }
}

/** The identities of a folder's models. Each file is read once, and again when its size or modification time changes. */
export function openIdentities(folder: ModelFolder): Identities {
  /** By the hash of the file, of which all the rest follows. */
  const found = new Map<Hex, FileIdentity>()
  let looking: Promise<void> | undefined
  let isClosed = false

  const look = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      if (isClosed) return
      // What is no model, or is gone again, has no identity.
      await attempt(async () => {
        const model = await folder.open(name)
        if (!found.has(model.sha256)) found.set(model.sha256, await identifyModel(model))
      }).catch(() => undefined)
    }
  }

  const read = async () => {
    const known = new Map<string, FileIdentity>()
    const missing: string[] = []
    for (const name of await folder.list()) {
      const model = await folder.known(name).catch(() => undefined)
      const identity = model && found.get(model.sha256)
      if (identity === undefined) missing.push(name)
      else known.set(name, identity)
    }
    return { known, missing }
  }

  return {
    async known(patienceMs = PATIENCE_MS) {
      const first = await read()
      if (first.missing.length === 0 || isClosed) return first.known
      looking ??= look(first.missing).finally(() => (looking = undefined))
      await within(patienceMs, looking)
      return (await read()).known
    },
    close() {
      isClosed = true
    },
  }
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  await Promise.race([work, late])
  clearTimeout(timer)
}
