import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { eventually, post } from '../support/assay.ts'
import {
  hasBrowser,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'

type Bundle = { answers: { output: string; anchor?: { proof?: unknown } }[] }

describe.skipIf(!hasBrowser)('the job console', () => {
  let explorer: Explorer

  beforeAll(async () => {
    explorer = await openExplorer()
  })

  afterAll(() => explorer.close())

  async function submit(page: Page, prompt: string, token: string): Promise<void> {
    await page.getByLabel('Prompt').fill(prompt)
    await page.getByLabel('Max tokens').fill('24')
    await page.getByLabel('Project', { exact: true }).fill(explorer.up.project)
    await page.getByLabel('API token').fill(token)
    await page.getByRole('button', { name: 'Submit' }).click()
  }

  test('submits a job, follows it, and shows answer, selection and causal order', async () => {
    const { up } = explorer
    const { page, context, watched } = await explorer.open('/jobs')
    await submit(page, 'What is an assay?', up.token)
    await page.waitForURL(/\/job\/[0-9a-f]{64}$/)
    await page.getByText('drew and was selected').waitFor({ timeout: 60_000 })
    await page.locator('.step-completed').waitFor()
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await verdict.getByText('Re-executed').waitFor()
    await page.getByText('Selected in 100 % of draws').waitFor()
    await page.getByRole('img', { name: /answered/ }).waitFor()
    await screenshot(page, 'job-submitted')
    // The token is in no URL, and nothing of it is kept.
    expect(page.url()).not.toContain(up.token)
    expect(
      await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(up.token)
    // It is verified without being asked, until the chain has its receipt.
    await verdict.locator('.seal-reached', { hasText: 'Anchored' }).waitFor({ timeout: 60_000 })
    await page.getByText(/^\d+ checks passed/).click()
    await page.getByText('the prompt is the one you gave').waitFor()
    // What this browser trusts lights the next step, now and for other jobs.
    expect(await verdict.locator('.seal-reached', { hasText: 'Signed' }).count()).toBe(0)
    await verdict.getByRole('button', { name: /Trust dispatcher/ }).click()
    await verdict.locator('.seal-reached', { hasText: 'Signed' }).waitFor()
    await page.reload()
    await verdict.locator('.seal-reached', { hasText: 'Signed' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await screenshot(page, 'job-receipt')
    await verdict.getByRole('button', { name: /No longer trust/ }).click()
    await verdict.locator('.seal-open', { hasText: 'Signed' }).waitFor()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByText('Jobs submitted in this browser').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('checks a receipt from a file up to a signed header, and refuses one that was touched', async () => {
    const { up } = explorer
    const submitted = await post(`${up.dispatcher}/api/job/submit`, {
      from: up.project,
      user: 'u',
      verify: up.token,
      job: { tag: 'tee', prompt: 'Hello', model: up.models[0], params: { max_tokens: 8 } },
    })
    // The root is anchored a few seconds after the answer.
    const bundle = await eventually(async () => {
      const url = `${up.dispatcher}/api/job/receipt/${String(submitted.body.result)}`
      const { result } = (await (await fetch(url)).json()) as { result?: Bundle }
      return result?.answers[0]?.anchor?.proof === undefined ? undefined : result
    }, 60)
    const { page, context, watched } = await explorer.open('/jobs')
    const give = (json: unknown) =>
      page.getByLabel(/A receipt bundle/).setInputFiles({
        name: 'receipt.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(json)),
      })
    await give(bundle)
    await page.getByText('Nothing failed').waitFor()
    await page.getByText('Anchored', { exact: true }).waitFor()
    await page.getByText('Software only, insecure').waitFor()
    await page.getByText(/^\d+ checks passed/).click()
    await page.getByText('it is the header you trust').waitFor()
    await screenshot(page, 'receipt-file')
    const touched = structuredClone(bundle)
    touched.answers[0]!.output += '!'
    await give(touched)
    await page.getByText('Not proven').waitFor()
    await page.getByText('Untrusted', { exact: true }).waitFor()
    await give({ format: '<script>' })
    await page.getByText('this is not a receipt bundle').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  // Holds D169.
  test('an answer that a server changed on its way is not proven, whatever it says about itself', async () => {
    const { up } = explorer
    const submitted = await post(`${up.dispatcher}/api/job/submit`, {
      from: up.project,
      user: 'u',
      verify: up.token,
      job: { tag: 'opml', prompt: 'Hello', model: up.models[0], params: { max_tokens: 8 } },
    })
    const { page, context } = await explorer.open('/')
    await page.route(`${up.dispatcher}/api/job/receipt/**`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replace('"output":"', '"output":"Trust me. '),
      })
    })
    await page.goto(explorer.url(`/job/${String(submitted.body.result)}`))
    await page.getByRole('alert').getByText('Not proven').first().waitFor()
    expect(await page.locator('.seal-reached').count()).toBe(0)
    await context.close()
  })

  test('a job that is not there is said to be unknown, and nothing else is drawn', async () => {
    const { page, context } = await explorer.open(`/job/${'ab'.repeat(32)}`)
    await page.getByText('is unknown to this node').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0)
    await context.close()
  })

  test('says why a job is refused', async () => {
    const { page, context } = await explorer.open('/jobs')
    await submit(page, 'Hello', 'wrong')
    await page.getByText('requires a valid project token').waitFor()
    expect(page.url()).toMatch(/\/jobs$/)
    await context.close()
  })

  test('a hostile prompt of nearly a megabyte is shown harmlessly', async () => {
    const { page, context, watched } = await explorer.open('/jobs')
    const prompt = `<script>window.hacked=1</script>\u202e\u2066<img src=x onerror=alert(1)> ${'ab '.repeat(300_000)}`
    await submit(page, prompt, explorer.up.token)
    await page.waitForURL(/\/job\/[0-9a-f]{64}$/)
    await page.getByText('characters.').first().waitFor()
    const shown = await page.getByRole('region', { name: 'Prompt' }).innerText()
    expect(shown.length).toBeLessThan(2100)
    expect(shown).toContain('<script>window.hacked=1</script>\\u{202e}\\u{2066}<img')
    await screenshot(page, 'job-hostile')
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    expect(watched.faults).toEqual([])
    await context.close()
  })
})
