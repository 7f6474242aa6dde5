import { VERSION } from '../../lib/version.ts'
import type { Operation } from '../route-definition.ts'
import { Components, type Json } from './components.ts'
import { INTRODUCTION } from './introduction.ts'
import { describeOperation } from './operations.ts'
import { describedTags, tagOf } from './tags.ts'

/** The whole document of a service with these operations. */
export function describeService(title: string, operations: Operation[]): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: VERSION,
      description: INTRODUCTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: describedTags(new Set(operations.map(({ declaration }) => tagOf(declaration)))),
    paths,
    components: { ...components.build(), securitySchemes },
  }
}

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The `accessToken` from `POST /api/auth/register`, `login`, or `refresh`. Valid for 15 minutes.',
  },
  company: {
    type: 'apiKey',
    in: 'header',
    name: 'x-company-id',
    description:
      'ID of the company to work in: one from `tenants`, where you’re an active member. It isn’t a secret; ' +
      'it’s described beside the token so that a client sets it once for all operations that need it.',
  },
}
