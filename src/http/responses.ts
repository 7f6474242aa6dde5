import type { FastifyRequest } from 'fastify'
import type { CursorPage, Page } from '../lib/paging.ts'
import type { AnyDeclaration } from './route-definition.ts'

/** Makes the body of a success from what a handler gives back. */
export type Finish = (result: unknown, request: FastifyRequest, declaration: AnyDeclaration) => object

export const asResource: Finish = (data = {}, _request, { response: { message } }) => {
  const text = typeof message === 'function' ? message(data) : message
  return { success: true, data, ...(text && { message: text }) }
}

export const asPage: Finish = (result, request) => {
  const { items, total } = result as Page<unknown>
  const { page, limit } = request.query as { page: number; limit: number }
  return { success: true, data: items, total, page, limit }
}

export const asCursorPage: Finish = (result, request) => {
  const { items, nextCursor } = result as CursorPage<unknown>
  const { limit } = request.query as { limit: number }
  return { success: true, data: items, nextCursor, hasNext: nextCursor !== null, limit }
}

export const asDownload: Finish = (result) => result as object
