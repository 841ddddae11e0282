/** The worker that compiles: the compiler of the Solidity team, served by this node. Its policy alone lets WebAssembly run. */

/** From the page: solc's standard-JSON input. */
export type CompilerQuestion = { readonly input: string }

/** To the page: the compiler's version and its standard-JSON output; or why it did not run. */
export type CompilerAnswer =
  | { readonly version: string; readonly output: string }
  | { readonly problem: string }

type Soljson = {
  cwrap(
    name: string,
    result: string | null,
    parameters: readonly string[],
  ): (...values: readonly (string | number)[]) => unknown
}

type WorkerScope = {
  Module?: Soljson
  importScripts(url: string): void
  addEventListener(type: 'message', listener: (event: MessageEvent<CompilerQuestion>) => void): void
  postMessage(answer: CompilerAnswer): void
}

const scope = globalThis as unknown as WorkerScope

async function compile(input: string): Promise<CompilerAnswer> {
  const response = await fetch('/solc/soljson.wasm')
  if (!response.ok) return { problem: 'the compiler did not load' }
  // The script makes its functions properties of what it is given here.
  Object.assign(scope, { Module: { wasmBinary: await response.arrayBuffer() } })
  scope.importScripts('/solc/soljson.js')
  const { Module: soljson } = scope
  if (soljson?.cwrap === undefined) return { problem: 'the compiler did not load' }
  const version = String(soljson.cwrap('solidity_version', 'string', [])())
  // Without a callback, imported sources must be in the input.
  const run = soljson.cwrap('solidity_compile', 'string', ['string', 'number', 'number'])
  return { version, output: String(run(input, 0, 0)) }
}

scope.addEventListener('message', ({ data }) => {
  compile(data.input)
    .catch((error: unknown) => ({
      problem: error instanceof Error ? error.message : String(error),
    }))
    .then((answer) => scope.postMessage(answer))
    .catch(() => undefined)
})
