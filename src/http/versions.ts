import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../problems.ts'

/** The strong entity tag (RFC 9110, 8.8.3) of a resource in this state. */
export const etagOf = (resource: unknown) => `"${hash('sha256', JSON.stringify(resource), 'base64url').slice(0, 27)}"`

/** `If-Match` (RFC 9110, 13.1.1): throws unless it names this state; a weak tag never does. */
export function assertVersion(headers: IncomingHttpHeaders, resource: unknown): void {
  const wanted = headers['if-match']
  if (wanted === undefined || wanted.trim() === '*') return
  if (!tagsIn(wanted).includes(etagOf(resource))) throw problem('version_mismatch')
}

/** `If-None-Match` (RFC 9110, 13.1.2): whether the caller has this state already; weak tags count. */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  return known.trim() === '*' || tagsIn(known).some((tag) => tag.replace(/^W\//, '') === etag)
}

const tagsIn = (header: string): string[] => header.match(/(W\/)?"[^"]*"/g) ?? []
