import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { type ProblemCode, statusOf } from '../problems.ts'
import type { Access } from './access.ts'
import type { AnyDeclaration } from './declarations.ts'
import { ErrorBody } from './envelope.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document, gathered from the declarations that validate requests and write answers. */
export class OpenApiDocument {
  readonly #paths: Record<string, Json> = {}
  readonly #components: Json = {}

  add(method: string, url: string, declaration: AnyDeclaration, answer: z.ZodType): void {
    const path = url.replace(/:(\w+)/g, '{$1}')
    this.#paths[path] = { ...this.#paths[path], [method.toLowerCase()]: this.#operation(declaration, answer, url) }
  }

  build(): Json {
    return {
      openapi: '3.1.0',
      info: {
        title: 'Tenantry',
        version: '0.1.0',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: tagsOf(this.#paths),
      paths: this.#paths,
      components: {
        schemas: Object.fromEntries(Object.entries(this.#components).sort(([a], [b]) => a.localeCompare(b))),
        securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    }
  }

  #operation(declaration: AnyDeclaration, answer: z.ZodType, url: string): Json {
    const { access, operationId, summary, description, params, query, body, status = 200, limit } = declaration
    const content = contentOf(this.#schema(answer, 'output'), declaration)
    const company = typeof access === 'object'
    return {
      operationId,
      summary,
      ...(description && { description }),
      tags: [url.split('/')[2]],
      security: access === 'anyone' ? [] : [{ accessToken: [] }],
      ...(company && { 'x-permission': access.company }),
      ...(limit && { 'x-rate-limit': `${limit.requests} requests per ${limit.perSeconds} s` }),
      parameters: [
        ...this.#parameters(params, 'path'),
        ...this.#parameters(query, 'query'),
        ...(company ? [COMPANY_HEADER] : []),
      ],
      ...(body && { requestBody: { required: true, content: json(this.#schema(body, 'input')) } }),
      responses: {
        [status]: { description: STATUS_CODES[status], content },
        ...this.#refusals(declaration),
      },
    }
  }

  #refusals(declaration: AnyDeclaration): Json {
    const codes = Map.groupBy(refusalsOf(declaration), statusOf)
    const schema = this.#schema(ErrorBody, 'output')
    return Object.fromEntries(
      [...codes]
        .sort(([a], [b]) => a - b)
        .map(([status, names]) => [
          status,
          { description: names.map((name) => `\`${name}\``).join(', '), content: json(schema) },
        ]),
    )
  }

  #parameters(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
    if (!schema) return []
    const { properties = {}, required = [] } = this.#schema(schema, 'input') as {
      properties?: Json
      required?: string[]
    }
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      schema: property,
    }))
  }

  /** Schemas with an id are written once, as components. */
  #schema(schema: z.ZodType, io: 'input' | 'output'): Json {
    const generated = z.toJSONSchema(schema, { target: 'draft-2020-12', io, override: forReading })
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = JSON.parse(JSON.stringify(generated).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & {
      $defs?: Json
    }
    for (const [name, definition] of Object.entries($defs)) this.#components[name] = withoutId(definition as Json)
    if (typeof rest.id !== 'string') return rest
    this.#components[rest.id] = withoutId(rest)
    return { $ref: `#/components/schemas/${rest.id}` }
  }
}

/** What a route may refuse: what its access, its limits and its schemas imply, and what its rules declare. */
function refusalsOf({ access, params, query, body, problems = [] }: AnyDeclaration): ProblemCode[] {
  const codes = new Set<ProblemCode>(problems)
  if (params || query || body) codes.add('validation_failed')
  if (body) for (const code of ['malformed_json', 'body_too_large', 'body_not_json'] as const) codes.add(code)
  for (const code of refusalsOfAccess(access)) codes.add(code)
  for (const code of ['rate_limited', 'internal_error', 'overloaded', 'database_unavailable'] as const) codes.add(code)
  return [...codes]
}

function refusalsOfAccess(access: Access): ProblemCode[] {
  if (access === 'anyone') return []
  const signedIn: ProblemCode[] = ['token_missing', 'token_invalid']
  if (access === 'account with any password') return signedIn
  if (access === 'account') return [...signedIn, 'password_change_required']
  return [
    ...signedIn,
    'password_change_required',
    'company_header_missing',
    'not_a_member',
    'permission_missing',
    ...(access.sameAs ? (['company_mismatch'] as const) : []),
  ]
}

const INTRODUCTION = `Accounts, companies, members, roles and permissions of a multi-tenant service.

Sign up with \`POST /api/auth/register\`, send the access token as \`Authorization: Bearer …\`, and name the company to
act in by \`x-company-id\`. Every answer is an envelope with \`success\` and \`data\`; every error has a \`code\` for programs.`

const COMPANY_HEADER = {
  name: 'x-company-id',
  in: 'header',
  required: true,
  description: 'The company to act in.',
  schema: { type: 'string', format: 'uuid' },
}

const json = (schema: Json) => ({ 'application/json': { schema } })
const contentOf = (schema: Json, { mediaTypes = ['application/json'] }: AnyDeclaration) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema }]))
const withoutId = ({ id: _, ...schema }: Json) => schema

/** Patterns of addresses, dates and numbers are long and help no reader. */
function forReading({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format || jsonSchema.type === 'integer') delete jsonSchema.pattern
}

function tagsOf(paths: Record<string, Json>): { name: string }[] {
  return [...new Set(Object.keys(paths).map((path) => path.split('/')[2] as string))].map((name) => ({ name }))
}
