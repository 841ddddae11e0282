/**
 * Loads node-llama-cpp from the folder that `assay runtime install` fills (D39a, D126). It is not a dependency of the package, so
 * the part of its interface that we use is declared below.
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultHome } from '../base/defaultHome.ts'
import { messageOf } from '../base/errors.ts'
import { InferenceError } from './errors.ts'

const installation = path.resolve(import.meta.dirname, '..', '..')

/** Command to run if it is missing: from any working directory, also with the package installed in node_modules. */
export const LLAMA_INSTALL_COMMAND = `node ${path.relative(process.cwd(), path.join(installation, 'dist', 'main.js'))} runtime install`

/** Where it is in a home folder, or in what else has a runtime. */
export function llamaFolderOf(folder: string): string {
  return path.join(folder, 'runtime', 'llama')
}

/** Where it is looked for: in homes, which their users can write to, and in the installation, where images have it. */
export function llamaRuntimeFolders(): readonly string[] {
  const { ASSAY_HOME: home = '' } = process.env
  return [...(home === '' ? [] : [home]), defaultHome(), installation].map(llamaFolderOf)
}

/** The first of these folders that has it; where none has it, the one that it would be installed into. */
export function llamaRuntimeFolder(): string {
  const [first = '', ...others] = llamaRuntimeFolders()
  return [first, ...others].find((folder) => fs.existsSync(manifestOf(folder))) ?? first
}

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
export function hasLlamaRuntime(folder: string = llamaRuntimeFolder()): boolean {
  return fs.existsSync(manifestOf(folder))
}

/**
 * Finds the binding in a folder; nothing of it is loaded before `start`. Throws InferenceError `engine-unavailable` when it is
 * not installed; `start` rejects with it when there is no binary for this platform.
 */
export function findLlamaRuntime(folder: string = llamaRuntimeFolder()): LlamaRuntime {
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
