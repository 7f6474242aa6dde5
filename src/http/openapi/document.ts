import type { z } from 'zod'
import { DEFAULT_NAME } from '../../brand/brand.ts'
import type { AnyDeclaration } from '../route-definition.ts'
import { Components, type Json } from './components.ts'
import { INTRODUCTION } from './introduction.ts'
import { describeOperation } from './operations.ts'
import { describedTags, tagOf } from './tags.ts'

/** The OpenAPI 3.1 document, gathered from the declarations that validate requests and write answers. */
export class OpenApiDocument {
  /** The product's name. */
  readonly #title: string
  readonly #paths: Record<string, Json> = {}
  readonly #components = new Components()
  readonly #tags = new Set<string>()

  constructor(title: string = DEFAULT_NAME) {
    this.#title = title
  }

  add(method: string, url: string, declaration: AnyDeclaration, answer: z.ZodType): void {
    const path = url.replace(/:(\w+)/g, '{$1}')
    const operation = describeOperation({ method, url, declaration, answer }, this.#components)
    this.#paths[path] = { ...this.#paths[path], [method.toLowerCase()]: operation }
    this.#tags.add(tagOf(declaration))
  }

  build(): Json {
    return {
      openapi: '3.1.0',
      info: {
        title: this.#title,
        version: '0.1.0',
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: describedTags(this.#tags),
      paths: this.#paths,
      components: { ...this.#components.build(), securitySchemes },
    }
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
