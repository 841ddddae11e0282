/** Executions at once: each has the bits that it has alone. */
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { architectureModel, PLANS } from '../../../test/support/architectureModel.ts'
import type { GenerateRequest } from '../engine.ts'
import { generateModel } from '../generateModel.ts'
import { openModelFolder } from '../models.ts'
import { createBatch, MAX_EXECUTIONS } from './batch.ts'
import { openFixedEngine } from './engine.ts'
import type { RunRequest } from './lane.ts'
import { contextBytes, weightBytes } from './memoryNeed.ts'
import { loadFixedModel, type FixedModel } from './model.ts'
import { readModelHead } from './modelFile.ts'
import { begin, run } from './run.ts'
import { toSampling } from './sampler.ts'
import { readShape } from './shape.ts'
import type { TokenTrace } from './trace.ts'
import { loadWeights } from './weights.ts'

const MIB = 1024 ** 2
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-batch-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const SHAPE = { width: 128, layers: 6, heads: 4, keyHeads: 2, hidden: 256, contextLength: 512 }
const file = path.join(folder, 'Q4_0.gguf')
fs.writeFileSync(file, generateModel({ seed: 3, shape: SHAPE, encoding: 'Q4_0' }))
const planOf = (name: string) => {
  const found = PLANS[name]
  if (found === undefined) throw new Error(`there is no plan ${name}`)
  return found
}
for (const name of ['gemma3', 'phi3'])
  fs.writeFileSync(path.join(folder, `${name}.gguf`), architectureModel(planOf(name), 1).file)

const load = (name: string): Promise<FixedModel> =>
  loadFixedModel({ name, path: path.join(folder, `${name}.gguf`) })

/** The model with its layers in two memories. */
async function loadSplit(): Promise<FixedModel> {
  const model = await load('Q4_0')
  const handle = await open(file)
  try {
    const head = await readModelHead(handle)
    const weights = await loadWeights(handle, head, readShape(head), 18.5 * MIB)
    expect(new Set(weights.layers.map(({ kernels }) => kernels)).size).toBeGreaterThan(1)
    return { ...model, weights, batch: createBatch(weights) }
  } finally {
    await handle.close()
  }
}

/** Numbers below a bound, from a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Planned = {
  readonly request: Omit<RunRequest, 'signal'>
  /** Turns after which it comes. */
  readonly arrival: number
  /** Steps after which it is aborted. */
  readonly abortAt: number
}

function plan(seed: number, vocabulary: number): Planned {
  const next = numbers(seed)
  return {
    request: {
      prompt: Array.from({ length: 1 + next(80) }, () => 3 + next(Math.min(200, vocabulary - 3))),
      room: 1 + next(40),
      sampling: toSampling(next(2) * 0.9, 0.95, BigInt(seed)),
      batch: 1 + next(32),
    },
    arrival: next(60),
    abortAt: next(4) === 0 ? next(50) : Infinity,
  }
}

const REASON = new Error('no longer needed')

async function traceOf(model: FixedModel, { request, abortAt }: Planned) {
  const aborting = new AbortController()
  const steps: TokenTrace[] = []
  let chosen = 0
  const stopAfter = request.prompt.length % 2 === 0 ? 7 : Infinity
  const onChoice = (): boolean => ++chosen === stopAfter
  if (abortAt === 0) aborting.abort(REASON)
  try {
    for await (const step of run(model, { ...request, onChoice, signal: aborting.signal })) {
      steps.push(step)
      if (steps.length >= abortAt) aborting.abort(REASON)
    }
  } catch (error) {
    expect(error).toBe(REASON)
    return { steps, isAborted: true }
  }
  return { steps, isAborted: false }
}

