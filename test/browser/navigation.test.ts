import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { getAddress } from 'viem'
import {
  hasBrowser,
  LOOKS,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'
import { seedChain, send, type ExplorerChain } from '../support/explorerChain.ts'

/** More than one page of them. */
const TRANSACTIONS = 30
const PHONE_DARK = { name: 'phone-dark', scheme: 'dark', width: 390, height: 844 } as const

const selectedTab = (page: Page) => page.getByRole('tab', { selected: true })

describe.skipIf(!hasBrowser)('addresses of the explorer', () => {
  let explorer: Explorer
  let chain: ExplorerChain
  let sender: string

  beforeAll(async () => {
    explorer = await openExplorer()
    chain = await seedChain(explorer.up)
    sender = explorer.up.accounts[1]?.address ?? ''
    await send(explorer.up, { to: sender, value: '0x1' })
    for (let at = 0; at < TRANSACTIONS; at++)
      await send(explorer.up, {
        from: sender,
        to: explorer.up.accounts[2]?.address ?? '',
        value: '0x1',
      })
  })

  afterAll(() => explorer.close())

  test('what a wallet opens is there, in the spelling of a checksum too (EIP-3091)', async () => {
    const { page, context, watched } = await explorer.open(`/tx/${chain.transfer}`)
    await page.getByRole('heading', { name: /Transaction/ }).waitFor()
    await expect
      .poll(() => page.title())
      .toBe(`Transaction ${chain.transfer.slice(0, 10)}…${chain.transfer.slice(-6)} · Assay`)
    await page.goto(explorer.url(`/block/${chain.transferBlock}`))
    await page.getByRole('heading', { name: /Block/ }).waitFor()
    await expect.poll(() => page.title()).toContain(`Block ${chain.transferBlock}`)
    await page.goto(explorer.url(`/address/${getAddress(sender)}`))
    await page.getByText(getAddress(sender), { exact: true }).waitFor()
    await expect.poll(() => page.title()).toContain('Account 0x')
    await page.goto(explorer.url(`/token/${chain.token}`))
    await page.getByText(getAddress(chain.token), { exact: true }).waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('tabs are in the address; back, forward and reload keep them', async () => {
    const { page, context } = await explorer.open(`/tx/${chain.nested}`)
    await page.getByRole('tab', { name: 'Events' }).click()
    await page.waitForURL(/\?tab=events$/)
    await page.getByRole('tab', { name: 'State' }).click()
    await page.waitForURL(/\?tab=state$/)
    await page.reload()
    await page.getByText('Nonce').first().waitFor()
    expect(await selectedTab(page).textContent()).toBe('State')
    await page.goBack()
    await expect.poll(() => selectedTab(page).textContent()).toContain('Events')
    await page.goBack()
    await expect.poll(() => selectedTab(page).textContent()).toBe('Overview')
    await page.goForward()
    await expect.poll(() => selectedTab(page).textContent()).toContain('Events')
    await context.close()
  })

  test('the history of an account has pages and directions, which the address keeps', async () => {
    for (const look of [...LOOKS, PHONE_DARK]) {
      const { page, context, watched } = await explorer.open(
        `/address/${sender}?tab=transactions`,
        look,
      )
      await page.getByText(`${TRANSACTIONS} sent, 1 received`).waitFor()
      const rows = page.getByRole('region', { name: 'Transactions' }).getByRole('row')
      await expect.poll(() => rows.count()).toBe(26)
      expect.soft(await violationsOf(page), look.name).toEqual([])
      await screenshot(page, `account-history-${look.name}`)
      await page.getByRole('link', { name: /Older/ }).click()
      await page.waitForURL(/before=\d+\.\d+/)
      const older = TRANSACTIONS + 1 - 25 + 1
      await expect.poll(() => rows.count()).toBe(older)
      await page.reload()
      await expect.poll(() => rows.count()).toBe(older)
      await page.getByRole('radio', { name: 'Received' }).check({ force: true })
      await page.waitForURL(/direction=in/)
      await expect.poll(() => rows.count()).toBe(2)
      await page.goBack()
      await expect.poll(() => rows.count()).toBe(older)
      await page.goBack()
      await expect.poll(() => rows.count()).toBe(26)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      const lines = fs
        .readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n')
      expect(lines).toHaveLength(TRANSACTIONS + 1 + 1)
      expect(lines[0]).toMatch(/^hash,block,time/)
      expect.soft(watched.faults, look.name).toEqual([])
      await context.close()
    }
  })

  // Holds D167.
  test('back returns to where one was reading, once the list is there again', async () => {
    const { page, context } = await explorer.open(`/address/${sender}`, {
      width: 1280,
      height: 500,
    })
    await page.getByRole('link', { name: /Older/ }).waitFor()
    const last = page.locator(`a[href^="/tx/"]`).last()
    await last.scrollIntoViewIfNeeded()
    const read = async () => await page.evaluate<number>('window.scrollY')
    const place = await read()
    expect(place).toBeGreaterThan(100)
    await last.click()
    await page.getByRole('heading', { name: /Transaction/ }).waitFor()
    expect(await read()).toBe(0)
    await page.goBack()
    await expect.poll(read).toBe(place)
    await page.reload()
    await expect.poll(read).toBe(place)
    await context.close()
  })
})
