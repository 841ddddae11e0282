/**
 * Loads node-llama-cpp from the folder that scripts/llama.mjs fills (D39a). It is not a dependency of the package, so
 * the part of its interface that we use is declared below.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../base/errors.ts'
import { InferenceError } from './errors.ts'

/** Where set-up installs the binding, relative to the package. */
export const LLAMA_RUNTIME_FOLDER: string = path.resolve(
  import.meta.dirname,
  '..',
  '..',
  'runtime',
  'llama',
)

const installer = path.resolve(import.meta.dirname, '..', '..', 'scripts', 'llama.mjs')

/** Command to run if the folder is missing: from any working directory, also with the package installed in node_modules. */
export const LLAMA_INSTALL_COMMAND = `node ${path.relative(process.cwd(), installer)}`

export type LlamaSequence = {
  evaluate(
    tokens: readonly number[],
    options: {
      readonly temperature: number
      readonly topP: number
      readonly topK: number
      readonly minP: number
      readonly seed: number
      readonly yieldEogToken: boolean
    },
  ): AsyncGenerator<number, void, void>
}

export type LlamaContext = { getSequence(): LlamaSequence; dispose(): Promise<void> }

export type LlamaModel = {
  readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean }
  readonly trainContextSize: number
  tokenize(text: string, specialTokens: boolean): readonly number[]
  detokenize(
    tokens: readonly number[],
    specialTokens: boolean,
    lastTokens: readonly number[],
  ): string
  isEogToken(token: number): boolean
  createContext(options: {
    readonly contextSize: number
    readonly batchSize: number
    readonly threads: number
    readonly sequences: number
    readonly flashAttention: boolean
  }): Promise<LlamaContext>
  dispose(): Promise<void>
}

export type Llama = {
  loadModel(options: {
    readonly modelPath: string
    readonly gpuLayers: number
    /** Loads no weights: the model only tokenizes. */
    readonly vocabOnly?: boolean
  }): Promise<LlamaModel>
  dispose(): Promise<void>
}

type LlamaModule = {
  getLlama(options: {
    readonly gpu: false
    readonly build: 'never'
    readonly skipDownload: true
    readonly progressLogs: false
    readonly logLevel: 'error'
    readonly logger: (level: string, message: string) => void
  }): Promise<Llama>
}

/** The binding and its version. `report` receives llama.cpp's own messages. */
export type LlamaRuntime = { readonly version: string; start(report: Report): Promise<Llama> }
type Report = (message: string) => void

/** Whether the binding is installed in the folder. */
export function hasLlamaRuntime(folder: string = LLAMA_RUNTIME_FOLDER): boolean {
  return fs.existsSync(manifestOf(folder))
}

/**
 * Finds the binding in a folder; nothing of it is loaded before `start`. Throws InferenceError `engine-unavailable` when it is
 * not installed; `start` rejects with it when there is no binary for this platform.
 */
export function findLlamaRuntime(folder: string = LLAMA_RUNTIME_FOLDER): LlamaRuntime {
  const manifest = manifestOf(folder)
  if (!fs.existsSync(manifest))
    throw new InferenceError(
      'engine-unavailable',
      `llama.cpp is not installed for ${process.platform}-${process.arch}; run "${LLAMA_INSTALL_COMMAND}"`,
    )
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }
  return {
    version,
    async start(report) {
      try {
        const entry = path.join(path.dirname(manifest), 'dist', 'index.js')
        const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaModule
        return await getLlama({
          gpu: false,
          build: 'never',
          skipDownload: true,
          progressLogs: false,
          logLevel: 'error',
          logger: (_level, message) => report(message.trim()),
        })
      } catch (error) {
        throw new InferenceError(
          'engine-unavailable',
          `llama.cpp does not start on ${process.platform}-${process.arch}: ${messageOf(error)}`,
          { cause: error },
        )
      }
    },
  }
}

function manifestOf(folder: string): string {
  return path.join(folder, 'node_modules', 'node-llama-cpp', 'package.json')
}
