/** Secrets that a caller gives stay where they belong: none reaches a log, an error, or a file in the clear (D13, D39). */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { METHODS } from '../../src/rpc/table.ts'
import { isPrivate } from '../../src/wire/authority.ts'
import { createJsonSplitter } from '../../src/wire/jsonStream.ts'
import { newHome, post, runAssay, startAssay, type Running } from '../support/assay.ts'

const canary = (name: string): string => `canary-${name}-${randomBytes(12).toString('hex')}`

/** Never written by anything that works as it should, in whatever spelling. */
const passphrase = canary('passphrase')
const wrongPassphrase = canary('wrong')
const token = canary('token')
const commandPassphrase = canary('command')
const key = randomBytes(32)
const commandKey = randomBytes(32)

/** The spellings under which a secret could be found. */
function spellings(secret: string | Buffer): readonly Buffer[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const base64 = bytes.toString('base64')
  return [bytes, Buffer.from(hex), Buffer.from(hex.toUpperCase()), Buffer.from(base64)]
}

/** Which of the secrets bytes hold, by name. */
function findIn(bytes: Buffer, secrets: ReadonlyMap<string, string | Buffer>): readonly string[] {
  return [...secrets]
    .filter(([, secret]) => spellings(secret).some((form) => bytes.includes(form)))
    .map(([name]) => name)
}

const secrets = new Map<string, string | Buffer>([
  ['passphrase', passphrase],
  ['wrong passphrase', wrongPassphrase],
  ['token', token],
  ['passphrase of a command', commandPassphrase],
  ['key', key],
  ['key of a command', commandKey],
])

/** What one connection to the socket answers. */
async function overIpc(socketPath: string, requests: readonly string[]): Promise<string> {
  const socket = net.connect(socketPath)
  const split = createJsonSplitter(64 * 1024 * 1024)
  const answers: string[] = []
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      for (const value of split(chunk)) answers.push(value.toString('utf8'))
      if (answers.filter((answer) => answer.includes('"id"')).length >= requests.length) resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.write(requests.join('\n'))
  await done
  socket.destroy()
  return answers.join('\n')
}

let running: Running
let folder: string
/** Everything that was answered to the callers of private methods and to commands that fail. */
let answers = ''

async function overHttp(body: string, authorization?: string, suffix = ''): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    ...(authorization !== undefined && { authorization }),
  }
  const response = await fetch(`${running.up.rpc}${suffix}`, { method: 'POST', headers, body })
  return await response.text()
}

const call = (method: string, params: readonly unknown[], id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Every place of a parameter holds a secret once, in the right and in the wrong type. */
function probes(method: string): readonly string[] {
  const hexKey = key.toString('hex')
  const count = Math.max(Object.keys(METHODS[method]?.params ?? {}).length, 1)
  const all = [
    passphrase,
    `0x${hexKey}`,
    hexKey,
    [passphrase],
    { password: passphrase, key: hexKey },
  ]
  return all.map((secret, id) =>
    call(
      method,
      Array.from({ length: count }, () => secret),
      id,
    ),
  )
}

/** Uses the account methods as they are meant, then with a wrong passphrase. */
async function useAccounts(send: (request: string) => Promise<string>): Promise<void> {
  const resultOf = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const text = await send(call(method, params))
    if (method !== 'personal_initializeWallet') answers += text
    return (JSON.parse(text) as { result?: unknown }).result
  }
  const address = await resultOf('personal_newAccount', [passphrase])
  expect(address).toMatch(/^0x/)
  await resultOf('personal_importRawKey', [key.toString('hex'), passphrase])
  await resultOf('personal_importRawKey', [`${key.toString('hex')}ff`, passphrase])
  expect(await resultOf('personal_unlockAccount', [address, passphrase, 30])).toBe(true)
  expect(await resultOf('personal_sign', ['0x1234', address, passphrase])).toMatch(/^0x/)
  const transaction = { from: address, to: address, gas: '0x5208', gasPrice: '0x0' }
  for (const given of [passphrase, wrongPassphrase]) {
    await resultOf('personal_sendTransaction', [transaction, given])
    await resultOf('personal_signTransaction', [{ ...transaction, nonce: '0x0' }, given])
  }
  await resultOf('personal_unlockAccount', [address, wrongPassphrase])
  await resultOf('personal_sign', ['0x1234', address, wrongPassphrase])
}

