import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { testBrand } from '../../../../test/support/brand.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { languages } from '../../../lib/languages.ts'
import { SAMPLE_PASSWORD_ENDS_AT as passwordEndsAt, samplesWith } from '../dev-pages/preview-variables.ts'
import type { EmailKind, EmailParams } from '../outbox/emails.ts'
import { carriesPassword, isLinked } from './buttons.ts'
import { addressShown, companyShown, personShown } from './names.ts'
import { messageOf } from './render-message.ts'

const ID = '01920000-0000-7000-8000-000000000002'
const keys = keysFrom('k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs')
const samples = samplesWith(keys.current.kid)
const kinds = Object.keys(samples) as EmailKind[]
/** Facts that are not names. */
const GIVEN = [
  'companyId',
  'address',
  'at',
  'change',
  'domain',
  'ended',
  'hours',
  'kid',
  'left',
  'linkId',
  'replaces',
  'timezone',
  'until',
]

/** Such as `email` and `newEmail`. */
const isAddress = (fact: string) => /email$/i.test(fact)

/** What a mail program shows of an email in which everybody has this name. */
function shownParts(kind: EmailKind, locale: string, name: string, params: object = samples[kind]): string[] {
  const variables = Object.entries(params).map(([fact, value]) => [
    fact,
    GIVEN.includes(fact) || isAddress(fact) ? value : name,
  ])
  const { to, subject, text, html } = messageOf(
    {
      id: ID,
      kind,
      recipient: { email: 'ann@example.com', name, locale },
      params: Object.fromEntries(variables) as EmailParams[EmailKind],
      secretId: isLinked(kind) || carriesPassword(kind) ? ID : null,
      passwordEndsAt,
    },
    { keys, appUrl: 'https://app.example.com', brand: testBrand() },
  )
  const read = html
    .slice(html.indexOf('<title>'))
    .replace(/<style>.*?<\/style>/s, ' ')
    .replace(/<[^>]+>/g, ' ')
  return [to.name, subject, text, read.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))]
}

/**
 * Whatever any mail program may link, read as generously as possible: addresses with a scheme, `www.`, a host of which
 * the last part could be a top-level domain, a mailbox. As is, and as an address parser would read it.
 */
function linkable(part: string): string[] {
  const parsed = part
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\u3002\uff0e\uff61]/g, '.')
  return [part, parsed].flatMap((read) =>
    [
      /\b[a-z][a-z0-9+.-]+:\S+/gi,
      /\/\/\S+/g,
      /\bwww\d*\.[\p{L}\p{N}]\S*/giu,
      /\S+\.\p{M}*\p{L}\p{M}*\p{L}/gu,
      /\S+@\S+/g,
    ].flatMap((pattern) => read.match(pattern) ?? []),
  )
}

const hidden = ['\u00ad', '\u200b', '\u2060', '\u200d', '\u200c', '\ufe0f', '\u034f', '\u3164', '\u{e0061}']
const dots = ['.', '\u3002', '\uff0e', '\uff61', '\u2024', '.', '.']
const hosts = [
  'refund24',
  'win1',
  'evil',
  'ａｐｐｌｅ',
  'пример',
  '\u0645\u062b\u0627\u0644',
  'i❤',
  'xn--e1afmkfd',
  '1',
  'www',
]
const ends = ['com', 'io', 'рф', 'ｃｏｍ', 'xn--p1ai', 'भारत', 'museum', 'c\u00adom', '한국']
const words = [
  'Claim at ',
  'Acme',
  ' ',
  'J',
  'http:',
  'https://',
  'hxxp:/',
  'mailto:',
  '/',
  '\\\\',
  '@',
  ':',
  '-',
  'S.L.U',
  '…',
  '<b>',
]
const hostile = fc
  .array(fc.constantFrom(...words, ...hosts, ...ends, ...dots, ...dots, ...hidden), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''))
const aimed = fc
  .tuple(fc.constantFrom('', 'Claim at ', 'x'), fc.constantFrom(...hosts), fc.constantFrom('', ...hidden))
  .chain(([before, host, gap]) =>
    fc
      .tuple(
        fc.constantFrom(...dots),
        fc.constantFrom('', ...hidden),
        fc.constantFrom(...ends),
        fc.constantFrom('', '/x', ' now', ','),
      )
      .map(([dot, second, end, after]) => before + host + gap + dot + second + end + after),
  )

