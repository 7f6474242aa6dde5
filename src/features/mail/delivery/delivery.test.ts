import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { AddressObject } from 'mailparser'
import { testBrand } from '../../../../test/support/brand.ts'
import {
  MAIL_FROM,
  type MailServer,
  openTestOutbox,
  startMailServer,
  type TestOutbox,
} from '../../../../test/support/mail.ts'
import { LOGO_CID } from '../templates/layout.ts'
import { PermanentDeliveryError } from '../templates/permanent-delivery-error.ts'
import type { Message } from '../templates/render-message.ts'
import { openDelivery } from './delivery.ts'
import { senderIn } from './smtp.ts'

const EMAIL: Message = {
  id: '01920000-0000-7000-8000-000000000001',
  kind: 'password_changed',
  to: { name: 'Ann', address: 'ann@example.com' },
  subject: 'Your password was changed',
  text: 'Hello Ann,\n',
  html: '<p>Hello Ann,</p>',
}

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-logo-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let server: MailServer

before(async () => {
  server = await startMailServer()
})
beforeEach(() => {
  server.received.length = 0
  server.refuse = () => undefined
})
after(() => server.close())

describe('an email by SMTP', () => {
  it('is not kept in the development mailbox', () => {
    assert.equal(server.delivery().mailbox, undefined)
  })

  it('carries both parts, its sender, the auto-generated mark and an id of its own', async () => {
    await server.delivery().deliver(EMAIL)

    const [{ recipients, raw, mail } = assert.fail()] = server.received
    assert.deepEqual(recipients, ['ann@example.com'])
    assert.deepEqual(mail.from?.value, [{ name: 'Acme, Inc.', address: 'no-reply@example.com' }])
    assert.deepEqual((mail.to as AddressObject).value, [{ name: 'Ann', address: 'ann@example.com' }])
    assert.equal(mail.subject, EMAIL.subject)
    assert.equal(mail.text?.trim(), 'Hello Ann,')
    assert.equal(mail.html, EMAIL.html)
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated')
    assert.match(raw, /^Content-Type: multipart\/alternative/m)
  })

  it('carries the logo when that is a PNG, and nothing else', async () => {
    const file = path.join(folder, 'logo')
    for (const [logo, attached] of [
      [PNG, 1],
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', 0],
    ] as const) {
      server.received.length = 0
      writeFileSync(file, logo)
      await server.delivery('127.0.0.1', { logo: file }).deliver(EMAIL)

      const [{ mail } = assert.fail()] = server.received
      assert.deepEqual(
        mail.attachments.map(({ cid, contentType, content }) => [cid, contentType, content.equals(PNG)]),
        Array(attached).fill([LOGO_CID, 'image/png', true]),
      )
    }
  })

  it('keeps its id when it is sent again, so that a duplicate can be recognized', async () => {
    const delivery = server.delivery()
    await delivery.deliver(EMAIL)
    await delivery.deliver(EMAIL)

    const ids = server.received.map(({ mail }) => mail.messageId)
    assert.deepEqual(ids, Array(2).fill('<01920000-0000-7000-8000-000000000001@example.com>'))
  })

  for (const code of [550, 551, 552, 553, 554]) {
    it(`fails permanently when the recipient is refused with ${code}`, async () => {
      server.refuse = () => `${code} No`
      await assert.rejects(server.delivery().deliver(EMAIL), PermanentDeliveryError)
    })
  }

  for (const code of [421, 450, 451, 452, 503, 530]) {
    it(`may be tried again when the server replies ${code}`, async () => {
      server.refuse = () => `${code} Not now`
      await assert.rejects(server.delivery().deliver(EMAIL), (error) => !(error instanceof PermanentDeliveryError))
    })
  }

  it('may be tried again when the server is down', async () => {
    const delivery = openDelivery({
      smtpUrl: 'smtp://127.0.0.1:1',
      mailFrom: MAIL_FROM,
      dataDir: '/nowhere',
      brand: testBrand(),
    })
    await assert.rejects(delivery.deliver(EMAIL), { code: 'ESOCKET' })
    await delivery.close()
  })

  it('is not sent to a server with a self-signed certificate', async (t) => {
    const stranger = await startMailServer({ offersTls: true })
    t.after(() => stranger.close())

    await assert.rejects(stranger.delivery().deliver(EMAIL), /certificate/)

    assert.deepEqual(stranger.received, [])
  })

  it('is sent with a password only under TLS, unless its server is on this machine', async () => {
    // Another name for this machine, which is not known to be one.
    await assert.rejects(server.delivery('ann:secret@0.0.0.0').deliver(EMAIL), /STARTTLS/i)
    assert.deepEqual([server.received, server.passwords], [[], []])

    await server.delivery('0.0.0.0').deliver(EMAIL)
    await server.delivery('ann:secret@127.0.0.1').deliver(EMAIL)
    await server.delivery('ann:secret@localhost').deliver(EMAIL)
    assert.deepEqual([server.received.length, server.passwords], [3, ['secret', 'secret']])
  })

  it('can be aborted while the server does not reply', async () => {
    server.refuse = () => 'silence'
    await assert.rejects(server.delivery().deliver(EMAIL, AbortSignal.timeout(200)), { code: 'EABORT' })
  })

  it('has the name and address of MAIL_FROM as its sender', () => {
    assert.deepEqual(senderIn('Acme, Inc. <a@example.com>'), { name: 'Acme, Inc.', address: 'a@example.com' })
    assert.deepEqual(senderIn('a@example.com'), { name: '', address: 'a@example.com' })
  })
})

