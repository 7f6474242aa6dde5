import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { testBrand } from '../../../../test/support/brand.ts'
import { type Color, contrast } from '../../../brand/colors.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { mailboxCode, temporaryPassword } from '../../../lib/secrets.ts'
import { SAMPLE_PASSWORD_ENDS_AT as passwordEndsAt, samplesWith } from '../dev-pages/preview-variables.ts'
import type { EmailKind, EmailParams } from '../outbox/emails.ts'
import { carriesPassword, isLinked } from './buttons.ts'
import { LOGO_CID, layOut } from './layout.ts'
import { PermanentDeliveryError } from './permanent-delivery-error.ts'
import { type Message, messageOf } from './render-message.ts'

const APP_URL = 'https://app.example.com'
const SECRET_ID = '01920000-0000-7000-8000-000000000002'
const keys = keysFrom('k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs')

const samples = samplesWith(keys.current.kid)
const kinds = Object.keys(samples) as EmailKind[]
const lifetimes: Partial<Record<EmailKind, RegExp>> = {
  confirm_email: /24 hours/,
  change_email: /24 hours/,
  email_changed: /7 days/,
  second_factor_added: /3 days/,
  second_factor_removed: /3 days/,
  recovery_codes_created: /3 days/,
  factor_reset_announced: /January 31, 2031/,
  factor_change_undone: /15 minutes/,
  email_restored: /15 minutes/,
  account_created: /15 minutes/,
  password_removed: /15 minutes/,
  reset_password: /15 minutes/,
  temporary_password: /72 hours/,
  password_reset: /1 hour,/,
  invitation: /until January 7, 2031/,
}

const carriesSecret = (kind: EmailKind) => isLinked(kind) || carriesPassword(kind)

/** What the button opens, where it is not the page for a new password. */
const pages: Partial<Record<EmailKind, string>> = {
  confirm_email: 'verify-email',
  change_email: 'verify-email',
  temporary_password: '',
  password_reset: '',
  added_to_company: '',
  email_changed: 'undo-email-change',
  second_factor_added: 'undo-factor-change',
  second_factor_removed: 'undo-factor-change',
  recovery_codes_created: 'undo-factor-change',
  factor_reset_announced: 'cancel-factor-reset',
  email_removed: '',
  email_replaced: '',
  ownership_offered: '',
  company_deleted: '',
  join_requested: '',
  joined_by_domain: '',
  join_approved: '',
  join_declined: '',
  domain_lapsed: '',
  domain_moved: '',
  company_suspended: '',
  company_resumed: '',
  company_renamed: '',
  company_restored: '',
  account_disabled: '',
  account_enabled: '',
  unverified_membership_ended: '',
  passkey_copied: '',
  policy_loosened: '',
  policy_tightened: '',
  policy_reset: '',
  owners_changed: '',
  notices_withheld: '',
  second_factor_due: '',
  invitation: 'invitation',
}

/** For readers who belong to several companies. */
const opensCompany: EmailKind[] = [
  'added_to_company',
  'ownership_offered',
  'join_requested',
  'joined_by_domain',
  'join_approved',
  'domain_lapsed',
  'domain_moved',
  'company_suspended',
  'company_resumed',
  'company_renamed',
  'company_restored',
  'unverified_membership_ended',
  'policy_loosened',
  'policy_tightened',
  'policy_reset',
  'owners_changed',
  'second_factor_due',
]

/** For readers whom the button does not help. */
const seconds: Partial<Record<EmailKind, string[]>> = {
  temporary_password: [`${APP_URL}/reset-password?lang=en`],
  added_to_company: [`${APP_URL}/reset-password?lang=en`],
  notices_withheld: [`${APP_URL}/reset-password?lang=en`],
  email_restored: [`${APP_URL}/reset-password?lang=en`],
  account_created: [`${APP_URL}/reset-password?lang=en`],
  password_removed: [`${APP_URL}/reset-password?lang=en`],
  factor_change_undone: [`${APP_URL}/reset-password?lang=en`],
}

function email(
  kind: EmailKind,
  { name = 'Ann', locale = '', params = samples[kind], brand = testBrand() } = {},
): Message {
  const recipient = { email: 'ann@example.com', name, locale }
  const secretId = carriesSecret(kind) ? SECRET_ID : null
  return messageOf(
    { id: SECRET_ID, kind, recipient, params, secretId, passwordEndsAt },
    { keys, appUrl: APP_URL, brand },
  )
}

