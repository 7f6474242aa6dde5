import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { z } from 'zod'
import { useTestApp } from '../../../test/support/app.ts'
import { type DocumentedOperation, operationsOf } from '../../../test/support/documents.ts'
import { OpenApiDocument } from './document.ts'

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const ajv = addFormats.default(new Ajv2020({ strict: false }))

interface DocumentedBody {
  name: string
  /** The schema that the service validates with. */
  accepts: z.ZodType
  documented: { schema: object; example: Record<string, unknown> }
}

const service = await useTestApp()
const byName = new Map<string, DocumentedOperation>(operationsOf(service.document).map((each) => [each.name, each]))
const bodies = declaring.mock.calls.flatMap(({ arguments: [method, url, { request }] }) => {
  const name = `${method} ${url.replace(/:(\w+)/g, '{$1}')}`
  const documented = byName.get(name)?.requestBody?.content['application/json']
  return request?.body && documented ? [{ name, accepts: request.body, documented } as DocumentedBody] : []
})

/** Strings that schemas easily get wrong. */
const strings = [
  ...['', ' ', 'a', 'Ann', '  Ann  ', 'x'.repeat(50), 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(600)],
  ...[
    '\u0000',
    'a\u0000b',
    'a\nb',
    '\ud800',
    'a\u202eb',
    '\u200d',
    '\u00a0',
    '\ufeff',
    'é',
    'e\u0301',
    '𝒳'.repeat(100),
  ],
  ...['株式会社', 'Zoë', '😀', '\u3164', '\u2028', '\u{e0041}', 'a\u00adb', '👩\u200d👧', '❤\ufe0f'],
  ...['ann@example.com', 'ANN@Example.COM', ' ann@example.com ', 'ann@localhost', 'a@b.c', '@example.com', 'a..b@c.de'],
  ...[`${'a'.repeat(64)}@example.com`, `${'a'.repeat(65)}@example.com`, 'ann@éxample.com', 'ann+x@example.com'],
  ...['Correct-horse-7', 'correct-horse-7', 'Short-1', 'ÀÉÎõü-٣٤', `Aa1${'x'.repeat(125)}`, `Aa1${'x'.repeat(126)}`],
  ...['Aa1\u0000aaaaa', 'Aa1\ud800aaaaa', 'Aa1 \n aaaa', '𝒳Aa1𝒳', 'acme', '-acme', 'acme-', 'ACME', 'a'.repeat(64)],
  ...[
    '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c01',
    '0199D0C0-7A11-7C3E-9D52-3F1E5B7A9C01',
    '00000000-0000-0000-0000-000000000000',
  ],
  ...['{0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c01}', 'urn:uuid:0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c01', 'active', 'ACTIVE'],
]
const values: unknown[] = [...strings, null, 1, true, [], {}, ['Owner'], [' '], Array(51).fill('Owner')]

/** What only Intl and the URL parser can tell: the document says the form, and the service looks closer. */
const LOOKED_AT_CLOSER = ['timezone', 'locale', 'avatar_url']

/** What descriptions say in words, because patterns that every language reads can't: the service refuses more than they do. */
function isSaidInWords(field: string, value: unknown): boolean {
  const text = String(value)
  if (/password$/i.test(field))
    return ![/\p{Lu}/u, /\p{Ll}/u, /\p{Nd}/u].every((kind) => kind.test(text)) || HALF.test(text)
  if (field === 'email') return text.indexOf('@') > 64
  return INVISIBLE.test(text) || text.replace(BLANK, '') === ''
}

const HALF = /\p{Cs}/u
const INVISIBLE = /[\p{Cs}\p{Default_Ignorable_Code_Point}]/u
const BLANK = /[\p{Z}\u2800]/gu

describe('the body of a request', () => {
  it('is accepted in the form of its example', () => {
    assert.ok(bodies.length > 10)
    for (const { name, accepts, documented } of bodies)
      assert.ok(accepts.safeParse(documented.example).success, `${name}: ${JSON.stringify(documented.example)}`)
  })

  it('is accepted wherever schema and words of the document allow it, whatever a field holds', () => {
    for (const { name, accepts, documented } of bodies) {
      const isAllowed = ajv.compile(documented.schema)
      for (const [field, body] of variantsOf(documented))
        if (isAllowed(body) && !LOOKED_AT_CLOSER.includes(field) && !isSaidInWords(field, body[field]))
          assert.ok(accepts.safeParse(body).success, `${name}: ${field} ${JSON.stringify(body[field])}`)
    }
  })

  it('is refused whenever the document refuses it, except for surrounding spaces', () => {
    for (const { name, accepts, documented } of bodies) {
      const isAllowed = ajv.compile(documented.schema)
      for (const [field, body] of variantsOf(documented)) {
        const value = body[field]
        const bare = { ...body, [field]: typeof value === 'string' ? value.trim().normalize('NFC') : value }
        if (accepts.safeParse(body).success)
          assert.ok(isAllowed(body) || isAllowed(bare), `${name}: ${field} ${JSON.stringify(value)}`)
      }
    }
  })
})

function variantsOf({ schema, example }: DocumentedBody['documented']): [string, Record<string, unknown>][] {
  const fields = Object.keys((schema as { properties: object }).properties)
  return fields.flatMap((field) => {
    const { [field]: _, ...others } = example
    const each = values.map((value): [string, Record<string, unknown>] => [field, { ...others, [field]: value }])
    return [[field, others], ...each]
  })
}