describe('the name of a recipient', () => {
  let outbox: TestOutbox
  beforeEach(async () => {
    outbox = await openTestOutbox()
  })
  afterEach(() => outbox.close())

  const names = [
    '"Eve" <eve@example.org>, zoe@example.org',
    'Eve\r\nBcc: eve@example.org\r\nSubject: Other\r\n\r\nBody',
    'Eve\u2028Bcc: eve@example.org',
    '<img src=x onerror=alert(1)>&"\'',
    'Eve\u202egro.elpmaxe@eve\u202c',
    'eve@example.org',
    'Eve <eve@example.org>;:,()[]\\',
    '=?utf-8?q?Eve=0d=0aBcc:_eve@example.org?=',
    `Eve ${'x'.repeat(2000)}`,
    'Évé 🦊 עברית',
  ]
  for (const name of names) {
    it(`adds no recipient, header or markup: ${JSON.stringify(name.slice(0, 60))}`, async () => {
      await outbox.enqueue('password_changed', 'ann@example.com', {}, { name })

      await outbox.worker(server.delivery()).deliverDue()

      assert.equal(server.received.length, 1)
      const [{ recipients, raw, mail } = assert.fail()] = server.received
      assert.deepEqual(recipients, ['ann@example.com'])
      assert.deepEqual(
        (mail.to as AddressObject).value.map(({ address }) => address),
        ['ann@example.com'],
      )
      assert.equal(mail.cc ?? mail.bcc, undefined)
      assert.equal(mail.subject, 'Your password was changed')
      const head = raw.split('\r\n\r\n', 1)[0] as string
      assert.deepEqual(head.match(/^subject:/gim)?.length, 1)
      assert.doesNotMatch(head, /^(bcc|cc):/im)
      assert.doesNotMatch(String(mail.html), /<img|[\u202e\u2028]/)
      assert.doesNotMatch(mail.text ?? '', /eve@example\.org/)
    })
  }

  it('is kept as it is when it is harmless', async () => {
    await outbox.enqueue('password_changed', 'ann@example.com', {}, { name: "Ànn O'Neil (Berlin) & Söhne" })

    await outbox.worker(server.delivery()).deliverDue()

    const [{ mail } = assert.fail()] = server.received
    assert.equal((mail.to as AddressObject).value[0]?.name, "Ànn O'Neil (Berlin) & Söhne")
    assert.match(mail.text ?? '', /^Hello Ànn O'Neil \(Berlin\) & Söhne,\n/)
    assert.match(String(mail.html), />Hello Ànn O&#39;Neil \(Berlin\) &#38; Söhne,</)
  })
})
