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
export interface Declaration<A extends Access, Params, Query, Body, Answer, Prepared = unknown> {
  access: A
  /** What the audit calls it: `<resource>.<verb>`. */
  action: AuditAction
  /** The name of the operation in the documentation and in clients generated from it. */
  operationId: string
  summary: string
  description?: string
  /** Its group in the documentation, where the resource of `action` does not tell. */
  tag?: Tag
  /** On top of the general limit. */
  limit?: RouteLimit
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: z.ZodType<Body>
  /** What `data` is, or one item of it. */
  answer: z.ZodType<Answer>
  /** How long the connection may stay silent until the answer comes, where that is longer than for others. */
  patienceMs?: number
  /** Of a download: the types that it may have, in place of JSON. */
  mediaTypes?: Record<string, DownloadFormat>
  /** 201 for what creates something; 200 otherwise. */
  status?: 201
  message?: string | ((answer: Answer) => string)
  /** Slow work ahead of a company's transaction, such as hashing; the handler gets its result as `prepared`. */
  prepare?: (asked: Omit<HandlerContext<A, Params, Query, Body>, 'tx'>) => Promise<Prepared>
  /** What the rules behind it may refuse, besides what access, limits and validation may. */
  problems?: readonly ProblemCode[]
  /**
   * The answer's `data` is one resource in its present state: it carries a strong ETag, and a GET heeds If-None-Match. A
   * function tells it of each answer, where some show what would be.
   */
  versioned?: true | ((answer: Answer) => boolean)
  /** The answer's texts are in the language that `Accept-Language` wants most: `Content-Language` tells which. */
  localized?: true
  /**
   * What a write in a company is about to change, as its GET shows it, read under the lock that the write takes too.
   * With it the route heeds If-Match.
   */
  current?: (asked: HandlerContext<A, Params, Query, Body>) => Promise<unknown>
  /**
   * What is sent holds a password that somebody may be guessing: with another body the same `Idempotency-Key` is another
   * request, so that no guess is answered by what was kept, and each is counted.
   */
  guessable?: true
  /**
   * Its own success may take the caller's access, as leaving a company does: a retry is then answered by what was kept,
   * although its sender may not ask any more. Only for routes without a body and without a secret in their answer.
   */
  endsAccess?: true
  /** For a route whose answer holds a secret, such as a token: what bounds its repetition to a retry. */
  secretAnswer?: SecretAnswer<Params, Answer>
  /** A route that repeats its own answers by `Idempotency-Key`, and tells by `Repeated`. */
  ownRetries?: true
}

/** What a download looks like, for readers of the documentation. */
export interface DownloadFormat {
  description: string
  /** What one line is, where each is JSON. */
  line?: z.ZodType
  example: string
}

/** A kept answer with a secret in it is repeated for ten minutes at most: see docs/decisions/0021-kept-answers.md. */
export interface SecretAnswer<Params, Answer> {
  /** Whether the secret still is what it was when it was given: nothing that it came of has changed. */
  stillHolds: (answer: Answer, params: Params) => Promise<boolean>
  /** What a retry gets after that. `refused` where doing it a second time would undo what has happened since. */
  otherwise: 'done anew' | 'refused'
}

/** What a handler gives back instead of an answer that its caller has had before. */
export class Replayed<Answer> {
  readonly answer: Answer

  constructor(answer: Answer) {
    this.answer = answer
  }
}

/** What a handler is given: the parsed request and, by the declared access, who asks and the company's transaction. */
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