describe('every email', () => {
  for (const kind of kinds) {
    it(`has a text and an HTML part with the same content: ${kind}`, () => {
      const { subject, text, html } = email(kind)

      assert.match(subject, /^.{10,60}$/)
      assert.match(text, /^Hello Ann,\n\n/)
      const shown = plain(html)
      for (const line of text.split('\n')) assert.ok(shown.includes(line.replace(/^--$|:$/, '')), line)
    })

    it(`loads nothing from elsewhere and runs nothing: ${kind}`, () => {
      const { html } = email(kind)

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
      const { text, html } = email(kind)

      const page = pages[kind] ?? 'reset-password'
      const lang = page === '' ? '' : `${isLinked(kind) ? '&' : '\\?'}lang=en`
      const company = opensCompany.includes(kind) ? `\\?company=${samples.join_approved.companyId}` : ''
      const query = (isLinked(kind) ? '\\?token=[\\w-]{54}' : '') + lang + company
      const addresses = text.match(/^https:.*$/gm) ?? []
      const second = seconds[kind] ?? []
      assert.deepEqual(addresses.slice(1), second)
      assert.match(addresses[0] as string, new RegExp(`^${APP_URL}/${page}${query}$`))
      assert.equal(text.split('https:').length, 2 + second.length)
      // A code is entered elsewhere: beside it a button would be pressed in its place.
      const buttons = kind === 'mailbox_code' ? 0 : 1
      const start = `<a href="${addresses[0]?.replace('&', '&#38;')}" style="display:inline-block`
      assert.equal(html.split(start).length - 1, buttons)
    })
  }

  it('leads home where a version before this one has enqueued it, without the company', () => {
    const { text } = email('join_approved', { params: { company: 'Acme' } as typeof samples.join_approved })
    assert.match(text, new RegExp(`^${APP_URL}/$`, 'm'))
  })

  it('says how long its link or password is valid', () => {
    for (const [kind, lifetime] of Object.entries(lifetimes)) assert.match(email(kind as EmailKind).text, lifetime)
    assert.deepEqual(Object.keys(lifetimes).sort(), kinds.filter(carriesSecret).sort())
  })

  it('that is a notice says what to do if the recipient did not do this', () => {
    const notices = ['email_change_requested', 'password_changed', 'new_sign_in', 'refresh_token_reused'] as const
    for (const kind of notices) assert.match(email(kind).text, /If this wasn’t you, .* Reset/)
    assert.match(email('email_changed').text, /If this wasn’t you, .* Undo the change/)
  })

  it('with a temporary password says that the company can set another one, and how to make the account your own', () => {
    for (const [locale, claim] of [
      ['en', /Acme manages this account .* can set another password/],
      ['es', /Acme administra esta cuenta .* puede ponerle otra contraseña/],
      ['pt', /Acme administra esta conta .* pode definir outra senha/],
    ] as const) {
      const { text } = email('temporary_password', { locale })
      assert.match(text, claim)
      assert.doesNotMatch(text, /no one else gets in|nadie puede entrar|ninguém consegue/)
    }
  })

  it('has its temporary password alone on a line', () => {
    for (const kind of kinds.filter(carriesPassword)) {
      const { text, html } = email(kind)
      const password = temporaryPassword(keys.current, SECRET_ID)
      assert.equal(text.split('\n').filter((line) => line === password).length, 1)
      assert.ok(html.includes(`>${password}</p>`))
    }
  })

  it('has its code alone on a line', () => {
    const { text, html } = email('mailbox_code', { params: { codeId: SECRET_ID, purpose: 'factor' } })
    const code = mailboxCode(keys.current, SECRET_ID)
    assert.match(text, /valid for 15 minutes/)
    assert.match(code, /^\d{8}$/)
    assert.equal(text.split('\n').filter((line) => line === code).length, 1)
    assert.ok(html.includes(`>${code}</p>`))
  })

  it('does not repeat the name of a company or a person that is an advertisement', () => {
    const evil = 'You won! see evil.example'
    const { subject, text } = email('added_to_company', { params: { company: evil } })
    assert.equal(`${subject}${text}`.includes('evil'), false)
    assert.equal(subject, 'You were added to a company')
    const offered = email('ownership_offered', { params: { company: evil, from: evil, to: evil } })
    assert.match(offered.text, /\n\nAn owner wants to transfer ownership of a company on Tenantry to you\.\n\n/)
    for (const kind of ['ownership_transferred', 'company_deleted', 'owners_changed'] as const) {
      const params = { ...samples[kind], company: evil, person: evil, from: evil, to: evil, by: evil }
      assert.doesNotMatch(JSON.stringify(email(kind, { params })), /evil|You won/)
    }
  })

  it('names who did something by the address as well, and by it alone without a name that is fit', () => {
    const said = (params: Partial<EmailParams['owners_changed']>) =>
      email('owners_changed', { params: { ...samples.owners_changed, ...params } }).text.split('\n\n')[1] ?? ''
    const eve = { by: 'Carl Meyer', byEmail: 'eve@acme.example', personEmail: 'ann@acme.example' }
    assert.match(said(eve), /^Carl Meyer \(eve@acme\.example\) made Ana Lima \(ann@acme\.example\) an owner\./)
    const unfit = { ...eve, by: 'Carl Meyer (carl@acme.example)', person: 'unnamed' }
    assert.match(said(unfit), /^eve@acme\.example made unnamed \(ann@acme\.example\) an owner\./)
    const story = { ...eve, by: 'Dr. Carl St. Meyer', person: 'nobody an owner. Carl asked for it' }
    assert.match(said(story), /^Dr\. Carl St\. Meyer \(eve@acme\.example\) made ann@acme\.example an owner\./)
    const role = { ...eve, change: 'replaced', person: 'Clerk', personEmail: '' } as const
    assert.match(
      said(role),
      /^Carl Meyer \(eve@acme\.example\) deleted the role Clerk: everyone who had it is an owner now\./,
    )
    const members = { ...role, memberEmails: 'ann@acme.example www.evil@acme.example' }
    assert.match(said(members), /is an owner now, such as ann@acme\.example, …@acme\.example\./)
    // Written by the version before.
    const { by, until } = samples.company_deleted
    assert.match(email('company_deleted', { params: { company: 'Acme', by, until } }).text, /José Núñez deleted Acme/)
  })

  it('names who added a member, and leaves that out where the version before has written it', () => {
    assert.match(email('added_to_company').text, /It was José Núñez \(jose@acme\.example\) who added you\. Sign in/)
    const { text } = email('added_to_company', { params: { company: 'Acme' } })
    assert.match(text, /Acme added you as a member on \S+\. Sign in as usual\. Nothing else/)
  })

  it('parses no name as a message', () => {
    for (const name of ['{site}', "'{'", '{x, plural, one', '#', '<b>', 'unnamed', 'constructor', '__proto__']) {
      const { text } = email('added_to_company', { name, params: { company: name } })
      if (name !== 'unnamed') assert.ok(text.startsWith(`Hello ${name},\n\n${name} added you as a member on`), text)
    }
  })

  it('is not rendered without the link that it is for', () => {
    const recipient = { email: 'ann@example.com', name: 'Ann', locale: '' }
    const parts = {
      id: SECRET_ID,
      kind: 'reset_password',
      recipient,
      params: {},
      secretId: null,
      passwordEndsAt: null,
    } as const

    assert.throws(() => messageOf(parts, { keys, appUrl: APP_URL, brand: testBrand() }), PermanentDeliveryError)
  })

  it('names the product by APP_NAME', () => {
    assert.match(email('password_changed', { brand: testBrand({ name: 'Acme' }) }).text, /your Acme account was/)
  })
})

