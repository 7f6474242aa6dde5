import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { testBrand } from '../../../../test/support/brand.ts'
import { type Color, contrast } from '../../../brand/colors.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { temporaryPassword } from '../../../lib/secrets.ts'
import { SAMPLE_PASSWORD_ENDS_AT as passwordEndsAt, samplesWith } from '../dev-pages/samples.ts'
import type { EmailKind } from '../outbox/enqueue.ts'
import { LOGO_CID, layOut } from './layout.ts'
import { carriesPassword, isLinked } from './links.ts'
import { type Message, messageOf, Undeliverable } from './messages.ts'

const APP_URL = 'https://app.example.com'
const SECRET_ID = '01920000-0000-7000-8000-000000000002'
const keys = keysFrom('k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs')

const samples = samplesWith(keys.current.kid)
const kinds = Object.keys(samples) as EmailKind[]
const lifetimes: Partial<Record<EmailKind, RegExp>> = {
  confirm_email: /24 hours/,
  change_email: /24 hours/,
  reset_password: /15 minutes/,
  temporary_password: /72 hours/,
  password_reset: /1 hour,/,
}

/** What the button opens, where it is not the page for a new password. */
const pages: Partial<Record<EmailKind, string>> = {
  confirm_email: 'verify-email',
  change_email: 'verify-email',
  temporary_password: '',
  password_reset: '',
  added_to_company: '',
  ownership_offered: '',
  company_deleted: '',
  unproven_membership_ended: '',
}

/** For readers whom the button does not help. */
const seconds: Partial<Record<EmailKind, string[]>> = {
  temporary_password: [`${APP_URL}/reset-password?lang=en`],
  added_to_company: [`${APP_URL}/reset-password?lang=en`],
}

function letter(
  kind: EmailKind,
  { name = 'Ann', locale = '', params = samples[kind], brand = testBrand() } = {},
): Message {
  const recipient = { email: 'ann@example.com', name, locale }
  const secretId = isLinked(kind) || carriesPassword(kind) ? SECRET_ID : null
  return messageOf(
    { id: SECRET_ID, kind, recipient, params, secretId, passwordEndsAt },
    { keys, appUrl: APP_URL, brand },
  )
}

describe('every letter', () => {
  for (const kind of kinds) {
    it(`has both parts, which say the same: ${kind}`, () => {
      const { subject, text, html } = letter(kind)

      assert.match(subject, /^.{10,60}$/)
      assert.match(text, /^Hello Ann,\n\n/)
      const shown = plain(html)
      for (const line of text.split('\n')) assert.ok(shown.includes(line.replace(/^--$|:$/, '')), line)
    })

    it(`brings nothing from elsewhere and runs nothing: ${kind}`, () => {
      const { html } = letter(kind)

      assert.doesNotMatch(html, /<(img|script|link|iframe|object|form|base)\b|@import|url\(|\son\w+=/i)
      const addresses = [...html.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, address]) => address as string)
      assert.ok(
        addresses.every((address) => address.startsWith(`${APP_URL}/`)),
        addresses.join(),
      )
      assert.match(html, /^<!doctype html>\n<html lang="en">/)
      assert.equal(html.match(/<h1/g)?.length, 1)
      assert.equal(html.match(/<table/g)?.length, html.match(/<table role="presentation"/g)?.length)
    })

    it(`has its addresses alone on a line of the text, and one of them in a button: ${kind}`, () => {
      const { text, html } = letter(kind)

      const page = pages[kind] ?? 'reset-password'
      const lang = page === '' ? '' : `${isLinked(kind) ? '&' : '\\?'}lang=en`
      const query = (isLinked(kind) ? '\\?token=[\\w-]{54}' : '') + lang
      const addresses = text.match(/^https:.*$/gm) ?? []
      const second = seconds[kind] ?? []
      assert.deepEqual(addresses.slice(1), second)
      assert.match(addresses[0] as string, new RegExp(`^${APP_URL}/${page}${query}$`))
      assert.equal(text.split('https:').length, 2 + second.length)
      assert.equal(html.split(`<a href="${addresses[0]?.replace('&', '&#38;')}" style="display:inline-block`).length, 2)
    })
  }

  it('says how long its link holds', () => {
    for (const [kind, lifetime] of Object.entries(lifetimes)) assert.match(letter(kind as EmailKind).text, lifetime)
    assert.deepEqual(
      Object.keys(lifetimes),
      kinds.filter((kind) => isLinked(kind) || carriesPassword(kind)),
    )
  })

  it('of notice says what to do when it was not you', () => {
    const notices = ['email_change_requested', 'email_changed', 'password_changed', 'refresh_token_reused'] as const
    for (const kind of notices) assert.match(letter(kind).text, /If this was not you, .* Recover/)
  })

  it('tells whom a company made an account for that the company can set its password, and how to keep it', () => {
    for (const [locale, claim] of [
      ['en', /Acme manages this account .* can set another password/],
      ['es', /Acme administra esta cuenta .* puede ponerle otra contraseña/],
      ['pt', /Acme administra esta conta .* pode definir outra senha/],
    ] as const) {
      const { text } = letter('temporary_password', { locale })
      assert.match(text, claim)
      assert.doesNotMatch(text, /nobody gets in|nadie puede entrar|ninguém consegue/)
    }
  })

  it('has its temporary password alone on a line', () => {
    for (const kind of kinds.filter(carriesPassword)) {
      const { text, html } = letter(kind)
      const password = temporaryPassword(keys.current, SECRET_ID)
      assert.equal(text.split('\n').filter((line) => line === password).length, 1)
      assert.ok(html.includes(`>${password}</p>`))
    }
  })

  it('does not repeat the name of a company or a person that is an advertisement', () => {
    const evil = 'You won! see evil.example'
    const { subject, text } = letter('added_to_company', { params: { company: evil } })
    assert.equal(`${subject}${text}`.includes('evil'), false)
    assert.equal(subject, 'You were added to a company')
    const offered = letter('ownership_offered', { params: { company: evil, from: evil, to: evil } })
    assert.match(offered.text, /\n\nAn Owner offers you the ownership of a company at Tenantry\.\n\n/)
    for (const kind of ['ownership_transferred', 'company_deleted'] as const) {
      const params = { ...samples[kind], company: evil, from: evil, to: evil, by: evil }
      assert.doesNotMatch(JSON.stringify(letter(kind, { params })), /evil|You won/)
    }
  })

  it('reads nothing that people wrote as a message', () => {
    for (const name of ['{site}', "'{'", '{x, plural, one', '#', '<b>', 'unnamed', 'constructor', '__proto__']) {
      const { text } = letter('added_to_company', { name, params: { company: name } })
      if (name !== 'unnamed') assert.ok(text.startsWith(`Hello ${name},\n\n${name} added you at`), text)
    }
  })

  it('is not written without the link that it is for', () => {
    const recipient = { email: 'ann@example.com', name: 'Ann', locale: '' }
    const parts = {
      id: SECRET_ID,
      kind: 'reset_password',
      recipient,
      params: {},
      secretId: null,
      passwordEndsAt: null,
    } as const

    assert.throws(() => messageOf(parts, { keys, appUrl: APP_URL, brand: testBrand() }), Undeliverable)
  })

  it('names the service as its users know it', () => {
    assert.match(letter('password_changed', { brand: testBrand({ name: 'Acme' }) }).text, /your account at Acme was/)
  })
})

