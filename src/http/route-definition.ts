import type { z } from 'zod'
import type { AuditAction } from '../access/actions.ts'
import type { Actor, CompanyActor, RequestInfo } from '../access/actors.ts'
import type { Access, Requirements } from '../access/requirements.ts'
import type { SessionCaller } from '../access/sessions.ts'
import type { Tx } from '../database/open.ts'
import type { LanguageTag } from '../lib/languages.ts'
import type { ProblemCode } from '../problems.ts'
import type { RouteLimit } from './limits/limits.ts'
import type { Tag } from './openapi/tags.ts'
import type { SessionCookieUse } from './session-cookie.ts'

/** Everything about a route except its handler. */
export interface Declaration<A extends Access, Params, Query, Body, Data, Prepared = unknown> extends Requirements<A> {
  /** Its name in the audit log: `<resource>.<verb>`. */
  action: AuditAction
  /** Applies in addition to the general limit. */
  limit?: RouteLimit
  docs: Docs
  request?: RequestSchemas<Params, Query, Body>
  response: ResponseDefinition<Data>
  version?: VersionDefinition<HandlerContext<A, Params, Query, Body>, Data>
  idempotency?: IdempotencyDefinition<Params, Data>
  /** For a route with a refresh token in its request or response: where a browser keeps it. */
  sessionCookie?: SessionCookieUse
  /** The problems of its rules, in addition to those of access, limits and validation. */
  problems?: readonly ProblemCode[]
  /**
   * For a route of an account that reads its answer together with the session, in one statement: SQL of more columns; the
   * handler gets the row as `session`. It may use `accounts`, `sessions` and $1, the account.
   */
  readsWithSession?: string
  /**
   * For a write in a company that can be tried: whether this request only tells what would happen. It takes no lock, so that it
   * holds up no change, and its statements may take longer.
   */
  isDryRun?: (request: { query: Query }) => boolean
  /**
   * Of a write in a company whose effect later depends on whether its author still stands by it, such as an invitation: it is
   * written before the author's session ends, or not at all.
   */
  vouches?: true
  /** Slow work before a company's transaction, such as hashing; the handler gets its result as `prepared`. */
  prepare?: (context: Omit<HandlerContext<A, Params, Query, Body>, 'tx'>) => Promise<Prepared>
}

export interface Docs {
  /** The name of the operation in the documentation and in generated clients. */
  operationId: string
  summary: string
  description?: string
  /** Its group in the documentation; by default the resource of `action` decides. */
  tag?: Tag
}

export interface RequestSchemas<Params, Query, Body> {
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
}

export interface ResponseDefinition<Data> {
  /** The schema of `data`, or of one item of a list. */
  data: z.ZodType<Data>
  /** 201 for a route that creates something; 200 otherwise. */
  status?: 201
  message?: string | ((data: Data) => string)
  /** The texts are in the preferred language of `Accept-Language`; `Content-Language` names it. */
  localized?: true
  /** Of a download: its possible media types, instead of JSON. */
  mediaTypes?: Record<string, DownloadFormat>
  /** How long the connection may be idle before the response, if longer than for other routes. */
  timeoutMs?: number
}

/** Describes a download in the documentation. */
export interface DownloadFormat {
  description: string
  /** The schema of one line, where each line is JSON. */
  line?: z.ZodType
  example: string
}

export interface VersionDefinition<Context, Data> {
  /**
   * `data` is the current state of one resource: the response has a strong ETag, and a GET supports If-None-Match. A
   * function decides for each response, where some show a dry run.
   */
  etag?: true | ((data: Data) => boolean)
  /** Of a write in a company: the resource before the change, as its GET returns it. The route then supports If-Match. */
  current?: (context: Context) => Promise<unknown>
}

/** How a write responds to a repetition with the same `Idempotency-Key`. By default it repeats its response. */
export interface IdempotencyDefinition<Params, Data> {
  /**
   * The body contains a password: the same key with another body is another request, so that every guess is verified and
   * counted, and none gets a stored response.
   */
  keyIncludesBody?: true
  /**
   * The request may remove the caller's own access, as leaving a company does: a repetition then gets the stored response
   * although the caller has lost access. Only for routes without a body and without a secret in their response.
   */
  replayAfterAccessLoss?: true
  /** The response contains a secret, such as a token: see docs/decisions/0021-stored-responses.md. */
  secret?: StoredSecret<Params, Data>
  /** The rule repeats its own responses and returns them as `Replayed`. */
  handledByRule?: true
}

/** A stored response that contains a secret is repeated for at most ten minutes. */
export interface StoredSecret<Params, Data> {
  /** Whether the secret is still valid: nothing that it depends on has changed since. */
  isValid: (data: Data, params: Params, actor: Actor | undefined) => Promise<boolean>
  /** What a repetition does afterwards: run again, or be refused where that would undo later changes. */
  otherwise: 'repeat' | 'refuse'
}

/** The result of a handler whose caller has received this data before. */
export class Replayed<Data> {
  readonly data: Data

  constructor(data: Data) {
    this.data = data
  }
}

/** A handler's input: the parsed request and, by the declared access, the actor and the company's transaction. */
export type HandlerContext<A extends Access, Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
  caller: RequestInfo
  /** Only for a `localized` route. */
  language?: LanguageTag
} & (A extends {
  company: unknown
}
  ? { actor: CompanyActor; tx: Tx }
  : A extends 'anyone'
    ? unknown
    : { actor: Actor; session: object })

/**
 * The input of a read's handler. In a company it begins before access is decided, so it gets the actor only by asking, and
 * the results of its statements only once access is granted.
 */
export type ReadContext<A extends Access, Params, Query> = A extends { company: unknown }
  ? {
      params: Params
      query: Query
      language?: LanguageTag
      tx: Tx
      caller: SessionCaller
      actor(): Promise<CompanyActor>
    }
  : HandlerContext<A, Params, Query, undefined>

export type AnyDeclaration = Declaration<Access, unknown, unknown, unknown, unknown>

/** A declaration with its method and path. */
export interface Operation {
  method: string
  url: string
  declaration: AnyDeclaration
  /** The schema of the whole body of a successful response. */
  responseSchema: z.ZodType
}
