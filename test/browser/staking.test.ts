import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { encodeFunctionData, parseEther } from 'viem'
import { OperatorRegistry } from '../../src/generated/contracts.ts'
import {
  hasBrowser,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'
import { send } from '../support/explorerChain.ts'
import { publicKeyOf } from '../../src/base/secp256k1.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { testWallet } from '../support/testWallet.ts'

const REGISTRY = '0x0000000000000000000000000000000000002001'

/** The power of each validator, as consensus tells it. */
async function powers(comet: string): Promise<readonly string[]> {
  const response = await fetch(`${comet}/validators`)
  const { result } = (await response.json()) as {
    result: { validators: readonly { voting_power: string }[] }
  }
  return result.validators.map((each) => each.voting_power)
}

const connect = async (page: Page) => {
  await page.getByRole('button', { name: /^Connect/ }).click()
  await page.getByText('Connected as').waitFor()
}
const form = (page: Page, title: string) => page.getByRole('form', { name: title, exact: true })

describe.skipIf(!hasBrowser)('staking in the explorer', () => {
  let explorer: Explorer

  beforeAll(async () => {
    explorer = await openExplorer()
  })

  afterAll(() => explorer.close())

  const open = async (target: string) => {
    const opened = await explorer.open('/')
    await opened.page.addInitScript(
      testWallet(explorer.up.rpc, explorer.up.accounts[0]?.address ?? ''),
    )
    await opened.page.goto(explorer.url(target))
    return opened
  }

  test('a delegation is made on the page, seen in the set, moved about, and taken out again', async () => {
    const { up } = explorer
    const { page, context, watched } = await open('/network')
    await page.locator('a[href^="/validator/"]').first().click()
    await page.getByText('It votes on blocks').waitFor()
    await connect(page)

    const delegate = form(page, 'Delegate')
    await delegate.getByLabel('Amount').fill('5')
    // The way of the keyboard.
    await page.keyboard.press('Enter')
    await delegate.getByText('Mined in block').waitFor()
    await expect.poll(() => powers(up.comet), { timeout: 15_000 }).toEqual(['15'])
    await page.getByText('delegated', { exact: false }).first().waitFor()
    await page.locator('dd', { hasText: /^5 ASSAY/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'validator-delegated')

    const takeOut = form(page, 'Undelegate')
    await takeOut.getByLabel('Amount').fill('2')
    await takeOut.getByRole('button').click()
    await takeOut.getByText('Mined in block').waitFor()
    await expect.poll(() => powers(up.comet), { timeout: 15_000 }).toEqual(['13'])

    await page.goto(explorer.url('/network'))
    await page.locator('td', { hasText: /^13 100 %/ }).waitFor()
    await page.getByRole('tab', { name: 'Your stake' }).click()
    await connect(page)
    await page.locator('td', { hasText: /^3 ASSAY/ }).waitFor()
    await page.locator('td', { hasText: /^2 ASSAY/ }).waitFor()
    await page.getByText('The set of this chain is closed').waitFor()
    const early = form(page, 'Withdrawal from 0x').or(
      page.getByRole('form', { name: /^Withdrawal/ }),
    )
    await early.getByRole('button').click()
    await early.getByText('It is still unbonding, until').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'stake-of-account')

    await page.goto(explorer.url(`/account/${up.accounts[0]?.address}`))
    await page.getByRole('tab', { name: 'Stake' }).click()
    await page.locator('td', { hasText: /^3 ASSAY/ }).waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('what is wrong is said in words at its field, before the wallet is asked', async () => {
    const { page, context } = await open('/network')
    await page.locator('a[href^="/validator/"]').first().click()
    await connect(page)
    const delegate = form(page, 'Delegate')
    const amount = delegate.getByLabel('Amount')
    await amount.fill('many')
    await delegate.getByRole('button').click()
    await delegate.getByText('Enter an amount in whole units').waitFor()
    expect(await amount.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator(':focus').getAttribute('name')).toBe('amount')
    expect(await violationsOf(page)).toEqual([])
    await amount.fill('999999999')
    await delegate.getByRole('button').click()
    await delegate.getByText(/insufficient funds/).waitFor()
    const rewards = form(page, 'Rewards')
    await page.evaluate(`switchAccount(${JSON.stringify(explorer.up.accounts[5]?.address)})`)
    await rewards.getByRole('button').click()
    await rewards.getByText('There is nothing to withdraw.').waitFor()
    const takeOut = form(page, 'Undelegate')
    await takeOut.getByLabel('Amount').fill('1')
    await takeOut.getByRole('button').click()
    await takeOut.getByText('This account has no stake delegated to this validator.').waitFor()
    await screenshot(page, 'stake-refused')
    await context.close()
  })

  test('an operator of the registry changes its part and takes out stake', async () => {
    const { up } = explorer
    const key = publicKeyOf(fromHex(up.accounts[0]?.privateKey ?? '0x'))
    const half = (from: number, to: number) => toHex(key.subarray(from, to))
    const offset = key.length - 64
    await send(up, {
      to: REGISTRY,
      value: `0x${parseEther('6').toString(16)}`,
      data: encodeFunctionData({
        abi: OperatorRegistry.abi,
        functionName: 'register',
        args: [0, 60_000, 1, half(offset, offset + 32), half(offset + 32, offset + 64)],
      }),
    })
    const { page, context, watched } = await open('/network')
    await page.getByRole('tab', { name: 'Operators' }).click()
    await page.getByText('Selected in 10.0 % of draws.').first().waitFor()
    await connect(page)
    const part = form(page, 'Your selection range')
    await part.getByLabel('To', { exact: true }).fill('120,000')
    await part.getByRole('checkbox', { name: 'tee' }).check()
    await part.getByRole('button').click()
    await part.getByText('The stake would be 6; 12 is required.').waitFor()
    await part.getByLabel('Stake to add').fill('6')
    await part.getByRole('button').click()
    await part.getByText('Mined in block').waitFor()
    await page.getByText('Selected in 20.0 % of draws.').first().waitFor()
    const stake = form(page, 'Stake')
    await stake.getByLabel('Amount').fill('1')
    await stake.getByRole('button').click()
    await stake.getByText('Mined in block').waitFor()
    await page.getByText('stake too low').waitFor()
    const payment = form(page, 'Withdrawal')
    await payment.getByRole('button').click()
    await payment.getByText(/It can be withdrawn from .*\./).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'operators')
    expect(watched.faults).toEqual([])
    await context.close()
  })
})
