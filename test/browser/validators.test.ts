/** A network that others can join: needs CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { hasBrowser, screenshot, violationsOf, visit, type Visitor } from '../support/browser.ts'
import { hasCometbft } from '../support/cometbft.ts'
import { developmentKeys } from '../../src/accounts/development.ts'
import { ed25519Signer, type Ed25519Signer } from '../../src/base/ed25519.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { keyProofMessage } from '../../src/chain/staking/keyProof.ts'
import { startStakingNetwork, type StakingNetwork } from '../support/stakingNetwork.ts'
import { testWallet } from '../support/testWallet.ts'

const isPresent = hasBrowser && hasCometbft()
if (hasBrowser && !isPresent)
  console.warn('skipped: no cometbft 0.38.25 in the PATH (set ASSAY_COMETBFT)')

const accounts = developmentKeys().map((key) => toHex(addressOfPrivateKey(key)))
const [operator = '', delegator = ''] = accounts
/** No node has these keys: this validator never signs. */
const [first, second] = [7, 8].map((byte) => ed25519Signer(new Uint8Array(32).fill(byte))) as [
  Ed25519Signer,
  Ed25519Signer,
]
const KEY = Buffer.from(first.publicKey).toString('base64')
/** What `assay node prove-key` prints. */
function proofOf({ publicKey, sign }: Ed25519Signer): string {
  const signature = sign(keyProofMessage(271_828n, fromHex(operator)))
  return [publicKey, signature.subarray(0, 32), signature.subarray(32)].map(toHex).join(' ')
}

describe.skipIf(!isPresent)('validators in the explorer', () => {
  let network: StakingNetwork | undefined
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    network = await startStakingNetwork()
    visitor = await visit(network.explorer)
    const opened = await visitor.open('/')
    page = opened.page
    await page.addInitScript(testWallet(network.rpc, operator))
  })

  afterAll(async () => {
    await visitor?.close()
    await network?.stop()
  })

  const form = (title: string) => page.getByRole('form', { name: title, exact: true })
  const connect = async () => {
    await page.getByRole('button', { name: /^Connect/ }).click()
    await page.getByText('Connected as').waitFor()
  }
  const submit = async (title: string, fields: Readonly<Record<string, string>> = {}) => {
    for (const [label, text] of Object.entries(fields))
      await form(title).getByLabel(label).fill(text)
    await form(title).getByRole('button').click()
  }
  const done = (title: string) => form(title).getByText('Mined in block').waitFor()

  test('names that are scripts are shown as what they are', async () => {
    await page.goto(visitor.url('/network'))
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    await page.getByText('\\u{202e}evil').first().waitFor()
    await page.getByRole('tab', { name: 'Node and chain' }).click()
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    expect(await page.evaluate('document.querySelectorAll("main img").length')).toBe(0)
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'network-hostile')
  })

  test('an account becomes a validator on the page, and joins the set', async () => {
    await page.goto(visitor.url('/network'))
    await page.getByRole('tab', { name: 'Your stake' }).click()
    await connect()
    const title = 'Become a validator'
    await submit(title)
    await form(title).getByText('Enter the Ed25519 key').waitFor()
    await submit(title, {
      'Ed25519 public key of the node': KEY,
      'First stake': '0.5',
      'Commission, in percent': '5',
    })
    await form(title).getByText('At least 1 is required.').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'validator-create')
    await submit(title, { 'First stake': '2' })
    await form(title).getByText('Prove first that this account has the key.').waitFor()
    await submit('Prove the key', { Proof: proofOf(second).replace(/.$/, '0') })
    await form('Prove the key').getByText('This proof is not for this account').waitFor()
    await submit('Prove the key', { Proof: proofOf(first) })
    await done('Prove the key')
    await submit(title)
    await page.locator('td', { hasText: /^(?:2|1.98) ASSAY/ }).waitFor()
    await page.getByRole('tab', { name: 'Validators' }).click()
    await page.getByText('2 validators').waitFor()
    await screenshot(page, 'network-two')
  })

  test('it is absent: jailed, slashed, and back by its operator’s hand', async () => {
    await page.goto(visitor.url(`/validator/${operator}`))
    await connect()
    await page.getByText('It missed more than 40 of 80 blocks').waitFor({ timeout: 120_000 })
    await page.getByText('1.0 % of delegated stake').waitFor()
    await page.getByText('Its operator can unjail it now.').waitFor()
    await page.locator('td', { hasText: 'Slashed by 0.02 ASSAY' }).waitFor()
    await page.locator('td', { hasText: /^Jailed$/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'validator-jailed')
    await submit('Unjail')
    await page.getByText('Unjailed', { exact: true }).last().waitFor()
    await page.locator('td', { hasText: 'Unjailed' }).waitFor({ timeout: 20_000 })
  })

  test('its operator changes commission, reward address and key', async () => {
    await page.goto(visitor.url(`/validator/${operator}`))
    await connect()
    await submit('Commission', { 'Commission, in percent': '7' })
    await form('Commission')
      .getByText('The commission can change by at most 1 % at a time.')
      .waitFor()
    await submit('Commission', { 'Commission, in percent': '6' })
    await done('Commission')
    await page.getByText('6 %; at most 20 %').waitFor()
    await submit('Reward address', { Address: delegator })
    await done('Reward address')
    await submit('Consensus key', { 'Ed25519 public key': KEY })
    await form('Consensus key').getByText('Each key can be used once.').waitFor()
    await submit('Prove the key', { Proof: proofOf(second) })
    await done('Prove the key')
    await submit('Consensus key', { 'Ed25519 public key': toHex(second.publicKey) })
    await done('Consensus key')
    await page.locator('td', { hasText: 'Consensus key changed' }).waitFor()
  })

  test('stake moves from one validator to the other, and what was taken out is paid', async () => {
    await page.goto(visitor.url('/network'))
    await page.getByRole('link', { name: /^0x/ }).first().waitFor()
    const paths = await page
      .locator('a[href^="/validator/"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    const first = paths.find((each) => each !== `/validator/${operator}`) ?? ''
    await page.goto(visitor.url(first))
    await connect()
    await page.evaluate(`switchAccount(${JSON.stringify(delegator)})`)
    await submit('Delegate', { Amount: '4' })
    await done('Delegate')
    await page.locator('dd', { hasText: /^4 ASSAY/ }).waitFor()
    await submit('Redelegate', { Amount: '1' })
    await done('Redelegate')
    await page.locator('td', { hasText: 'moved 1 ASSAY to' }).waitFor()
    await submit('Undelegate', { Amount: '3' })
    await done('Undelegate')
    await submit('Rewards')
    await done('Rewards')
    await screenshot(page, 'validator-moved')

    await page.goto(visitor.url('/network'))
    await page.getByRole('tab', { name: 'Your stake' }).click()
    await connect()
    await page.evaluate(`switchAccount(${JSON.stringify(delegator)})`)
    const payment = page.getByRole('form', { name: /^Withdrawal/ })
    await payment.waitFor()
    await expect
      .poll(
        async () => {
          if ((await payment.count()) === 0) return 'paid'
          await payment.getByRole('button').click()
          return 'waiting'
        },
        { timeout: 30_000, interval: 1000 },
      )
      .toBe('paid')
    await page.getByText('Nothing is unbonding.').waitFor()
  })
})
