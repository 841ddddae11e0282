import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { encodeFunctionData } from 'viem'
import { Staking } from '../../src/generated/contracts.ts'
import { post, rpc } from '../support/assay.ts'
import {
  hasBrowser,
  LOOKS,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'
import { seedChain, type ExplorerChain } from '../support/explorerChain.ts'

const STAKING = '0x0000000000000000000000000000000000001001'

describe.skipIf(!hasBrowser)('the explorer', () => {
  let explorer: Explorer
  let chain: ExplorerChain
  let job: string
  let operator: string

  beforeAll(async () => {
    explorer = await openExplorer()
    chain = await seedChain(explorer.up)
    const { up } = explorer
    const data = encodeFunctionData({ abi: Staking.abi, functionName: 'validatorSet' })
    const set = await rpc(up.rpc, 'eth_call', [{ to: STAKING, data }, 'latest'])
    operator = `0x${String(set.result).slice(-40)}`
    const submitted = await post(`${up.dispatcher}/api/job/submit`, {
      from: up.project,
      user: 'u',
      verify: up.token,
      job: {
        tag: 'opml',
        prompt: 'What is an assay?',
        model: up.models[0],
        params: { max_tokens: 16 },
      },
    })
    job = String(submitted.body.result)
  })

  afterAll(() => explorer.close())

  const tab = (name: string) => async (page: Page) => {
    await page.getByRole('tab', { name }).click()
  }
  const proof = (name: string) => async (page: Page) => {
    await tab('Proof')(page)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Proven in this page').waitFor()
    await page.getByText(name).first().waitFor()
  }

  /** Every page: its path, what is done there, and a text that shows that it is drawn. */
  const pages: readonly {
    readonly name: string
    readonly path: () => string
    readonly act?: (page: Page) => Promise<void>
    readonly shows: () => string
  }[] = [
    { name: 'now', path: () => '/', shows: () => 'Transactions per second' },
    { name: 'block', path: () => `/block/${chain.transferBlock}`, shows: () => 'State root' },
    {
      name: 'block-transactions',
      path: () => `/block/${chain.transferBlock}`,
      act: tab('Transactions'),
      shows: () => 'transfer',
    },
    {
      name: 'block-consensus',
      path: () => `/block/${chain.transferBlock}`,
      act: tab('Consensus'),
      shows: () => 'decided in the first round',
    },
    {
      name: 'block-proof',
      path: () => `/block/${chain.transferBlock}`,
      act: proof('App hash'),
      shows: () => 'without trusting a server',
    },
    { name: 'transaction', path: () => `/tx/${chain.transfer}`, shows: () => 'guessed' },
    {
      name: 'transaction-events',
      path: () => `/tx/${chain.transfer}`,
      act: tab('Events'),
      shows: () => 'Token transfers',
    },
    {
      name: 'transaction-calls',
      path: () => `/tx/${chain.nested}`,
      act: tab('Calls'),
      shows: () => 'execution reverted',
    },
    {
      name: 'transaction-reverted',
      path: () => `/tx/${chain.reverted}`,
      act: tab('Calls'),
      shows: () => 'Revert reason',
    },
    {
      name: 'transaction-state',
      path: () => `/tx/${chain.nested}`,
      act: tab('State'),
      shows: () => 'Nonce',
    },
    {
      name: 'transaction-proof',
      path: () => `/tx/${chain.transfer}`,
      act: proof('Consensus hash'),
      shows: () => 'contains the hash of the receipt',
    },
    {
      name: 'account',
      path: () => `/address/${explorer.up.accounts[0]?.address}`,
      shows: () => '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    },
    {
      name: 'account-tokens',
      path: () => `/address/${explorer.up.accounts[0]?.address}`,
      act: tab('Tokens'),
      shows: () => '999,997.5',
    },
    {
      name: 'account-internal',
      path: () => `/address/${chain.token}`,
      act: async (page) => {
        await tab('Internal')(page)
        await page.getByRole('button', { name: 'Search' }).click()
      },
      shows: () => '0.05 ASSAY',
    },
    {
      name: 'account-proof',
      path: () => `/address/${chain.token}`,
      act: proof('Code hash'),
      shows: () => 'state trie nodes',
    },
    { name: 'contract', path: () => `/address/${chain.token}`, shows: () => 'bytes' },
    {
      name: 'contract-genesis',
      path: () => `/address/${STAKING}`,
      shows: () => 'in genesis',
    },
    {
      name: 'account-stake',
      path: () => `/address/${operator}`,
      act: tab('Stake'),
      shows: () => '10 ASSAY',
    },
    { name: 'network', path: () => '/network', shows: () => '1 validator' },
    {
      name: 'network-stake',
      path: () => '/network',
      act: tab('Your stake'),
      shows: () => 'To send transactions',
    },
    {
      name: 'network-operators',
      path: () => '/network',
      act: tab('Operators'),
      shows: () => 'No operators are registered',
    },
    {
      name: 'network-node',
      path: () => '/network',
      act: tab('Node and chain'),
      shows: () => 'up to date',
    },
    {
      name: 'validator',
      path: () => `/validator/${operator}`,
      shows: () => 'It votes on blocks',
    },
    { name: 'jobs', path: () => '/jobs', shows: () => 'Submit a job' },
    { name: 'job', path: () => `/job/${job}`, shows: () => 'Causal order' },
    { name: 'unknown', path: () => '/what/ever', shows: () => 'is unknown to this node' },
  ]

  for (const look of LOOKS)
    test(`each page is drawn, keeps to its addresses and passes axe (${look.name})`, async () => {
      const { up } = explorer
      const allowed = [explorer.url('/'), up.rpc, up.ws, up.comet, up.dispatcher].map(
        (url) => new URL(url).origin,
      )
      for (const { name, path, act, shows } of pages) {
        const { page, context, watched } = await explorer.open(path(), look)
        await act?.(page)
        await page.getByText(shows()).first().waitFor()
        expect.soft(await violationsOf(page), name).toEqual([])
        expect.soft(watched.faults, name).toEqual([])
        for (const origin of watched.origins) expect(allowed, name).toContain(origin)
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect.soft(overflow, `${name} scrolls sideways`).toBe(0)
        await screenshot(page, `${name}-${look.name}`)
        await context.close()
      }
    })

  test('a search finds blocks, transactions by either hash, addresses and jobs', async () => {
    const { up } = explorer
    const raw = await rpc(up.rpc, 'debug_getRawTransaction', [chain.transfer])
    const bytes = Buffer.from(String(raw.result).slice(2), 'hex')
    const consensusHash = createHash('sha256').update(bytes).digest('hex').toUpperCase()
    const { page, context } = await explorer.open('/')
    // No two after each other lead to the same page, for arriving there is what is awaited.
    const found: readonly (readonly [string, string])[] = [
      [String(chain.transferBlock), `/block/${chain.transferBlock}`],
      [chain.transfer, `/tx/${chain.transfer}`],
      [chain.token, `/address/${chain.token}`],
      [consensusHash, `/tx/${chain.transfer}`],
      [job, `/job/${job}`],
    ]
    await page.getByRole('searchbox').waitFor()
    for (const [text, path] of found) {
      // The way of the keyboard.
      await page.keyboard.press('/')
      await page.keyboard.insertText(text)
      await page.keyboard.press('Enter')
      await page.waitForURL(explorer.url(path))
    }
    await page.getByRole('searchbox').fill('nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('No results.').waitFor()
    await context.close()
  })

  test('a proof is refused when a server lies', async () => {
    const { page, context } = await explorer.open('/network')
    await page.route(`${explorer.up.rpc}/**`, async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      const isProof = route.request().postData()?.includes('eth_getProof') === true
      await route.fulfill({
        response,
        body: isProof ? text.replace(/"balance":"0x\w+"/, '"balance":"0xffffffff"') : text,
      })
    })
    await page.goto(explorer.url(`/address/${chain.token}`))
    await page.getByRole('tab', { name: 'Proof' }).click()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('the balance is not the proven one').waitFor()
    expect(await page.getByText('Proven in this page').count()).toBe(0)
    await screenshot(page, 'proof-refused')
    await context.close()
  })

  test('tabs are moved between with arrows, and a link leads past the head', async () => {
    const { page, context } = await explorer.open(`/tx/${chain.transfer}`)
    await page.getByRole('tab', { name: 'Overview' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Token transfers').waitFor()
    expect(await page.locator(':focus').textContent()).toContain('Events')
    await page.goto(explorer.url('/'))
    await page.getByRole('link', { name: 'Network' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toContain('Skip to content')
    await context.close()
  })
})