describe('what people wrote', () => {
  it('is escaped in the HTML and stays on its line in the text', () => {
    const newEmail = `"><script>alert('x')</script>\r\nBcc: eve@example.org\u202e\u0000&`
    const { text, html } = email('email_changed', { params: { newEmail } })

    assert.ok(html.includes('&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62; Bcc: eve@example.org &#38;'))
    assert.ok(text.includes(`"><script>alert('x')</script> Bcc: eve@example.org &.\n`))
  })

  it('adds no second line to the subject', () => {
    const content = { greeting: '', preview: '', paragraphs: [], addressHint: '', after: [], footer: '' }
    const subject = 'A\r\nBcc: b\u2028c\u2029d\u0085e\tf\u0000g'

    assert.equal(layOut({ ...content, subject }, { language: 'en', brand: testBrand() }).subject, 'A Bcc: b c d e f g')
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
    for (const name of greeted) assert.ok(email('confirm_email', { name }).text.startsWith(`Hello ${name},\n`), name)
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
  it('is not repeated when it reads like an address or a message', () => {
    for (const name of advertisements) assert.ok(email('confirm_email', { name }).text.startsWith('Hello,\n'), name)
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
    return email('reset_password', { brand: testBrand({ name: 'Acme & Co', logo: path.join(folder, 'logo') }) }).html
  }

  it('has the name, and the mark that is drawn from it', () => {
    const { html } = email('reset_password', { brand: testBrand({ name: 'Acme & Co', accentColor: '#ffd500' }) })
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
      const { html } = email('reset_password', { brand: testBrand({ accentColor }) })
      const [, fill, ink] = /<td class="button" bgcolor="(#\w+)".*?;color:(#\w+);text-decoration/.exec(html) ?? []
      assert.equal(fill, accentColor)
      assert.ok(contrast(ink as Color, fill as Color) >= 4.5)
    }
  })
})