describe('what people wrote', () => {
  it('is escaped in the HTML and stays on its line in the text', () => {
    const newEmail = `"><script>alert('x')</script>\r\nBcc: eve@example.org\u202e\u0000&`
    const { text, html } = letter('email_changed', { params: { newEmail } })

    assert.ok(html.includes('&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62; Bcc: eve@example.org &#38;'))
    assert.ok(text.includes(`"><script>alert('x')</script> Bcc: eve@example.org &. This is`))
  })

  it('can not make a second line of the subject', () => {
    const said = { greeting: '', preview: '', paragraphs: [], addressHint: '', after: [], footer: '' }
    const subject = 'A\r\nBcc: b\u2028c\u2029d\u0085e\tf\u0000g'

    assert.equal(layOut({ ...said, subject }, { language: 'en', brand: testBrand() }).subject, 'A Bcc: b c d e f g')
  })

  const greeted = [
    'Ann',
    "Ann O'Neil",
    'J. R. R. Tolkien',
    'Ana-María',
    'Łukasz St. John',
    '李小龙',
    'محمد',
    'Acme Inc.',
    'R2D2',
  ]
  it('is repeated in the greeting when it is a name', () => {
    for (const name of greeted) assert.ok(letter('confirm_email', { name }).text.startsWith(`Hello ${name},\n`), name)
  })

  const advertisements = [
    'You won! https://evil.example',
    'see www.evil.example now',
    'evil.example/prize',
    'evil．example',
    'eve@example.org',
    'call now '.repeat(10),
    '',
  ]
  it('is not repeated when it looks like an address or a message of its own', () => {
    for (const name of advertisements) assert.ok(letter('confirm_email', { name }).text.startsWith('Hello,\n'), name)
  })
})

/** What a reader of the HTML part sees, on one line for each block. */
function plain(html: string): string {
  const body = html.slice(html.indexOf('<body'))
  return body.replace(/<[^>]+>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
}

describe('the header', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-layout-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const withLogo = (content: string | Buffer) => {
    writeFileSync(path.join(folder, 'logo'), content)
    return letter('reset_password', { brand: testBrand({ name: 'Acme & Co', logo: path.join(folder, 'logo') }) }).html
  }

  it('has the name, and the mark that is drawn from it', () => {
    const { html } = letter('reset_password', { brand: testBrand({ name: 'Acme & Co', accentColor: '#ffd500' }) })
    assert.match(html, /bgcolor="#ffd500"[^>]*color:#000000">A<\/td>/)
    assert.match(html, />Acme &#38; Co<\/p>/)
  })

  it('shows a logo only when the email carries it', () => {
    const png = withLogo(Buffer.from('89504e470d0a1a0a', 'hex'))
    assert.deepEqual(
      png.match(/<img [^>]*>/g)?.map((image) => /src="([^"]+)"/.exec(image)?.[1]),
      [`cid:${LOGO_CID}`],
    )
    const svg = withLogo('<svg xmlns="http://www.w3.org/2000/svg"/>')
    assert.doesNotMatch(svg, /<img|>A<\/td>/)
    for (const html of [png, svg]) assert.match(html, />Acme &#38; Co<\/p>/)
  })

  it('has the accent color in the button, and ink that is readable on it', () => {
    for (const accentColor of ['#ffd500', '#111111', '#1f7a5c'] as const) {
      const { html } = letter('reset_password', { brand: testBrand({ accentColor }) })
      const [, fill, ink] = /<td class="button" bgcolor="(#\w+)".*?;color:(#\w+);text-decoration/.exec(html) ?? []
      assert.equal(fill, accentColor)
      assert.ok(contrast(ink as Color, fill as Color) >= 4.5)
    }
  })
})
