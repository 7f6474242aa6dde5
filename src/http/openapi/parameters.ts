import type { z } from 'zod'
import type { Operation } from '../route-definition.ts'
import type { Components, Json } from './components.ts'
import { schemaOf } from './schemas.ts'

interface SharedParameter {
  /** Its name as a component. */
  component: string
  isOn(operation: Operation): boolean
  parameter: Json
}

/** Headers that many operations read. One more is one more entry here. */
const shared: SharedParameter[] = [
  {
    component: 'IdempotencyKey',
    isOn: ({ method }) => method !== 'GET',
    parameter: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A unique key of your choice for this request. Retrying with the same key doesn’t repeat the effect. Kept for 24 hours.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 },
    },
  },
  {
    component: 'Session',
    isOn: ({ declaration }) => ['refreshes', 'ends'].includes(declaration.sessionCookie ?? ''),
    parameter: {
      name: 'x-session',
      in: 'header',
      required: false,
      description:
        'For browsers that signed in with `sessionIn`: the refresh token is in the session cookie. Needs an `Origin` header that this service allows.',
      schema: { type: 'string', const: 'cookie' },
    },
  },
  {
    component: 'IfMatch',
    isOn: ({ declaration }) => declaration.version?.current !== undefined,
    parameter: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'The `ETag` you last received. If the resource has changed since, nothing happens and you get 412.',
      schema: { type: 'string', maxLength: 1000 },
    },
  },
  {
    component: 'AcceptLanguage',
    isOn: ({ declaration }) => declaration.response.localized === true,
    parameter: {
      name: 'Accept-Language',
      in: 'header',
      required: false,
      description: 'Preferred languages (RFC 9110, section 12.5.4).',
      schema: { type: 'string', maxLength: 1000 },
      example: 'pt-BR, es;q=0.8',
    },
  },
  {
    component: 'IfNoneMatch',
    isOn: ({ method, declaration }) => method === 'GET' && declaration.version?.etag === true,
    parameter: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'The `ETag` you last received. If nothing has changed, you get 304 without a body.',
      schema: { type: 'string', maxLength: 1000 },
    },
  },
]

/** What parameters of paths mean; those of queries say it in their schemas. */
const descriptionsInPaths: Record<string, string> = {
  userId: 'The id of the account, as in `id` of a member.',
  branchId: 'The id of the branch.',
  roleId: 'The id of the role.',
}

export function describeParameters(operation: Operation, components: Components): Json[] {
  const { params, query } = operation.declaration.request ?? {}
  return [
    ...(params ? parametersIn(params, 'path', components) : []),
    ...(query ? parametersIn(query, 'query', components) : []),
    ...shared
      .filter(({ isOn }) => isOn(operation))
      .map(({ component, parameter }) => components.refer('parameters', component, parameter)),
  ]
}

function parametersIn(schema: z.ZodType, where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = schemaOf(schema, 'input', components) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description = descriptionsInPaths[name], ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }))
}