// Holds D35, D154.
test.each([
  ['Q4_0', () => load('Q4_0')],
  ['Q4_0 in two memories', loadSplit],
  ['gemma3', () => load('gemma3')],
  ['phi3', () => load('phi3')],
])('executions that come and go have the steps that each has alone (%s)', async (_, loading) => {
  const model = await loading()
  const { kernels, shape } = model.weights
  const before = kernels.mark()
  const plans = Array.from({ length: MAX_EXECUTIONS }, (_, i) => plan(i + 1, shape.vocabulary))
  const alone: (readonly TokenTrace[])[] = []
  for (const each of plans) alone.push((await traceOf(model, { ...each, abortAt: Infinity })).steps)
  let highest = 0
  const together = await Promise.all(
    plans.map(async (each) => {
      for (let turn = 0; turn < each.arrival; turn++) await setImmediate()
      const done = traceOf(model, each)
      highest = Math.max(highest, kernels.mark())
      return done
    }),
  )
  together.forEach(({ steps, isAborted }, i) => {
    expect(steps).toEqual(isAborted ? alone[i]?.slice(0, steps.length) : alone[i])
  })
  expect(together.some(({ isAborted }) => isAborted)).toBe(true)
  expect(highest).toBeGreaterThan(before)
  expect(kernels.mark()).toBe(before)
})

test('an execution whose consumer takes nothing holds up nobody', async () => {
  const model = await load('Q4_0')
  const { signal } = new AbortController()
  const { request } = plan(5, 200)
  const idle = await begin(model, { ...request, signal })
  const { steps } = await traceOf(model, plan(6, 200))
  expect(steps.length).toBeGreaterThan(1)
  const late: TokenTrace[] = []
  for await (const step of idle.steps()) late.push(step)
  await idle.leave()
  const again: TokenTrace[] = []
  for await (const step of run(model, { ...request, signal })) again.push(step)
  expect(late).toEqual(again)
})

test('one that throws where it is told of a token ends alone', async () => {
  const model = await load('Q4_0')
  const { signal } = new AbortController()
  const { request } = plan(7, 200)
  const onChoice = (): boolean => {
    throw REASON
  }
  const failing = (async () => {
    for await (const _ of run(model, { ...request, onChoice, signal }));
  })()
  const [failed, other] = await Promise.allSettled([failing, traceOf(model, plan(8, 200))])
  expect(failed).toMatchObject({ status: 'rejected', reason: REASON })
  expect(other.status).toBe('fulfilled')
})

const models = openModelFolder(folder)

async function generation(
  engine: ReturnType<typeof openFixedEngine>,
  model: string,
  change: Partial<GenerateRequest> = {},
) {
  return engine.generate({
    model: await models.open(`${model}.gguf`),
    prompt: 'x',
    temperature: 1,
    topP: 1,
    maxTokens: 20,
    seed: 5n,
    signal: new AbortController().signal,
    ...change,
  })
}

test('generations of several models at once are those of one after the other', async () => {
  const engine = openFixedEngine({ keepLoaded: 1 })
  const asked = Array.from({ length: 40 }, (_, i) => ({
    model: ['Q4_0', 'Q4_0', 'phi3'][i % 3] as string,
    prompt: `prompt ${i}`,
    maxTokens: 1 + ((i * 7) % 30),
  }))
  const together = await Promise.all(
    asked.map(({ model, ...rest }) => generation(engine, model, rest)),
  )
  for (const [i, { model, ...rest }] of asked.entries())
    expect(together[i]).toEqual(await generation(engine, model, rest))
  await engine.close()
})

// Holds D129.
test.each([true, false])(
  'generations that do not fit at once wait for each other (%s)',
  async (isScarce) => {
    const { weights } = await load('Q4_0')
    const handle = await open(file)
    const one = weightBytes(await readModelHead(handle)) + contextBytes(weights.shape, 410)
    await handle.close()
    const engine = openFixedEngine({ memory: isScarce ? one : 2 * one, maxContext: 500 })
    const events: string[] = []
    const ask = async (name: string, maxTokens: number, signal?: AbortSignal) => {
      const onText = (): void => {
        if (!events.includes(`${name} speaks`)) events.push(`${name} speaks`)
      }
      const options = { maxTokens, onText, ...(signal && { signal }) }
      const { tokens } = await generation(engine, 'Q4_0', options)
      events.push(`${name} ends`)
      return tokens
    }
    const aborting = new AbortController()
    const all = [ask('first', 400), ask('second', 400)]
    const givenUp = ask('third', 400, aborting.signal)
    aborting.abort(REASON)
    await expect(givenUp).rejects.toBe(REASON)
    expect(await Promise.all([...all, ask('last', 1)])).toEqual([400, 400, 1])
    const waited = events.indexOf('first ends') < events.indexOf('second speaks')
    expect(waited).toBe(isScarce)
    await engine.close()
    await expect(generation(engine, 'Q4_0')).rejects.toThrow('the engine is closed')
  },
)
