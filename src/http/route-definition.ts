import type { z } from 'zod'
import type { Access } from '../access/access.ts'
import type { AuditAction } from '../access/actions.ts'
import type { Actor, CompanyActor, RequestInfo } from '../access/actors.ts'
import type { Tx } from '../database/open.ts'
import type { LanguageTag } from '../lib/languages.ts'
import type { ProblemCode } from '../problems.ts'
import type { RouteLimit } from './limits.ts'
import type { Tag } from './openapi/tags.ts'

/** A route: everything that is known of it before a request comes. */
export interface Declaration<A extends Access, Params, Query, Body, Data, Prepared = unknown> {
  access: A
  /** Its name in the audit log: `<resource>.<verb>`. */
  action: AuditAction
  /** On top of the general limit. */
  limit?: RouteLimit
  docs: Docs
  request?: RequestSchemas<Params, Query, Body>
  response: ResponseDefinition<Data>
  version?: VersionDefinition<HandlerContext<A, Params, Query, Body>, Data>
  idempotency?: IdempotencyDefinition<Params, Data>
  /** What its rules may refuse, besides what access, limits and validation may. */
  problems?: readonly ProblemCode[]
  /** Slow work ahead of a company's transaction, such as hashing; the handler gets its result as `prepared`. */
  prepare?: (context: Omit<HandlerContext<A, Params, Query, Body>, 'tx'>) => Promise<Prepared>
}

export interface Docs {
  /** The name of the operation in the documentation and in generated clients. */
  operationId: string
  summary: string
  description?: string
  /** Its group in the documentation, where the resource of `action` does not tell. */
  tag?: Tag
}

export interface RequestSchemas<Params, Query, Body> {
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
}

export interface ResponseDefinition<Data> {
  /** What `data` is, or one item of it. */
  data: z.ZodType<Data>
  /** 201 for a route that creates something; 200 otherwise. */
  status?: 201
  message?: string | ((data: Data) => string)
  /** The texts are in the language that `Accept-Language` wants most: `Content-Language` tells which. */
  localized?: true
  /** Of a download: the types that it may have, in place of JSON. */
  mediaTypes?: Record<string, DownloadFormat>
  /** How long the connection may stay silent until the response comes, where that is longer than for others. */
  timeoutMs?: number
}

/** What a download looks like, for readers of the documentation. */
export interface DownloadFormat {
  description: string
  /** What one line is, where each is JSON. */
  line?: z.ZodType
  example: string
}

export interface VersionDefinition<Context, Data> {
  /**
   * `data` is one resource in its present state: the response carries a strong ETag, and a GET heeds If-None-Match. A
   * function tells it of each response, where some show what would be.
   */
  etag?: true | ((data: Data) => boolean)
  /** Of a write in a company: what it is about to change, as its GET shows it. With it the route heeds If-Match. */
  current?: (context: Context) => Promise<unknown>
}

/** How a write answers a repetition with the same `Idempotency-Key`. Without any of these it repeats its response. */
export interface IdempotencyDefinition<Params, Data> {
  /**
   * The body holds a password that could be guessed: with another body the same key is another request, so that no guess
   * is answered by a stored response, and each is counted.
   */
  keyIncludesBody?: true
  /**
   * Its own success may take the caller's access, as leaving a company does: a repetition is then answered by the stored
   * response although the caller has no access any more. Only for routes without a body and without a secret in their
   * response.
   */
  replayAfterAccessLoss?: true
  /** The response holds a secret, such as a token: see docs/decisions/0021-stored-responses.md. */
  secret?: StoredSecret<Params, Data>
  /** The rule repeats its own responses, and tells by `Replayed`. */
  handledByRule?: true
}

/** A stored response with a secret in it is repeated for ten minutes at most. */
export interface StoredSecret<Params, Data> {
  /** The secret still is what it was when it was given: nothing that it came of has changed. */
  isValid: (data: Data, params: Params) => Promise<boolean>
  /** What a repetition does after that. `refuse` where doing it again would undo what has happened since. */
  otherwise: 'repeat' | 'refuse'
}

/** What a handler gives back instead of data that its caller has had before. */
export class Replayed<Data> {
  readonly data: Data

  constructor(data: Data) {
    this.data = data
  }
}

/** What a handler is given: the parsed request and, by the declared access, the actor and the company's transaction. */
export type HandlerContext<A extends Access, Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
  caller: RequestInfo
  /** Of a route that is `localized`. */
  language?: LanguageTag
} & (A extends {
  company: unknown
}
  ? { actor: CompanyActor; tx: Tx }
  : A extends 'anyone'
    ? unknown
    : { actor: Actor })

export type AnyDeclaration = Declaration<Access, unknown, unknown, unknown, unknown>

/** A declared route in its place. */
export interface Operation {
  method: string
  url: string
  declaration: AnyDeclaration
  /** The whole body of its success. */
  answer: z.ZodType
}
