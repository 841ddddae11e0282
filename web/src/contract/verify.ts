/** Verifies a contract: compiles sources in a worker, and looks for the code of the chain among what comes out. */
import type { CompilerAnswer } from './compiler.ts'
import {
  completeInput,
  contractsOf,
  errorsOf,
  matchCode,
  type CompiledContract,
  type Match,
} from './matchCode.ts'

export type Verification = {
  readonly contract: CompiledContract
  readonly match: Exclude<Match, 'none'>
  readonly version: string
}

const LONGEST_MS = 120_000

/** The compiler's answer. The worker ends with it. */
function compile(input: string): Promise<CompilerAnswer> {
  const worker = new Worker(new URL('./compiler.ts', import.meta.url))
  return new Promise<CompilerAnswer>((resolve) => {
    const timer = setTimeout(() => resolve({ problem: 'the compiler takes too long' }), LONGEST_MS)
    worker.addEventListener('message', ({ data }: MessageEvent<CompilerAnswer>) => {
      clearTimeout(timer)
      resolve(data)
    })
    worker.addEventListener('error', (event) => {
      clearTimeout(timer)
      resolve({ problem: event.message === '' ? 'the compiler did not load' : event.message })
    })
    worker.postMessage({ input })
  }).finally(() => worker.terminate())
}

/** Rejects with an Error that says why the code is not that of the sources. */
export async function verifySources(text: string, code: string): Promise<Verification> {
  const answer = await compile(completeInput(text))
  if ('problem' in answer) throw new Error(answer.problem)
  const output: unknown = JSON.parse(answer.output)
  const [error] = errorsOf(output)
  if (error !== undefined) throw new Error(error)
  const contracts = contractsOf(output)
  for (const wanted of ['exact', 'code'] as const) {
    const contract = contracts.find((each) => matchCode(each, code) === wanted)
    if (contract !== undefined) return { contract, match: wanted, version: answer.version }
  }
  throw new Error(
    `None of the ${contracts.length} contracts in these sources compiles to this code with ${answer.version}. Settings and compiler must be those of the deployment.`,
  )
}
