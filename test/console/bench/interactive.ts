import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { PHONE, useConsole, type Visit } from '../support/console.ts'
import { signUp } from '../support/people.ts'

// How long pages take until a person can use them: npm run bench:console.

const VISITS = 7
/** Lighthouse's mobile: a processor at a quarter of its speed, 1.6 Mbit/s, 150 ms for each round trip. */
const CPU_RATE = 4
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

const site = await useConsole()

/** From the start of the navigation until the page shows its heading and the thread of the page is idle. */
const interactive = async (page: Page, address: string): Promise<number> => {
  await page.goto(site.origin + address)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page.evaluate<number>(
    'new Promise((resolve) => requestIdleCallback(() => resolve(performance.now()), { timeout: 10000 }))',
  )
}

async function slowDown({ page }: Visit): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE })
  await devtools.send('Network.emulateNetworkConditions', NETWORK)
}

const medianOf = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number

it('measures the console', async () => {
  const firstVisits: number[] = []
  for (let visit = 0; visit < VISITS; visit++) {
    const person = await site.open({ viewport: PHONE })
    await slowDown(person)
    firstVisits.push(await interactive(person.page, '/sign-in'))
    await person.close()
  }
  const person = await site.open({ viewport: PHONE })
  await signUp(person)
  const company = new URL(person.page.url()).pathname
  await slowDown(person)
  const returns: number[] = []
  for (let visit = 0; visit < VISITS; visit++) returns.push(await interactive(person.page, company))
  await person.close()

  const ms = (times: number[]) => `${Math.round(medianOf(times))} ms`
  // The runner of the tests forwards what is written to standard error.
  console.error(`Interactive on a slow phone, median of ${VISITS}:`)
  console.error(`  sign-in, first visit        ${ms(firstVisits)}`)
  console.error(`  home of a company, reloaded ${ms(returns)}`)
})
