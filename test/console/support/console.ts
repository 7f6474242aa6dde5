import assert from 'node:assert/strict'
import { after } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../../faults/free-port.ts'
import { type RunningTestService, startRunningService } from '../../support/running.ts'
import { startChromium } from './chromium.ts'

export const PHONE = { width: 390, height: 844 }
export const TABLET = { width: 768, height: 1024 }
export const DESKTOP = { width: 1440, height: 900 }

/** The whole service with the console, and a browser. */
export interface ConsoleUnderTest {
  service: RunningTestService
  browser: Browser
  /** Such as `http://localhost:3000`: what a browser opens. */
  origin: string
  /** A browser of its own: no cookies, nothing stored. */
  open(options?: BrowserContextOptions): Promise<Visit>
}

/** One browser with one page, and everything that went wrong in it. */
export interface Visit {
  page: Page
  goto(path: string): Promise<void>
  /** Requests to the API so far: `GET /api/auth/me`. */
  calls: string[]
  /** Fails when the policy was broken, the page threw, or the console of the browser has an error. */
  assertClean(): void
  /** Fails when axe finds anything on the page as it is. */
  assertAccessible(): Promise<void>
  close(): Promise<void>
}

const REPORT = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  window.reportViolation(['policy:', violatedDirective, blockedURI, sample].join(' ')))`

/** For all tests of a file, closed after the last one. The console must be built: `npm run test:console` sees to it. */
export async function useConsole(settings: Record<string, string> = {}): Promise<ConsoleUnderTest> {
  const port = await freePort()
  const service = await startRunningService({ CONSOLE_ENABLED: 'true', PORT: String(port), ...settings })
  const browser = await startChromium().catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  after(async () => {
    await browser.close()
    await service.close()
  })
  const origin = `http://localhost:${port}`
  return { service, browser, origin, open: (options) => open(browser, origin, options) }
}

async function open(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-US', viewport: DESKTOP, reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(15_000)
  const faults: string[] = []
  const calls: string[] = []
  await context.exposeBinding('reportViolation', (_source, violation: string) => void faults.push(violation))
  await context.addInitScript({ content: REPORT })
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // A browser reports each refusal of the API as an error, which it is not for a page that expects it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return {
    page,
    calls,
    goto: async (path) => void (await page.goto(origin + path)),
    assertClean: () => assert.deepEqual(faults, []),
    assertAccessible: () => assertAccessible(page),
    close: () => context.close(),
  }
}

/** Of the component library: they hand the focus on at once, so that it never rests on them. */
const FOCUS_GUARDS = '[data-base-ui-focus-guard]'

async function assertAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).exclude(FOCUS_GUARDS).analyze()
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`),
  )
  assert.deepEqual(found, [], page.url())
}
