// The whole system as `assay up` starts it, on a home of its own and free ports.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = path.resolve(import.meta.dirname, '..', '..')
const PORTS = [
  '--explorer.enable=false',
  '--json-rpc.address=127.0.0.1:0',
  '--json-rpc.ws-address=127.0.0.1:0',
  '--rpc.laddr=tcp://127.0.0.1:0',
  '--dispatcher.address=127.0.0.1:0',
]

/** Starts it; resolves when it is ready, with what stands in up.json and the milliseconds that it took. */
export async function startSystem(home, flags = []) {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [path.join(root, 'dist', 'main.js'), 'up', '--home', home, ...PORTS, ...flags],
    { stdio: 'ignore' },
  )
  const file = path.join(home, 'up.json')
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`assay up ended with ${child.exitCode}; see ${home}/logs`)
    try {
      const up = JSON.parse(fs.readFileSync(file, 'utf8'))
      if (up.pid === child.pid) return { child, up, ms: performance.now() - began }
    } catch {
      // Not written yet.
    }
    await sleep(5)
  }
}

export async function stopSystem({ child }) {
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

/** Submits a job for the generated model and resolves with its id when it has a result. */
export async function runJob(up, tag, prompt, pollMs = 2) {
  const { result: id } = await post(`${up.dispatcher}/api/job/submit`, {
    from: up.project,
    verify: up.token,
    user: 'bench',
    job: {
      tag,
      prompt,
      model: 'tiny.gguf',
      params: { temperature: 0, top_p: 1, max_tokens: 16 },
    },
  })
  for (;;) {
    const { result } = await post(`${up.dispatcher}/api/job/result`, { job_id: id })
    if (result.length > 0) return id
    await sleep(pollMs)
  }
}

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return response.json()
}
