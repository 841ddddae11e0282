/** A test node with software wallets in a folder of its own. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { openKeystore } from '../../src/accounts/keystore.ts'
import { createWallets } from '../../src/accounts/wallets.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createTestNode, type TestNode } from './rpcNode.ts'

/** The folder is removed when the test is done. */
export function createWalletNode(): TestNode & { readonly folder: string } {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-wallets-'))
  onTestFinished(() => fs.rmSync(home, { recursive: true }))
  const folder = path.join(home, 'keystore')
  const clock = { ...systemClock, sleep: async () => undefined }
  const accounts = createAccounts(openKeystore(folder, 'light'), { scope: 'anyone', clock })
  const wallets = createWallets(folder, { cost: 'light', clock })
  return { ...createTestNode({ accounts, wallets }), folder }
}
