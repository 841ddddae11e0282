/** Debian's Chromium and the explorer of a running system, for tests that use it as people do. */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { newHome, startAssay, type Running, type UpFile } from './assay.ts'

const EXECUTABLE = process.env['ASSAY_CHROMIUM'] ?? '/usr/bin/chromium'

/** Whether there is a browser. Without one the tests are skipped with a notice; in CI that is a failure. */
export const hasBrowser = fs.existsSync(EXECUTABLE)
if (!hasBrowser && process.env['CI'] === 'true')
  throw new Error(`${EXECUTABLE} is not there: apt-get install chromium`)
if (!hasBrowser)
  console.warn(`Skipped: ${EXECUTABLE} is not there. To enable: apt-get install chromium`)

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Folder of the screenshots, for inspection. */
const SCREENSHOTS = path.resolve(import.meta.dirname, '..', '..', '.setup', 'screenshots')

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export type Look = {
  readonly name: string
  readonly scheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/** How pages are looked at. */
export const LOOKS: readonly Look[] = [
  { name: 'light', scheme: 'light', width: 1280, height: 900 },
  { name: 'dark', scheme: 'dark', width: 1280, height: 900 },
  { name: 'phone', scheme: 'light', width: 390, height: 844 },
]

/** Messages and requests of pages during a test. */
export type Watched = {
  /** Errors of scripts, and what the content-security policy refused. */
  readonly faults: string[]
  /** Origins that requests went to. */
  readonly origins: Set<string>
}

/** A browser for one explorer. */
export type Visitor = {
  readonly browser: Browser
  /** The explorer's URL with a path. */
  url(path: string): string
  /** A new page of its own context; `watched` tells what it does. */
  open(
    path: string,
    look?: Partial<Look>,
  ): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly watched: Watched }>
  close(): Promise<void>
}

export type Explorer = Visitor & { readonly up: UpFile }

function watch(page: Page, watched: Watched): void {
  page.on('pageerror', (error) => watched.faults.push(error.message))
  page.on('console', (message) => {
    // A 404 of an API is a valid response; the browser also logs it to the console.
    if (message.type() === 'error' && !message.text().includes('404'))
      watched.faults.push(message.text())
  })
  page.on('request', (request) => watched.origins.add(new URL(request.url()).origin))
  page.on('websocket', (socket) => watched.origins.add(new URL(socket.url()).origin))
  page.on('dialog', (dialog) => {
    watched.faults.push(`a dialog said ${dialog.message()}`)
    void dialog.dismiss()
  })
}

/** Starts a browser for the explorer at a URL. */
export async function visit(base: string): Promise<Visitor> {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS })
  return {
    browser,
    url: (target) => base + target,
    async open(target, look = {}) {
      const { scheme = 'light', width = 1280, height = 900 } = look
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      const watched: Watched = { faults: [], origins: new Set() }
      watch(page, watched)
      await page.goto(base + target)
      return { page, context, watched }
    },
    close: () => browser.close(),
  }
}

/** Starts a system and a browser. */
export async function openExplorer(args: readonly string[] = []): Promise<Explorer> {
  const home = newHome()
  const system: Running = await startAssay(home, args)
  const visitor = await visit(system.up.explorer ?? '')
  return {
    ...visitor,
    up: system.up,
    async close() {
      await visitor.close()
      await system.stop()
      fs.rmSync(path.dirname(home), { recursive: true, force: true })
    },
  }
}

/** Saves a screenshot of the whole page. */
export async function screenshot(page: Page, name: string): Promise<void> {
  fs.mkdirSync(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] }

/** The violations that axe finds on a page, one line per rule. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  // Through the debugger: the page's own policy lets no foreign script in.
  await page.evaluate(fs.readFileSync(AXE, 'utf8'))
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: { run(): Promise<{ readonly violations: readonly Violation[] }> }
    }
    return (await axe.run()).violations
  })
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  )
}
