import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { hasBrowser, openExplorer, screenshot, type Explorer } from '../support/browser.ts'
import { seedChain, type ExplorerChain } from '../support/explorerChain.ts'
import { testWallet } from '../support/testWallet.ts'

describe.skipIf(!hasBrowser)('a contract in the explorer', () => {
  let explorer: Explorer
  let chain: ExplorerChain

  beforeAll(async () => {
    explorer = await openExplorer()
    chain = await seedChain(explorer.up)
  })

  afterAll(() => explorer.close())

  const file = (name: string, content: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  })

  const giveAbi = (page: Page) =>
    page
      .getByLabel(/ABI, or a compiler/)
      .setInputFiles(file('abi.json', JSON.stringify({ abi: chain.abi })))

  const unfold = async (page: Page, name: string) => {
    const group = page.locator('details.function', { hasText: new RegExp(`^${name}`) })
    await group.locator('summary').click()
    return group
  }

  test('is read by its ABI, and written to with a wallet of the browser', async () => {
    const { up } = explorer
    const [owner, friend] = up.accounts
    const { page, context, watched } = await explorer.open('/')
    await page.addInitScript(testWallet(up.rpc, owner?.address ?? ''))
    await page.goto(explorer.url(`/account/${chain.token}`))
    await giveAbi(page)

    const send = await unfold(page, 'transfer')
    await send.getByLabel(/^to/).fill(friend?.address ?? '')
    await send.getByLabel(/^value/).fill('1_500_000')
    await send.getByRole('button', { name: 'Send' }).click()
    const sent = send.getByRole('link')
    await sent.waitFor()
    await screenshot(page, 'contract-written')
    await sent.click()
    await page.locator('.title').getByText('success').waitFor()
    // The name comes from the ABI now, so nothing is guessed.
    await page.getByText('transfer').first().waitFor()
    expect(await page.getByText('guessed').count()).toBe(0)

    await page.goBack()
    const read = await unfold(page, 'balanceOf')
    await read.getByRole('textbox').fill(friend?.address ?? '')
    await read.getByRole('button', { name: 'Query' }).click()
    await read.getByText('4000000').waitFor()
    await read.getByRole('textbox').fill('0x12')
    await read.getByRole('button', { name: 'Query' }).click()
    await read.getByText('expected an address').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('says by its own errors why a call was reverted', async () => {
    const { page, context } = await explorer.open(`/account/${chain.token}`)
    await giveAbi(page)
    await page.getByText('Write').waitFor()
    await page.goto(explorer.url(`/tx/${chain.reverted}`))
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByText('Poor').waitFor()
    await page.getByText('wants').waitFor()
    await context.close()
  })

  test('is verified by its sources, compiled in the page; other sources are refused', async () => {
    const { page, context, watched } = await explorer.open(`/account/${chain.token}`)
    const sources = page.getByLabel(/solc standard JSON/)
    const input = JSON.parse(chain.input)
    const [name] = Object.keys(input.sources)
    const other = structuredClone(input)
    other.sources[name!].content = other.sources[name!].content.replace(
      'decimals = 6',
      'decimals = 7',
    )
    await sources.setInputFiles(file('other.json', JSON.stringify(other)))
    await page.getByText('Not verified').waitFor({ timeout: 60_000 })
    await sources.setInputFiles(file('input.json', chain.input))
    await page.getByText('byte for byte').waitFor({ timeout: 60_000 })
    await page.getByText('source verified in this browser').waitFor()
    await screenshot(page, 'contract-verified')
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('with a hostile name, symbol and memo is shown harmlessly', async () => {
    const { page, context, watched } = await explorer.open(`/account/${chain.token}`)
    await giveAbi(page)
    const name = await unfold(page, 'name')
    await name.getByRole('button', { name: 'Query' }).click()
    await name.getByText('<script>window.hacked=1</script>').waitFor()
    const memo = await unfold(page, 'memo')
    await memo.getByRole('button', { name: 'Query' }).click()
    await memo.getByText('1,000,000 characters').waitFor()
    expect((await memo.locator('pre').innerText()).length).toBeLessThan(2100)
    await memo.getByRole('button', { name: /Show the first/ }).click()
    await expect
      .poll(async () => (await memo.locator('pre').innerText()).length)
      .toBeGreaterThan(40_000)
    await screenshot(page, 'contract-hostile')

    await page.goto(explorer.url(`/account/${explorer.up.accounts[0]?.address}`))
    await page.getByRole('tab', { name: 'Tokens' }).click()
    // The mark that turns the direction, and the zero character, are written out.
    await page.getByText('AG\\u{202e}gnp\\u{0}').first().waitFor()
    await page.goto(explorer.url(`/tx/${chain.nested}`))
    await page.getByRole('tab', { name: 'Events' }).click()
    await page
      .getByText('Rung')
      .or(page.getByText('The signature of this event is unknown'))
      .first()
      .waitFor()
    await screenshot(page, 'events-hostile')
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(await page.evaluate('document.querySelectorAll("main script, main img").length')).toBe(0)
    expect(watched.faults).toEqual([])
    await context.close()
  })
})
