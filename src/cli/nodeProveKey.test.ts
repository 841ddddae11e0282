import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { verifyEd25519 } from '../base/ed25519.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { keyProofMessage } from '../chain/staking/keyProof.ts'
import { homePaths } from '../config/home.ts'
import { loadValidatorKey } from '../consensus/files/keys.ts'
import { completeHome } from './newHome.ts'
import { createProgram } from './program.ts'

const OPERATOR = `0x${'5e'.repeat(20)}`

test("assay node prove-key prints the home's key and its signature for an operator", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-prove-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  await completeHome(homePaths(folder))
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  const run = (operator: string, ...options: readonly string[]) =>
    createProgram().parseAsync(['node', 'prove-key', operator, '--home', folder, ...options], {
      from: 'user',
    })
  await run(OPERATOR)
  const words = String(write.mock.calls[0]?.[0]).trim().split(' ')
  expect(words.map((word) => word.length)).toEqual([66, 66, 66])
  const [key = new Uint8Array(0), r, s] = words.map((word) => fromHex(word))
  const signature = Uint8Array.from([...(r ?? []), ...(s ?? [])])
  const message = keyProofMessage(271_828n, fromHex(OPERATOR))
  expect(verifyEd25519(key, message, signature)).toBe(true)
  const other = path.join(folder, 'other_key.json')
  await createProgram().parseAsync(['node', 'new-key', other], { from: 'user' })
  const [publicKey, address] = String(write.mock.calls[1]?.[0]).trim().split(' ')
  expect(toHex(loadValidatorKey(other).address)).toBe(address)
  expect(fs.statSync(other).mode & 0o777).toBe(0o600)
  await run(OPERATOR, '--key', other)
  expect(String(write.mock.calls[2]?.[0]).split(' ')[0]).toBe(publicKey)
  await expect(
    createProgram().parseAsync(['node', 'new-key', other], { from: 'user' }),
  ).rejects.toThrow('exists already')
  await expect(run('nobody')).rejects.toThrow('<operator>: expected an address')
})
