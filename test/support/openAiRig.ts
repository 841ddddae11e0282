/** The `openai` package as a client of a dispatcher with scripted operators. */
import { randomBytes } from 'node:crypto'
import OpenAI from 'openai'
import { startTestDispatcher, startTestPostgres, type TestDispatcher } from './dispatcher.ts'
import { connectOperator, type OperatorScript, type ScriptedOperator } from './scriptedOperator.ts'

export const MESSAGES = [{ role: 'user' as const, content: 'What is AI?' }]

export type OpenAiRig = {
  readonly dispatcher: TestDispatcher
  readonly client: OpenAI
  /** Runs `work` with operators for a model of their own, which leave at its end. */
  withOperators(
    count: number,
    work: (model: string, operators: readonly ScriptedOperator[]) => Promise<void>,
    script?: OperatorScript,
  ): Promise<void>
  stop(): Promise<void>
}

/** A dispatcher on a PostgreSQL of its own, and a client with its project's token. */
export async function startOpenAiRig(name: string): Promise<OpenAiRig> {
  const postgres = await startTestPostgres()
  const dispatcher = await startTestDispatcher(postgres, name)
  const client = new OpenAI({
    apiKey: dispatcher.token,
    baseURL: `http://${dispatcher.httpAddress}/v1`,
    maxRetries: 0,
  })
  return {
    dispatcher,
    client,
    async withOperators(count, work, script = {}) {
      const model = `${randomBytes(6).toString('hex')}.gguf`
      const operators: ScriptedOperator[] = []
      for (let i = 0; i < count; i++)
        operators.push(await connectOperator(dispatcher, { models: [model], ...script }))
      try {
        await work(model, operators)
      } finally {
        for (const { socket } of operators) socket.close()
      }
    },
    async stop() {
      await dispatcher.close()
      await postgres.stop()
    },
  }
}

export const only = (operators: readonly ScriptedOperator[]): ScriptedOperator =>
  operators[0] as ScriptedOperator

/** What a request is refused with. */
export const errorOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  )
