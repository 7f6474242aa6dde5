import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answer, Client } from './client.ts'

// Parses and runs request files in the format of REST Client for VS Code, which docs/http/auth.http explains.

interface HttpRequest {
  title: string
  name?: string | undefined
  expected: { status: number; code?: string | undefined }
  /** Expected values of parts of the answer. */
  parts: { part: string; value: string }[]
  method: string
  url: string
  headers: Record<string, string>
  body: string
}

export interface HttpFile {
  /** Groups of the documentation that the file covers completely. */
  covers: string[]
  variables: Record<string, string>
  requests: HttpRequest[]
}

/** The present value of `{{expression}}`. */
type Resolve = (expression: string) => Promise<string>

/** Values that a person fills in by hand, such as those from emails. */
export type ManualValues = Record<string, (resolve: Resolve) => Promise<string>>

export function parseHttpFile(text: string): HttpFile {
  const [head = '', ...blocks] = text.split(/^###/m)
  const covers = /Covers: ([\w ,]+)\./.exec(head)?.[1]?.split(', ') ?? []
  const variables = Object.fromEntries([...head.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name, value]) => [name, value]))
  const requests = blocks.map(parseRequest)
  return { covers, variables, requests }
}

function parseRequest(block: string): HttpRequest {
  const [title = '', ...lines] = block.trim().split('\n')
  const start = lines.findIndex((line) => !line.startsWith('#'))
  const [, status, code] = /^# answers (\d{3})(?: (\w+))?$/m.exec(block) ?? assert.fail(`${title}: answers what?`)
  const [first = '', ...rest] = lines.slice(start)
  const [, method, url] = /^(GET|POST|PUT|PATCH|DELETE) (\S+)$/.exec(first) ?? assert.fail(`${title}: asks for what?`)
  const end = rest.includes('') ? rest.indexOf('') : rest.length
  return {
    title: title.trim(),
    name: /^# @name (\w+)$/m.exec(block)?.[1],
    expected: { status: Number(status), code },
    parts: lines.slice(0, start).flatMap(partIn),
    method: method as string,
    url: url as string,
    headers: Object.fromEntries(rest.slice(0, end).map(headerIn)),
    body: rest
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

function partIn(line: string): { part: string; value: string }[] {
  if (!line.startsWith('# has ')) return []
  const [, part = '', value = ''] = /^# has (\S+) (.+)$/.exec(line) ?? assert.fail(`no part: ${line}`)
  return [{ part, value }]
}

function headerIn(line: string): [string, string] {
  const [, name = '', value = ''] = /^([\w-]+): (.+)$/.exec(line) ?? assert.fail(`no header: ${line}`)
  return [name.toLowerCase(), value]
}

/** Sends the requests in order, asserts their status, code and named parts, and returns the called operations. */
export async function runHttpFile(
  { variables, requests }: HttpFile,
  client: Client,
  given: ManualValues,
): Promise<string[]> {
  const answers = new Map<string, Answer>()
  const resolve: Resolve = async (expression) => {
    if (expression === 'api') return client.address
    if (expression === '$guid') return randomUUID()
    const [, name = '', part] = /^(\w+)\.response\.(.+)$/.exec(expression) ?? []
    if (part) return partOf(answers.get(name) ?? assert.fail(`${expression}: nothing was answered to that yet`), part)
    const value = given[expression]?.(resolve) ?? variables[expression]
    return fill((await value) ?? assert.fail(`{{${expression}}} is not known`), resolve)
  }
  const called: string[] = []
  for (const { title, name, expected, parts, method, url, headers, body } of requests) {
    const path = (await fill(url, resolve)).slice(client.address.length)
    const raw = body === '' ? {} : { raw: await fill(body, resolve) }
    const sent: Record<string, string> = {}
    for (const [header, value] of Object.entries(headers)) sent[header] = await fill(value, resolve)
    const answer = await client.send(method, path, undefined, { headers: sent, ...raw })
    const { status, body: got } = answer
    assert.deepEqual({ status, code: got.code }, expected, `${title}: ${JSON.stringify(got)}`)
    for (const { part, value } of parts)
      assert.equal(partOf(answer, part), await fill(value, resolve), `${title}: ${part}`)
    if (name) answers.set(name, answer)
    called.push(`${method} ${url}`)
  }
  return called
}

async function fill(text: string, resolve: Resolve): Promise<string> {
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: expression = '', index } of text.matchAll(/\{\{(.+?)\}\}/g)) {
    filled += text.slice(end, index) + (await resolve(expression))
    end = index + whole.length
  }
  return filled + text.slice(end)
}

/** `headers.etag`, or `body.$.data[0].id`. */
function partOf({ headers, body }: Answer, part: string): string {
  const [, header] = /^headers\.([\w-]+)$/.exec(part) ?? []
  if (header) return headers.get(header) ?? assert.fail(`no header ${header}`)
  const keys = part.replace('body.$', '').match(/\w+/g) ?? []
  const value = keys.reduce((inner, key) => inner?.[key], body)
  if (!['string', 'number', 'boolean'].includes(typeof value))
    assert.fail(`nothing at ${part}: ${JSON.stringify(body)}`)
  return String(value)
}
