import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { countAnswer } from './tally.ts'

/** An answer as it was received. */
export interface Received {
  status: number
  headers: Headers
  text: string
}

type Json = Record<string, unknown>
interface Header {
  required?: boolean
  schema: Json
}
interface Response {
  headers?: Record<string, Header | { $ref: string }>
  content?: Record<string, { schema: Json }>
}
interface Operation {
  responses: Record<string, Response | { $ref: string }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { headers?: Record<string, Header> }
}

const DOCUMENT = 'document'
const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

/** Checks answers against the OpenAPI document of an app. */
export class Contract {
  readonly #document: Document
  readonly #ajv: Ajv2020
  readonly #paths: { path: string; segments: string[] }[]
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: object) {
    this.#document = document as Document
    // The document is not a schema, but contains the schemas that its references point to.
    // Most schemas check a few answers, so compiling them takes longer than using them.
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, coerceTypes: false, code: { optimize: false } })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: DOCUMENT, ...document })
    this.#paths = Object.keys(this.#document.paths)
      .map((path) => ({ path, segments: path.split('/') }))
      .sort((a, b) => byLiterals(a.segments, b.segments))
  }

  /** Throws when the document does not list this answer for the request. */
  check(method: string, target: string, received: Received): void {
    if (method === 'OPTIONS' || UNDOCUMENTED.test(target)) return
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
    const path = this.#pathOf(target, verb)
    const where = `${method} ${target.split('?')[0]} → ${received.status}`
    if (path === undefined) this.#checkUnknown(received, method, where)
    else this.#checkListed(['paths', path, verb, 'responses', String(received.status)], received, method, where)
    countAnswer()
  }

  #pathOf(target: string, verb: string): string | undefined {
    const segments = (target.split('?')[0] as string).split('/').map(decoded)
    const found = this.#paths.find(({ path, segments: own }) => verb in this.#operations(path) && fits(segments, own))
    return found?.path
  }

  #operations = (path: string) => this.#document.paths[path] as Record<string, Operation>

  /** Without an operation at the path only the shape of errors is guaranteed. */
  #checkUnknown({ status, headers, text }: Received, method: string, where: string): void {
    assert.ok(status >= 400, `${where}: a success at an address that the document does not list`)
    assertJson(headers, where)
    if (method === 'HEAD') return
    const body = parsed(text, where)
    this.#validate('components/schemas/Problem', body, where)
    assert.equal((body as Json).statusCode, status, `${where}: statusCode of the body`)
  }

  #checkListed(pointer: string[], received: Received, method: string, where: string): void {
    const { part: response, pointer: place } = this.#find<Response>(pointer)
    assert.ok(response, `${where}: this status is not listed for the operation`)
    this.#checkHeaders(response, place, received.headers, where)
    if (response.content) this.#checkBody(response.content, place, received, method, where)
    else assertNoBody(received, where)
  }

  #checkBody(
    content: NonNullable<Response['content']>,
    place: string[],
    received: Received,
    method: string,
    where: string,
  ): void {
    const type = received.headers.get('content-type')?.split(';')[0]?.toLowerCase() ?? 'no content type'
    assert.ok(type in content, `${where}: content-type ${type} is not listed for this status`)
    if (type === JSON_TYPE) assertJson(received.headers, where)
    if (method === 'HEAD') return
    const schema = [...place, 'content', type, 'schema'].map(escaped).join('/')
    this.#validate(schema, type === JSON_TYPE ? parsed(received.text, where) : received.text, where)
    if (type === LINES_TYPE)
      for (const line of received.text.split('\n').filter((text) => text !== ''))
        this.#validate(`${schema}/contentSchema`, parsed(line, where), where)
  }

  #checkHeaders(response: Response, place: string[], headers: Headers, where: string): void {
    const declared = Object.keys(response.headers ?? {})
    for (const name of declared) {
      const { part: header, pointer } = this.#find<Header>([...place, 'headers', name])
      const value = headers.get(name)
      assert.ok(header, `${where}: header ${name} refers to nothing`)
      if (value === null) assert.ok(!header.required, `${where}: header ${name} is missing`)
      else
        this.#validate([...pointer, 'schema'].map(escaped).join('/'), typed(value, header), `${where}: header ${name}`)
    }
    const known = Object.keys(this.#document.components.headers ?? {})
    const undeclared = known.filter((name) => headers.has(name) && !declared.includes(name))
    assert.deepEqual(undeclared, [], `${where}: headers that are not listed for this status`)
  }

  /** Follows references to a part of the document, and returns it with its own pointer. */
  #find<Part>(pointer: string[]): { part: Part | undefined; pointer: string[] } {
    const part = pointer.reduce<unknown>((json, key) => (json as Json | undefined)?.[key], this.#document)
    const { $ref } = (part ?? {}) as { $ref?: string }
    if ($ref === undefined) return { part: part as Part | undefined, pointer }
    return this.#find($ref.slice('#/'.length).split('/'))
  }

  #validate(place: string, value: unknown, where: string): void {
    const known = this.#validators.get(place)
    const validate = known ?? this.#ajv.compile({ $ref: `${DOCUMENT}#/${encodeURI(place)}` })
    if (!known) this.#validators.set(place, validate)
    if (validate(value)) return
    const errors = validate.errors?.map(({ instancePath, message, params }) => {
      return `${instancePath || 'it'} ${message} ${JSON.stringify(params)}`
    })
    assert.fail(`${where}: not as documented: ${errors?.join('; ')}\n${JSON.stringify(value)}`)
  }
}

/** The documentation page, which the document does not describe. */
const UNDOCUMENTED = /^\/api\/docs/

/** Orders paths like the router: a literal segment before a parameter. */
function byLiterals(a: string[], b: string[]): number {
  const index = a.findIndex((segment, at) => isParameter(segment) !== isParameter(b[at] ?? ''))
  return index === -1 ? 0 : Number(isParameter(a[index] as string)) - Number(isParameter(b[index] ?? ''))
}

const isParameter = (segment: string) => segment.startsWith('{')

const fits = (segments: (string | undefined)[], own: string[]) =>
  segments.length === own.length && own.every((part, at) => isParameter(part) || part === segments[at])

/** Undefined for a malformed encoding, which can still be the value of a parameter. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

const typed = (value: string, { schema }: Header) =>
  schema.type === 'integer' && /^-?\d+$/.test(value) ? Number(value) : value

function assertJson(headers: Headers, where: string): void {
  const type = headers.get('content-type') ?? 'no content type'
  assert.equal(type.toLowerCase(), `${JSON_TYPE}; charset=utf-8`, `${where}: content-type`)
}

function assertNoBody({ headers, text }: Received, where: string): void {
  assert.deepEqual([headers.get('content-type'), text], [null, ''], `${where}: a body where none is listed`)
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return assert.fail(`${where}: the body is not JSON: ${text.slice(0, 200)}`)
  }
}

const contracts = new Map<string, Contract>()
/** Services of one file often have the same document. */
const contractFor = new WeakMap<object, Contract>()

/** Registers the document that all further answers from this address are checked against. */
export function checkAnswersFrom(document: object, address: string): void {
  const contract = contractFor.get(document) ?? new Contract(document)
  contractFor.set(document, contract)
  contracts.set(new URL(address).origin, contract)
}

export const contractOf = (address: string): Contract | undefined => contracts.get(new URL(address).origin)
