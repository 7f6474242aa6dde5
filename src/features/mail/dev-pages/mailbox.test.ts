import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { testBrand } from '../../../../test/support/brand.ts'
import { newId } from '../../../lib/ids.ts'
import { openDelivery } from '../delivery/delivery.ts'
import type { Message } from '../templates/render-message.ts'
import { type Mailbox, openMailbox } from './mailbox.ts'

let dataDir: string
let mailbox: Mailbox
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-mail-'))
  mailbox = openMailbox(dataDir)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function message(address = 'ann@example.com', more: Partial<Message> = {}): Message {
  const to = { name: 'Ann', address }
  return { id: newId(), kind: 'password_changed', to, subject: 'Hello', text: 'Hello\n', html: '<p>Hello</p>', ...more }
}

const files = () => readdirSync(path.join(dataDir, 'mail')).sort()

describe('the development mailbox', () => {
  it('keeps each email in a file that only its owner may read', async () => {
    const email = message()
    await openDelivery({ smtpUrl: undefined, mailFrom: 'a@example.com', dataDir, brand: testBrand() }).deliver(email)

    assert.deepEqual(files(), [`${email.id}.json`])
    const file = path.join(dataDir, 'mail', `${email.id}.json`)
    const { at, ...kept } = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual(kept, email)
    assert.match(at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(path.join(dataDir, 'mail')).mode & 0o777, 0o700)
  })

  it('has one file for an email that was delivered twice, also after a crash in between', async () => {
    const email = message()
    await mailbox.put(email)
    writeFileSync(path.join(dataDir, 'mail', `${email.id}.part`), '{"half')
    assert.equal((await mailbox.list()).length, 1)

    await mailbox.put(email)

    assert.deepEqual(files(), [`${email.id}.json`])
  })

  it('keeps the newest 500 emails', async () => {
    const emails = Array.from({ length: 520 }, () => message())
    for (const email of emails) await mailbox.put(email)

    assert.deepEqual(
      files(),
      emails.slice(20).map(({ id }) => `${id}.json`),
    )
  })

  it('shows the newest first, and those to one address in any letter case', async () => {
    const [first, second, third] = [message(), message('bob@example.com'), message()]
    for (const email of [first, second, third]) await mailbox.put(email)

    assert.deepEqual(
      (await mailbox.list()).map(({ id }) => id),
      [third.id, second.id, first.id],
    )
    assert.deepEqual(
      (await mailbox.list('Bob@Example.com')).map(({ id }) => id),
      [second.id],
    )
    assert.deepEqual(await mailbox.list('bo'), [])
  })

  it('is empty before its folder is there, and opens no other file', async () => {
    assert.deepEqual(await mailbox.list(), [])
    writeFileSync(path.join(dataDir, 'secret.json'), '{}')
    assert.equal(await mailbox.find('../secret'), undefined)
    assert.equal(await mailbox.find(newId()), undefined)
  })

  it('reports that it is not writable', { skip: process.getuid?.() === 0 && 'root writes anywhere' }, async () => {
    chmodSync(dataDir, 0o500)
    await assert.rejects(mailbox.put(message()), { code: 'EACCES' })
  })
})
