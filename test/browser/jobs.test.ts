import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { hasBrowser, openExplorer, screenshot, type Explorer } from '../support/browser.ts'

describe.skipIf(!hasBrowser)('the job console', () => {
  let explorer: Explorer

  beforeAll(async () => {
    explorer = await openExplorer()
  })

  afterAll(() => explorer.close())

  async function submit(page: Page, prompt: string, token: string): Promise<void> {
    await page.getByLabel('Prompt').fill(prompt)
    await page.getByLabel('Most tokens').fill('24')
    await page.getByLabel('Project', { exact: true }).fill(explorer.up.project)
    await page.getByLabel('Token of the project').fill(token)
    await page.getByRole('button', { name: 'Submit' }).click()
  }

  test('submits a job, follows it, and shows answer, selection and causal order', async () => {
    const { up } = explorer
    const { page, context, watched } = await explorer.open('/jobs')
    await submit(page, 'What is an assay?', up.token)
    await page.waitForURL(/\/job\/[0-9a-f]{64}$/)
    await page.getByText('drew, and was selected').waitFor({ timeout: 60_000 })
    await page.locator('.step-completed').waitFor()
    await page.getByText('Re-executable', { exact: true }).waitFor()
    await page.getByText('Selected with 100 % of all draws').waitFor()
    await page.getByRole('img', { name: /answered/ }).waitFor()
    await screenshot(page, 'job-submitted')
    // The token is in no URL, and nothing of it is kept.
    expect(page.url()).not.toContain(up.token)
    expect(
      await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(up.token)
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByText('Jobs of this browser').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('says why a job is refused', async () => {
    const { page, context } = await explorer.open('/jobs')
    await submit(page, 'Hello', 'wrong')
    await page.getByText(/token/i).last().waitFor()
    await expect.poll(() => page.locator('output.problem').innerText()).not.toBe('')
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
