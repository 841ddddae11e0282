/** A transfer and a job go through a running system whose functions tell what they call. */
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import WebSocket from 'ws'
import { eventually, post, rpc, startAssay, type UpFile } from '../assay.ts'
import { createRecording, type Chapter, type Recording } from '../spans/recording.ts'
import { writeTracedBuild, type TracedFunction } from '../spans/tracedBuild.ts'

/** One transfer and one job, each until its result was read. */
export type Round = {
  readonly transfer: Chapter
  readonly transferRead: Chapter
  readonly job: Chapter
  readonly jobRead: Chapter
}

export type Rounds = {
  /** By number. */
  readonly functions: readonly TracedFunction[]
  /** The start of everything, and a while without a transfer or a job. */
  readonly background: readonly Chapter[]
  readonly rounds: readonly [Round, Round]
}

type Scene = {
  readonly up: UpFile
  readonly recording: Recording
  readonly subscriber: Awaited<ReturnType<typeof subscribe>>
  readonly database: Awaited<ReturnType<typeof openDatabase>>
}

/** Longer than the intervals at which something is done although nobody asks for anything. */
const IDLE_MS = 5500

/** A client that is sent the receipts of new blocks. */
async function subscribe(url: string) {
  const socket = new WebSocket(url)
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(data.toString()))
  await once(socket, 'open')
  const params = ['transactionReceipts']
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
  const heard = (text: string) =>
    eventually(() => messages.some((message) => message.includes(text)) || undefined)
  await heard('"result":')
  return {
    heard,
    close: () => socket.terminate(),
  }
}

async function openDatabase(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  return {
    /** Asks where the dispatcher does not notice. */
    anchored: (job: string) =>
      eventually(async () => {
        const { rowCount } = await client.query(
          `select from results join receipts using (leaf) join anchors using (interval)
           where job_id = $1 and anchors.state = 'anchored'`,
          [job],
        )
        return rowCount === 0 ? undefined : true
      }, 60),
    close: () => client.end(),
  }
}

function signTransfer({ accounts, chainId }: UpFile, nonce: number): Promise<`0x${string}`> {
  const [from, to] = accounts
  if (from === undefined || to === undefined) throw new RangeError('two accounts are needed')
  return privateKeyToAccount(from.privateKey).signTransaction({
    chainId,
    nonce,
    to: to.address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: parseGwei('1000'),
    maxPriorityFeePerGas: 1n,
  })
}

/** Numbers of chapters. */
type Numbers = { readonly [Name in keyof Round]: number }

/** Resolves after the next block, when it is a while until another one is due. */
async function afterBlock({ up }: Scene): Promise<void> {
  const height = async () => Number((await rpc(up.rpc, 'eth_blockNumber')).result)
  const now = await height()
  await eventually(async () => (await height()) > now || undefined)
}

async function transfer(
  scene: Scene,
  nonce: number,
): Promise<Pick<Numbers, 'transfer' | 'transferRead'>> {
  const { up, recording, subscriber } = scene
  const raw = await signTransfer(up, nonce)
  await recording.turn()
  await afterBlock(scene)
  const transfer = await recording.turn([raw])
  const { result, error } = await rpc(up.rpc, 'eth_sendRawTransaction', [raw])
  if (typeof result !== 'string') throw new Error(`refused: ${error?.message}`)
  await subscriber.heard(result)
  const transferRead = await recording.turn()
  const receipt = await rpc(up.rpc, 'eth_getTransactionReceipt', [result])
  if (typeof receipt.result !== 'object') throw new Error('a transfer has no receipt')
  return { transfer, transferRead }
}

async function job({ up, recording, database }: Scene): Promise<Pick<Numbers, 'job' | 'jobRead'>> {
  await recording.turn()
  const job = await recording.turn()
  const { body } = await post(`${up.dispatcher}/api/job/submit`, {
    from: up.project,
    verify: up.token,
    user: 'user',
    tag: '',
    job: {
      tag: 'opml',
      prompt: 'What is AI?',
      model: 'tiny.gguf',
      params: { temperature: 0, top_p: 1, max_tokens: 4 },
    },
  })
  const id = String(body.result)
  await database.anchored(id)
  const jobRead = await recording.turn()
  await post(`${up.dispatcher}/api/job/result`, { job_id: id })
  // The proof is complete with the block after that of the anchor.
  await eventually(async () => {
    const bundle = await fetch(`${up.dispatcher}/api/job/receipt/${id}`)
    return (await bundle.text()).includes('signedHeader') || undefined
  })
  return { job, jobRead }
}

async function record(scene: Scene): Promise<Omit<Rounds, 'functions'>> {
  const { recording } = scene
  const both = async (nonce: number) => ({
    ...(await transfer(scene, nonce)),
    ...(await job(scene)),
  })
  const first = await both(0)
  await recording.turn()
  const idle = await recording.turn()
  await sleep(IDLE_MS)
  const second = await both(1)
  // The last chapter is complete when another one is over.
  await recording.turn()
  await recording.turn()
  const read = ({ transfer, transferRead, job, jobRead }: Numbers): Round => ({
    transfer: recording.read(transfer),
    transferRead: recording.read(transferRead),
    job: recording.read(job),
    jobRead: recording.read(jobRead),
  })
  return {
    background: [recording.read(0), recording.read(idle)],
    rounds: [read(first), read(second)],
  }
}

/** Starts a system, records, and stops it. */
export async function recordRounds(): Promise<Rounds> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-ways-'))
  const functions = writeTracedBuild(folder)
  const recording = createRecording(path.join(folder, 'spans'))
  const running = await startAssay(
    path.join(folder, 'home'),
    ['--explorer.enable=false', '--dispatcher.anchor-interval=100ms'],
    {
      main: path.join(folder, 'dist', 'main.js'),
      environment: { ASSAY_SPANS: recording.folder },
    },
  )
  const { up } = running
  try {
    const subscriber = await subscribe(up.ws)
    const database = await openDatabase(up.database)
    const recorded = await record({ up, recording, subscriber, database })
    subscriber.close()
    await database.close()
    return { functions, ...recorded }
  } finally {
    await running.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
