/** A JSON Schema, as far as the fuzzer reads it. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  examples?: unknown[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

export interface DocumentedAnswer {
  $ref?: string
  description?: string
  headers?: Record<string, { required?: boolean; schema?: Schema }>
  content?: Record<string, { schema?: Schema }>
}

export interface Operation {
  id: string
  /** In upper case. */
  method: string
  /** With its parameters in braces, such as `/api/companies/{id}`. */
  path: string
  /** It needs an access token. */
  secured: boolean
  permission: string | undefined
  /** What the session must have proved lately. */
  proof: 'of a second factor' | 'of the account' | undefined
  /** Only members of the company may call it, with or without a permission. */
  forMembers: boolean
  /** The company comes from the header; otherwise the path names it. */
  inCompany: boolean
  parameters: Parameter[]
  body: Schema | undefined
  answers: Record<string, DocumentedAnswer>
}

/** The OpenAPI document of the service under test, the only source of its operations. */
export class ApiDocument {
  readonly json: Json
  readonly operations: Operation[]

  constructor(document: object) {
    this.json = document as Json
    const paths = this.json.paths as Record<string, Record<string, Json>>
    this.operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.has(method))
        .map(([method, operation]) => this.#operation(method, path, item, operation)),
    )
  }

  /** Follows references; anything without one is returned as it is. */
  resolve<Part extends { $ref?: string }>(part: Part): Part {
    if (part.$ref === undefined) return part
    const keys = part.$ref
      .slice(2)
      .split('/')
      .map((key) => decodeURIComponent(key).replace(/~1/g, '/').replace(/~0/g, '~'))
    return this.resolve(keys.reduce((found, key) => found[key] as Json, this.json) as unknown as Part)
  }

  /** The operation that a request reaches: of those that match, the one with the fewest parameters. */
  operationAt(method: string, address: string): Operation | undefined {
    const path = decoded(address.split(/[?#]/)[0] as string)
    if (path === undefined) return undefined
    const parameters = ({ path }: Operation) => path.split('{').length
    return this.operations
      .filter((operation) => operation.method === method && patternOf(operation.path).test(path))
      .sort((a, b) => parameters(a) - parameters(b))[0]
  }

  #operation(method: string, path: string, item: Json, operation: Json): Operation {
    const shared = [item.parameters, operation.parameters].flat().filter(Boolean) as Parameter[]
    const parameters = shared.map((parameter) => this.resolve(parameter as Parameter & { $ref?: string }))
    const body = operation.requestBody && this.resolve(operation.requestBody as { $ref?: string; content?: Json })
    const security = (operation.security ?? this.json.security ?? []) as object[]
    const answers = Object.entries(operation.responses as Record<string, DocumentedAnswer>)
    return {
      id: operation.operationId as string,
      method: method.toUpperCase(),
      path,
      secured: security.length > 0,
      permission: permissionIn(operation['x-permission']),
      proof: proofIn(String(operation.description)),
      forMembers: operation['x-permission'] !== undefined,
      inCompany: security.some((needed) => this.#headersIn(needed).includes('x-company-id')),
      parameters,
      body: (body as { content?: Record<string, { schema: Schema }> } | undefined)?.content?.['application/json']
        ?.schema,
      answers: Object.fromEntries(answers.map(([status, answer]) => [status, this.resolve(answer)])),
    }
  }

  /** The headers that carry what a security requirement asks for, beside the token. */
  #headersIn(requirement: object): string[] {
    const { securitySchemes } = this.json.components as {
      securitySchemes: Record<string, { in?: string; name?: string }>
    }
    const schemes = Object.keys(requirement).map((name) => securitySchemes[name])
    return schemes.flatMap((scheme) => (scheme?.in === 'header' ? [String(scheme.name).toLowerCase()] : []))
  }
}

type Json = { [key: string]: unknown }

const METHODS = new Set(['get', 'put', 'post', 'patch', 'delete'])

function proofIn(description: string): Operation['proof'] {
  if (description.includes('If you have a second factor, this session must have proved it')) return 'of a second factor'
  return description.includes('This session must have proved your second factor') ? 'of the account' : undefined
}

const permissionIn = (text: unknown) => (typeof text === 'string' && /^\w+:\w+$/.test(text) ? text : undefined)

/** The company that an address names, such as `/api/companies/{id}/leave`. */
export function companyInPath(address: string): string | undefined {
  const path = decoded(address.split(/[?#]/)[0] as string) ?? ''
  return /^\/api\/(?:auth\/)?companies\/([0-9a-f-]{36})(\/|$)/i.exec(path)?.[1]?.toLowerCase()
}

/** Decodes a path as the router does; undefined when its encoding is malformed. */
function decoded(path: string): string | undefined {
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}

const patterns = new Map<string, RegExp>()
function patternOf(template: string): RegExp {
  const known = patterns.get(template)
  if (known) return known
  const source = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]*')
  const pattern = new RegExp(`^${source}$`)
  patterns.set(template, pattern)
  return pattern
}
