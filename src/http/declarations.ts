import type { z } from 'zod'
import type { Actor, Caller, Member } from '../callers.ts'
import type { Tx } from '../database/open.ts'
import type { ProblemCode } from '../problems.ts'
import type { Access } from './access.ts'
import type { RouteLimit } from './limits.ts'

/** A route: everything that is known of it before a request comes. */
export interface Declaration<A extends Access, Params, Query, Body, Answer, Prepared = unknown> {
  access: A
  /** What the audit calls it: `<resource>.<verb>`. */
  action: string
  /** The name of the operation in the documentation and in clients generated from it. */
  operationId: string
  summary: string
  description?: string
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
  mediaTypes?: readonly string[]
  /** 201 for what creates something; 200 otherwise. */
  status?: 201
  message?: string | ((answer: Answer) => string)
  /** Slow work ahead of a company's transaction, such as hashing; the handler gets its result as `prepared`. */
  prepare?: (asked: { params: Params; query: Query; body: Body }) => Promise<Prepared>
  /** What the rules behind it may refuse, besides what access, limits and validation may. */
  problems?: readonly ProblemCode[]
}

/** What a handler is given: the parsed request and, by the declared access, who asks and the company's transaction. */
export type Asked<A extends Access, Params, Query, Body> = {
  params: Params
  query: Query
  body: Body
  caller: Caller
} & (A extends {
  company: unknown
}
  ? { actor: Member; tx: Tx }
  : A extends 'anyone'
    ? unknown
    : { actor: Actor })

export type AnyDeclaration = Declaration<Access, unknown, unknown, unknown, unknown>
