import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeFunctionData } from 'viem'
import {
  hasBrowser,
  LOOKS,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'
import { seedChain, send, type ExplorerChain } from '../support/explorerChain.ts'

const LOOKED_AT = [
  ...LOOKS,
  { name: 'phone-dark', scheme: 'dark', width: 390, height: 844 },
] as const
/** With the mint and the transfer of the chain, more than one page. */
const TRANSFERS = 28

describe.skipIf(!hasBrowser)('tokens and transactions, for people', () => {
  let explorer: Explorer
  let chain: ExplorerChain
  let outOfGas: string
  let money: string

  beforeAll(async () => {
    explorer = await openExplorer()
    const { up } = explorer
    chain = await seedChain(up)
    const to = up.accounts[2]?.address ?? ''
    const data = encodeFunctionData({
      abi: chain.abi,
      functionName: 'transfer',
      args: [to, 1_000_000n],
    })
    for (let at = 0; at < TRANSFERS; at++) await send(up, { to: chain.token, data })
    const poor = { to: chain.token, data: data.replace(/.{40}(.{64})$/, `${'77'.repeat(20)}$1`) }
    outOfGas = (await send(up, { ...poor, gas: '0x7530' })).transactionHash
    money = (await send(up, { to, value: '0x16345785d8a0000' })).transactionHash
  })

  afterAll(() => explorer.close())

  // Holds D170.
  test('one sentence on top of each transaction says who did what, and how it went', async () => {
    const sentences: readonly (readonly [string, RegExp])[] = [
      [money, /^0x\w{6}…\w{6} sent 0\.1 ASSAY to 0x\w{6}…\w{6}\.$/],
      [chain.transfer, /^0x\w{6}…\w{6} sent 2\.5 AG\S+ to 0x\w{6}…\w{6}\.$/],
      [chain.reverted, /tried to send 0\.000001 AG\S+ to 0x\w{6}…\w{6}, which was reverted\.$/],
      [outOfGas, /tried to send 1 AG\S+ to 0x7777\w+…\w{6}, and ran out of gas\.$/],
      [chain.nested, /called 0x\w{6}…\w{6} with 0\.1 ASSAY\.$/],
    ]
    const { page, context, watched } = await explorer.open('/')
    for (const [hash, sentence] of sentences) {
      await page.goto(explorer.url(`/tx/${hash}`))
      await expect.poll(() => page.locator('.sentence').innerText()).toMatch(sentence)
    }
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('the reason of a failure is in the overview, and out of gas is told apart', async () => {
    const { page, context } = await explorer.open(`/tx/${chain.reverted}`)
    await page.getByRole('region', { name: 'Revert reason' }).waitFor()
    expect(await page.getByText('reverted', { exact: true }).count()).toBeGreaterThan(0)
    await screenshot(page, 'transaction-failed')
    await page.goto(explorer.url(`/tx/${outOfGas}`))
    await page.getByText('It used all of its 30,000 gas').waitFor()
    expect(await page.getByText('out of gas', { exact: true }).count()).toBeGreaterThan(0)
    expect(await page.getByText('reverted', { exact: true }).count()).toBe(0)
    await context.close()
  })

  test('a token has a page of its own: name, supply, transfers and holders, harmless whatever it is called', async () => {
    const all = TRANSFERS + 2
    for (const look of LOOKED_AT) {
      const { page, context, watched } = await explorer.open(`/token/${chain.token}`, look)
      await page.getByText(`${all} in all.`).waitFor()
      await page.getByText('1,000,000', { exact: true }).waitFor()
      await expect.poll(() => page.title()).toMatch(/^Token <script>/)
      expect(await page.evaluate('window.hacked')).toBeUndefined()
      expect.soft(await violationsOf(page), look.name).toEqual([])
      await screenshot(page, `token-${look.name}`)
      await page.getByRole('link', { name: /Older/ }).click()
      await page.waitForURL(/page=2$/)
      await expect
        .poll(() => page.getByRole('region', { name: 'Transfers' }).getByRole('row').count())
        .toBe(all - 25 + 1)
      await page.getByRole('tab', { name: 'Holders' }).click()
      await page.waitForURL(/tab=holders$/)
      await page.getByRole('cell', { name: '999,969.5' }).waitFor()
      expect.soft(await violationsOf(page), `${look.name}, holders`).toEqual([])
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect.soft(overflow, `${look.name} scrolls sideways`).toBe(0)
      expect.soft(watched.faults, look.name).toEqual([])
      await context.close()
    }
  })

  test('a contract that is a token leads to its page', async () => {
    const { page, context } = await explorer.open(`/address/${chain.token}`)
    await page.getByRole('link', { name: /^Token / }).click()
    await page.waitForURL(explorer.url(`/token/${chain.token}`))
    await context.close()
  })
})