describe('a name', () => {
  it('never becomes a link in any part of any email in any language', () => {
    const expected = new Map<string, Set<string>>()
    // Without a name the addresses stand alone.
    for (const kind of kinds)
      for (const language of languages)
        expected.set(
          kind + language,
          new Set(['Ann', ''].flatMap((name) => shownParts(kind, language, name)).flatMap(linkable)),
        )

    fc.assert(
      fc.property(
        fc.oneof(hostile, aimed, fc.string({ unit: 'grapheme', maxLength: 120 })),
        fc.constantFrom(...kinds),
        fc.constantFrom(...languages),
        (name, kind, language) => {
          const links = shownParts(kind, language, name).flatMap(linkable)
          const surplus = links.filter((link) => !expected.get(kind + language)?.has(link))
          assert.deepEqual(surplus, [], JSON.stringify(name))
        },
      ),
      {
        numRuns: 1500,
        examples: [
          ['\ufe0f\ufe0f.Claim at ', 'confirm_email', 'en'],
          ['!.\u2c00\ufe70', 'confirm_email', 'en'],
        ],
      },
    )
  })

  it('is not repeated when it reads like a web or email address', () => {
    const lures = [
      'Claim at refund24.com',
      'see win1\u3002io now',
      'see evil\uff61com now',
      'see ev\u00adil.c\u200bom now',
      'see evil.\u2060com now',
      'see evil\u2024com now',
      'see evil.\u2c00\ufe70',
      'see \uff45vil\uff0ecom now',
      'see i❤.ws now',
      'go to www.evil',
      'see пример.рф now',
      'call tel:+15550100',
      'mail eve@evil now',
      'see //evil now',
      'open \\\\evil\\share',
      'see 192.0.2.1 now',
      '=?utf-8?Q?evil=2Eexample/login?=',
      '=?utf-8?B?aHR0cDovL2V2aWwuZXhhbXBsZQ==?=',
      '=\u200b?utf-8?Q?evil=2Eexample?=',
      '\u200b\u2060',
      '',
    ]
    for (const lure of lures) {
      assert.equal(companyShown(lure), undefined, lure)
      assert.equal(personShown(lure), undefined, lure)
    }
  })

  it('repeats no number to call: a person’s is left out, a company’s is without it', () => {
    const numbers = [
      '+1 888 555 0100',
      '1-888-555-0100',
      '(888) 555-0100',
      '888\u200b.555.\u00ad0100',
      '18885550100',
      '8 8 8 5 5 5 0 1 0 0',
      '８８８５５５０１００',
      '①⑧⑧⑧⑤⑤⑤⓪①⓪⓪',
      '\u0661\u0668\u0668\u0668\u0665\u0665\u0665\u0660\u0661\u0660\u0660',
      '+34 600 00 00 00',
      '+1 888 555 0100 or +1 888 555 0101',
    ]
    for (const number of numbers) {
      assert.equal(personShown(`Call ${number}`), undefined, number)
      assert.doesNotMatch((companyShown(`Refunds: ${number}`) ?? '').normalize('NFKC'), /\p{Nd}/u, number)
    }
    assert.equal(companyShown('Refunds: +1 888 555 0100'), 'Refunds')
    assert.equal(companyShown('+1 888 555 0100'), undefined)
    assert.equal(companyShown('João da Silva 12345678901'), 'João da Silva')
    assert.equal(companyShown('12.345.678/0001-95 João da Silva'), 'João da Silva')
    assert.equal(companyShown('evil 1-888-555-0100.com'), undefined)
    assert.equal(companyShown('call18885550100.com'), undefined)
  })

  it('is repeated as it is written when it reads like a name', () => {
    const honest = [
      'Acme',
      'Acme Inc.',
      'J. R. R. Tolkien',
      'Novo Nordisk A/S',
      'Panadería S.L.U.',
      'C.A.C.E.I.',
      'O’Neil & Sons: Bakers',
      'Łukasz St. John',
      '李小龙',
      'محمد',
      'می\u200cخواهم',
      'क्\u200dष',
      '👩\u200d🚀 Space',
      '❤\ufe0f Bakery',
      'Route 66',
      'Bar 12:30',
      'Season 2024-2025',
    ]
    for (const name of honest) {
      assert.equal(companyShown(name), name)
      assert.equal(personShown(name), name)
    }
  })

  it('of a company may be a domain, which is then written with a space', () => {
    assert.equal(companyShown('Booking.com'), 'Booking. com')
    assert.equal(companyShown('win1\u3002io'), 'win1. io')
    assert.equal(companyShown('shop.acme.co.uk'), 'shop. acme. co. uk')
    assert.equal(companyShown('www.acme.com'), undefined)
    assert.equal(personShown('Booking.com'), undefined)
  })

  it('loses what can not be seen', () => {
    assert.equal(companyShown('Ac\u200bme\u00ad \u{e0041}Inc'), 'Acme Inc')
    assert.equal(companyShown('Ac\u200cme'), 'Acme')
  })

  it('of a company is shortened when it is long, and a long name of a person is not repeated', () => {
    const long = 'Sociedad '.repeat(12).trim()
    assert.match(companyShown(long) ?? '', /^Sociedad .{60,80}…$/)
    assert.equal([...(companyShown('x'.repeat(120)) ?? '')].length, 80)
    assert.equal(personShown(long), undefined)
  })
})

describe('an address', () => {
  it('is repeated whole where mail programs take it for one, and otherwise without what they would link', () => {
    for (const plain of [
      'ann@x.org',
      'ann.smith+shop@x.org',
      'evil.com@x.org',
      "o'brien@x.org",
      "mary.o'brien@x.org",
      'a/b@x.org',
    ])
      assert.equal(addressShown(plain), plain)
    for (const local of [
      'www.evil.com/refund?id=1',
      'evil.com/refund',
      'evil.com#x',
      "a'evil.com",
      'x%evil.com',
      'www.evil.com',
      '=?utf-8?q?evil=2ecom?=',
    ])
      assert.equal(addressShown(`${local}@x.org`), '…@x.org')
  })

  it('leads nowhere from any email in any language', () => {
    const address = 'www.evil.com/refund?id=1@x.org'
    for (const kind of kinds) {
      const params = Object.fromEntries(
        Object.entries(samples[kind]).map(([fact, value]) => [fact, isAddress(fact) ? address : value]),
      )
      for (const language of languages)
        for (const part of shownParts(kind, language, 'Ann', params))
          assert.equal(part.includes('evil.com'), false, kind)
    }
  })
})
