import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import type { Page } from 'playwright-core'
import { build, preview } from 'vite'
import { DESKTOP, PHONE, useConsole } from '../../test/console/support/console.ts'
import { freePort } from '../../test/faults/free-port.ts'
import { addApp } from '../../test/support/factors.ts'
import { addMember, createRole, join, link } from '../../test/support/members.ts'
import { PASSWORD, signUp } from '../../test/support/people.ts'

// The product as it is built, forwarding to the whole service.

const port = await freePort()
const origin = `http://localhost:${port}`
const site = await useConsole({ CORS_ORIGINS: origin })
const outDir = mkdtempSync(path.join(tmpdir(), 'tenantry-example-'))
process.env.PORT = new URL(site.origin).port
const options = { root: import.meta.dirname, logLevel: 'error', build: { outDir, emptyOutDir: true } } as const
await build(options)
const product = await preview({ ...options, preview: { port, host: 'localhost', strictPort: true } })
after(async () => {
  await product.close()
  rmSync(outDir, { recursive: true, force: true })
})

const rotationIn = (page: Page) => page.getByRole('list', { name: 'Rotation' })

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

for (const [name, viewport] of Object.entries({ PHONE, DESKTOP }))
  it(`shows the page of its own, keeps people signed in, and says what is wrong: ${name}`, async () => {
    const owner = await signUp(site.service.client, { name: 'Olive' })
    await addMember(owner, { name: 'Max' })
    const visit = await site.open({ viewport })
    const { page } = visit
    await page.goto(origin)
    await signIn(page, owner.email, 'Wrong-horse-7')
    await page.getByText('Email address or password is incorrect.').waitFor()
    await visit.assertAccessible()

    await signIn(page, owner.email)
    await rotationIn(page).getByText('Max').waitFor()
    assert.deepEqual((await rotationIn(page).getByRole('listitem').allTextContents()).sort(), ['Max', 'Olive'])
    await page.getByRole('link', { name: 'Add members' }).waitFor()
    await visit.assertAccessible()

    await page.reload()
    await rotationIn(page).getByText('Max').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    visit.assertClean()
    await visit.close()
  })

it('asks for the code of a second factor, and leads who forgot the password to a new one', async () => {
  const owner = await signUp(site.service.client, { name: 'Olive' })
  const app = await addApp(site.service, owner)
  const visit = await site.open()
  const { page } = visit
  await page.goto(origin)
  const reset = await page.getByRole('link', { name: 'Forgot your password?' }).getAttribute('href')
  assert.equal(reset, `${site.origin}/reset-password`)
  await signIn(page, owner.email)
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('This code isn’t right').waitFor()
  await visit.assertAccessible()
  await page.getByLabel('Code').fill(await app.unusedCode())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await rotationIn(page).getByText('Olive').waitFor()
  visit.assertClean()
  await visit.close()
})

it('switches companies, and shows the page only where the roles of the person include it', async () => {
  const owner = await signUp(site.service.client, { name: 'Olive' })
  const guest = await signUp(site.service.client, { name: 'Gina' })
  await createRole(owner, 'Guest')
  await join(owner, guest, ['Guest'])
  const visit = await site.open()
  const { page } = visit
  await page.goto(origin)
  await signIn(page, guest.email)
  await page.getByLabel('Company').selectOption(guest.company.name)
  await rotationIn(page).getByText('Gina').waitFor()
  await page.getByLabel('Company').selectOption(owner.company.name)
  await page.getByText('Your roles in this company don’t include viewing members.').waitFor()
  assert.equal(await rotationIn(page).count(), 0)
  assert.equal(visit.calls.filter((call) => call === 'GET /api/companies/users').length, 1)
  await visit.assertAccessible()
  visit.assertClean()
  await visit.close()
})

it('asks before it reads anything in a company that has only added the person', async () => {
  const owner = await signUp(site.service.client)
  const guest = await signUp(site.service.client, { name: 'Gina' })
  await link(owner, guest, ['Admin'])
  const visit = await site.open()
  const { page } = visit
  await page.goto(origin)
  await signIn(page, guest.email)
  await rotationIn(page).getByText('Gina').waitFor()
  await page.getByLabel('Company').selectOption(owner.company.name)
  await page.getByText(`${owner.company.name} added you.`, { exact: false }).waitFor()
  assert.equal(visit.calls.filter((call) => call === 'GET /api/companies/users').length, 1)
  await visit.assertAccessible()
  await page.getByRole('button', { name: 'Open company' }).click()
  await rotationIn(page).getByText(owner.name).waitFor()
  visit.assertClean()
  await visit.close()
})

it('is announced by its one command when the service listens behind it', async () => {
  const [servicePort, examplePort] = [await freePort(), await freePort()]
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'tenantry-example-'))
  const root = path.join(import.meta.dirname, '../..')
  const env = {
    ...process.env,
    // Building the product above has set another one.
    NODE_ENV: 'development',
    DATA_DIR,
    APP_SECRET: randomBytes(32).toString('base64url'),
    CONSOLE_ENABLED: 'false',
    PORT: String(servicePort),
    EXAMPLE_PORT: String(examplePort),
  }
  const started = spawn(process.execPath, ['--import', './scripts/boot.mjs', 'examples/react/start.ts'], {
    cwd: root,
    env,
  })
  const isOver = once(started, 'exit')
  try {
    let printed = ''
    started.stderr.on('data', (chunk) => (printed += chunk))
    await Promise.race([
      isOver,
      new Promise<void>((resolve) =>
        started.stdout.on('data', (chunk) => {
          printed += chunk
          if (printed.includes(`The product is on http://localhost:${examplePort}`)) resolve()
        }),
      ),
    ])
    assert.match(printed, /The product is on/)
    assert.equal((await fetch(`http://localhost:${examplePort}/api/health`)).status, 200)
  } finally {
    started.kill('SIGTERM')
    await isOver
    rmSync(DATA_DIR, { recursive: true, force: true })
  }
})
