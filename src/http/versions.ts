import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../problems.ts'

/** The strong entity tag (RFC 9110, 8.8.3) of the resource's state. */
export const etagOf = (resource: unknown) => `"${hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 27)}"`

/** `If-Match` (RFC 9110, 13.1.1): throws unless one of its tags is this state's. Weak tags never match. */
export function assertVersion(headers: IncomingHttpHeaders, resource: unknown): void {
  const expected = headers['if-match']
  if (expected === undefined || expected.trim() === '*') return
  if (!tagsIn(expected).includes(etagOf(resource))) throw problem('version_mismatch')
}

/** `If-None-Match` (RFC 9110, 13.1.2): whether the client already has this state. Weak tags match, too. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  return known.trim() === '*' || tagsIn(known).some((tag) => tag.replace(/^W\//, '') === etag)
}

const tagsIn = (header: string): string[] => header.match(/(W\/)?"[^"]*"/g) ?? []
