import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  hasBrowser,
  LOOKS,
  openExplorer,
  screenshot,
  violationsOf,
  type Explorer,
} from '../support/browser.ts'

const LOOKED_AT = [
  ...LOOKS,
  { name: 'phone-dark', scheme: 'dark', width: 390, height: 844 },
] as const
const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u2066 [x](javascript:alert(1))'

describe.skipIf(!hasBrowser)('the console for answers', () => {
  let explorer: Explorer
  let fragment: string

  beforeAll(async () => {
    explorer = await openExplorer()
    const { project, token } = explorer.up
    fragment = new URLSearchParams({ project, token }).toString()
  })

  afterAll(() => explorer.close())

  async function ask(page: Page, text: string, tokens = 16): Promise<void> {
    await page.getByLabel('Message').fill(text)
    if (!(await page.getByLabel('Max tokens').isVisible()))
      await page.getByText('Parameters').click()
    await page.getByLabel('Max tokens').fill(String(tokens))
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
  }

  // Holds D168.
  test('the link of the banner logs in, and its token is nowhere afterwards', async () => {
    const { up } = explorer
    const { page, context, watched } = await explorer.open(`/jobs#${fragment}`)
    await page.getByText('Forget the token').waitFor()
    expect(page.url()).toBe(explorer.url('/jobs'))
    expect(await page.getByLabel('API token').count()).toBe(0)
    await page.getByRole('link', { name: 'Chat' }).click()
    await page.getByLabel('Message').waitFor()
    await page.goBack()
    await page.getByText('Forget the token').waitFor()
    expect(page.url()).toBe(explorer.url('/jobs'))
    expect(
      await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
      ),
    ).not.toContain(up.token)
    expect(await page.evaluate<number>('history.length')).toBeLessThanOrEqual(3)
    // It is gone with the page.
    await page.reload()
    await page.getByLabel('API token').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('a question is answered as it streams, and the answer verified; a reload keeps both', async () => {
    const { page, context, watched } = await explorer.open(`/chat#${fragment}`)
    await ask(page, `What is an assay? ${HOSTILE}`)
    await page.waitForURL(/\/chat\?c=[0-9a-z]+$/)
    const answer = page.getByRole('article', { name: 'Answer' })
    await answer
      .locator('.seal-reached', { hasText: 'Anchored' })
      .first()
      .waitFor({ timeout: 60_000 })
    expect((await answer.innerText()).length).toBeGreaterThan(10)
    await page.getByRole('link', { name: 'job', exact: true }).click()
    await page.getByRole('region', { name: 'Verdict' }).waitFor()
    await page.getByRole('region', { name: 'Message 1' }).waitFor()
    await page.getByText(/^\d+ checks passed/).click()
    await page.getByText('the prompt is the one you gave').waitFor()
    await page.goBack()
    // The second question carries the first one along.
    await ask(page, 'And why?')
    await expect.poll(() => page.locator('.turn-answer .seal, .turn-answer button').count()).toBe(2)
    const bodies: string[] = []
    page.on('request', (request) => bodies.push(request.postData() ?? ''))
    await page.getByLabel('Instructions').fill('Be brief.')
    await page.getByRole('button', { name: 'Ask again with these' }).click()
    await expect.poll(() => bodies.find((each) => each.includes('"stream":true'))).toBeDefined()
    const { messages } = JSON.parse(bodies.find((each) => each.includes('"stream":true')) ?? '{}')
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ])
    await expect.poll(() => page.locator('.turn-answer .seal').count()).toBeGreaterThan(0)
    await page.reload()
    await page.getByText('And why?').first().waitFor()
    // Prompts are text: no markup of theirs is one of the page.
    expect(await page.locator('.turn img, .turn a[href^="javascript"]').count()).toBe(0)
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('an answer can be stopped, and says that nobody signed it', async () => {
    const { up } = explorer
    const { page, context } = await explorer.open(`/chat#${fragment}`)
    // Held back, so that it is still on its way.
    await page.route(`${up.dispatcher}/v1/chat/completions`, () => undefined)
    await ask(page, 'Count to a million', 64)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped before its end').waitFor()
    await page.getByRole('button', { name: 'Ask', exact: true }).waitFor()
    await context.close()
  })

  test('a model of any name can be asked for, and what the network says of it is shown', async () => {
    const { page, context } = await explorer.open(`/chat#${fragment}`)
    await page.getByLabel('Model').fill('hf.co/org/some-model:Q4_K_M')
    await ask(page, 'Hello')
    await page
      .getByRole('alert')
      .getByText(/hf\.co\/org\/some-model:Q4_K_M/)
      .waitFor()
    await context.close()
  })

  test('jobs are listed with filters and pages in the address, live', async () => {
    const { up } = explorer
    const { page, context, watched } = await explorer.open(`/jobs?tab=all-jobs#${fragment}`)
    const rows = page.getByRole('region', { name: 'Jobs', exact: true }).getByRole('row')
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    const before = await rows.count()
    const submit = (user: string) =>
      fetch(`${up.dispatcher}/api/job/submit`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${up.token}` },
        body: JSON.stringify({
          from: up.project,
          user,
          job: { tag: 'opml', prompt: 'Hi', model: up.models[0], params: { max_tokens: 2 } },
        }),
      })
    await submit('<b>ann</b>')
    await expect.poll(() => rows.count()).toBe(before + 1)
    await page.getByLabel('User').fill('<b>ann</b>')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL(/user=/)
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByLabel('State').selectOption('expired')
    await page.getByText('No such jobs.').waitFor()
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByLabel('User').inputValue()).toBe('<b>ann</b>')
    await page.getByLabel('User').fill('')
    await page.getByRole('button', { name: 'Filter' }).click()
    for (let at = 0; at < 30; at++) await submit('bob')
    await page.getByRole('link', { name: /Older/ }).click()
    await page.waitForURL(/before=\d+_[0-9a-f]+/)
    await page.getByText('<b>ann</b>').waitFor()
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('both are drawn in each look without findings of axe', async () => {
    for (const look of LOOKED_AT)
      for (const [name, path] of [
        ['chat', '/chat'],
        ['jobs-all', '/jobs?tab=all-jobs'],
      ] as const) {
        const { page, context, watched } = await explorer.open(`${path}#${fragment}`, look)
        await page.getByText('Forget the token').waitFor()
        if (name === 'chat') {
          await ask(page, 'What is an assay?')
          await page.locator('.turn-answer .seal summary').waitFor({ timeout: 60_000 })
          await page.locator('.turn-answer .seal summary').click()
        } else await page.getByRole('region', { name: 'Jobs', exact: true }).waitFor()
        expect.soft(await violationsOf(page), `${name} ${look.name}`).toEqual([])
        expect.soft(watched.faults, `${name} ${look.name}`).toEqual([])
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect.soft(overflow, `${name} ${look.name} scrolls sideways`).toBe(0)
        await screenshot(page, `${name}-${look.name}`)
        await context.close()
      }
  })
})