beforeAll(async () => {
  const home = newHome()
  folder = path.dirname(home)
  running = await startAssay(home, ['--log.level=trace', '--accounts.light-scrypt=true'])
})
afterAll(async () => {
  await running.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('no error tells a passphrase, key or token that a private method was given', async () => {
  const { ipc, rpcToken } = running.up
  const bearer = `Bearer ${rpcToken}`
  await useAccounts((request) => overHttp(request, bearer))
  await useAccounts((request) => overIpc(ipc, [request]))
  for (const method of Object.keys(METHODS).filter(isPrivate)) {
    const requests = probes(method)
    for (const authorization of [bearer, `Bearer ${token}`, undefined])
      answers += await overHttp(`[${requests.join(',')}]`, authorization)
    answers += await overIpc(ipc, requests)
  }
  const broken = call('personal_newAccount', [passphrase]).slice(0, -2)
  answers += await overHttp(broken, bearer)
  answers += await overHttp(call('eth_chainId', []), undefined, `/?token=${token}`)
  answers += await overHttp(call('eth_chainId', []), `Basic ${btoa(`user:${token}`)}`)
  expect(answers.length).toBeGreaterThan(10_000)
  expect(findIn(Buffer.from(answers), secrets)).toEqual([])
})

test('a WebSocket that offers a wrong token hears nothing of it', async () => {
  const socket = new WebSocket(running.up.ws, { headers: { authorization: `Bearer ${token}` } })
  const [error] = (await once(socket, 'error')) as [Error]
  expect(error.message).not.toContain(token)
})

test('methods that are not private are given secrets too, and the dispatcher wrong tokens', async () => {
  for (const method of Object.keys(METHODS).filter((name) => !isPrivate(name))) {
    await overHttp(`[${probes(method).join(',')}]`)
    await overIpc(running.up.ipc, probes(method))
  }
  let told = ''
  const job = { tag: 'opml', prompt: 'hello', model: 'absent.gguf' }
  for (const verify of [token, `${running.up.token}${token}`])
    told += JSON.stringify(
      await post(`${running.up.dispatcher}/api/job/submit`, {
        from: running.up.project,
        user: 'u',
        verify,
        job,
      }),
    )
  expect(findIn(Buffer.from(told), secrets)).toEqual([])
})

test('commands say nothing of the keys and passphrases that they read', async () => {
  const given = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-canary-'))
  const write = (name: string, text: string): string => {
    const file = path.join(given, name)
    fs.writeFileSync(file, text)
    return file
  }
  const password = write('password', `${commandPassphrase}\n`)
  const wrong = write('wrong', `${wrongPassphrase}\n`)
  const keyFile = write('key', commandKey.toString('hex'))
  const badKey = write('bad', `${commandKey.toString('hex')}zz`)
  const run = (...args: readonly string[]) =>
    runAssay(['account', ...args, '--home', running.home], { ASSAY_LOG_LEVEL: 'trace' })
  try {
    const imported = await run('import', keyFile, '--password-file', password, '--light')
    expect(imported.code).toBe(0)
    const address = imported.output.trim()
    const others = [
      await run('new', '--password-file', password, '--light'),
      await run('import', badKey, '--password-file', password, '--light'),
      await run('export', address),
      await run('export', address, '--private-key', '--password-file', wrong),
      await run('list'),
    ]
    const printed = [imported, ...others].map(({ output }) => output).join('\n')
    expect(findIn(Buffer.from(printed), secrets)).toEqual([])
    const exported = await run('export', address, '--private-key', '--password-file', password)
    expect(findIn(Buffer.from(exported.output), secrets)).toEqual(['key of a command'])
  } finally {
    fs.rmSync(given, { recursive: true })
  }
})

/** What a file holds; nothing where it was only there for a moment, as the copy that a running node renames over its state. */
function content(file: string): Buffer {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** Files below a folder that hold a secret, and how many were looked into. */
function search(
  below: string,
  wanted: ReadonlyMap<string, string | Buffer>,
): { readonly found: readonly string[]; readonly count: number } {
  const files = fs
    .readdirSync(below, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const found = files.flatMap((file) =>
    findIn(content(file), wanted).map((name) => `${path.relative(below, file)}: ${name}`),
  )
  return { found, count: files.length }
}

// Holds D39.
test('when all has stopped, no log and no other file of the home holds any of them', async () => {
  const { up } = running
  const handedOut = new Map([
    ['token of the project', up.token],
    ['token of the node', up.rpcToken],
    ['passphrase of the accounts', up.passphrase],
  ])
  // These two are for the owner's eyes, and show that the search finds what is there.
  const owners = ['home/config/up_secrets.json', 'home/up.json']
  const holders = new Set(search(folder, handedOut).found.map((line) => line.split(':', 1)[0]))
  expect(holders).toEqual(new Set(owners))
  for (const file of owners) expect(fs.statSync(path.join(folder, file)).mode & 0o777).toBe(0o600)
  expect(await running.stop()).toBe(0)
  const { found, count } = search(folder, secrets)
  expect(found).toEqual([])
  expect(findIn(Buffer.from(running.output()), secrets)).toEqual([])
  console.log(
    `canaries: ${secrets.size} secrets, ${count} files, ${Object.keys(METHODS).length} methods`,
  )
})
