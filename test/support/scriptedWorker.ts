/** A tee worker at a fixed port whose answers are scripted, with real evidence; it can go away and come back. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { openSoftwareAttester } from '../../src/attest/software.ts'
import { evidenceSubject } from '../../src/jobs/evidence.ts'
import { STATUS_PATH, type WorkerRequest } from '../../src/jobs/worker/api.ts'
import { statementOf } from './scriptedOperator.ts'

export type ScriptedWorker = {
  readonly url: string
  /** Whether it leaves requests for answers open. */
  isSilent: boolean
  /** Stops listening, and drops every connection. */
  leave(): Promise<void>
  /** Listens again at the same port. */
  comeBack(): Promise<void>
}

/** Starts one with these models; `folder` is for the key of its attester. */
export async function startScriptedWorker(
  folder: string,
  models: readonly string[],
): Promise<ScriptedWorker> {
  const attester = openSoftwareAttester(folder, [])
  const answer = async (body: string) => {
    const { chainId, dispatcher, ...request } = JSON.parse(body) as WorkerRequest
    const statement = statementOf(request, 'attested')
    const domain = { chainId: BigInt(chainId), dispatcher }
    const evidence = await attester.attest(evidenceSubject(statement, domain))
    return { output: 'attested', statement, evidence }
  }
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      void text(request).then(async (body) => {
        if (request.url !== STATUS_PATH && worker.isSilent) return
        const isStatus = request.url === STATUS_PATH
        const content = isStatus ? { level: attester.level, models } : await answer(body)
        response.end(JSON.stringify(content))
      })
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listen(0)
  const { port } = server.address() as { port: number }
  const worker: ScriptedWorker = {
    url: `http://127.0.0.1:${port}`,
    isSilent: false,
    async leave() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async comeBack() {
      if (!server.listening) server = await listen(port)
    },
  }
  return worker
}
