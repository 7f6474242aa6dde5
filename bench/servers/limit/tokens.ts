import { hash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Keys } from '../../../src/lib/keys.ts'
import { type Claims, readToken } from '../../../src/lib/tokens.ts'

/** Reads the header `Authorization`. A signature is verified once, the expiry is checked at every use. */
export function tokenReader(keys: Keys): (request: FastifyRequest) => Claims {
  const known = new Map<string, Claims>()
  return ({ headers }) => {
    const token = headers.authorization?.slice('Bearer '.length) ?? ''
    const claims = known.get(token) ?? readToken(keys, 'at+jwt', token)
    if (!claims || claims.exp * 1000 <= Date.now()) throw new NotAllowed(401)
    known.set(token, claims)
    return claims
  }
}

export class NotAllowed extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, problem: { message?: string; code?: string; required?: string } = {}) {
    super(STATUS_CODES[status])
    const { message = this.message, code, required } = problem
    this.status = status
    this.body = JSON.stringify({ statusCode: status, message, error: STATUS_CODES[status], code, required })
  }
}

interface Access {
  permissions: string[] | null
  is_owner: boolean | null
}

/** Sets the header that tells a front end of changed permissions. */
export function requirePermission(reply: FastifyReply, access: object | undefined, required: string): void {
  const { permissions = null, is_owner = null } = (access ?? {}) as Partial<Access>
  if (!permissions) throw new NotAllowed(access ? 403 : 401)
  reply.header('x-permissions-version', versionOf(permissions, is_owner))
  if (!permissions.includes(required))
    throw new NotAllowed(403, {
      message: 'You don’t have permission to do this in this company.',
      code: 'permission_missing',
      required,
    })
}

const versions = new Map<string, string>()
function versionOf(permissions: string[], isOwner: boolean | null): string {
  const text = [...permissions, isOwner ? 'owner' : ''].sort().join(' ')
  const version = versions.get(text) ?? hash('sha256', text, 'base64url').slice(0, 16)
  versions.set(text, version)
  return version
}
