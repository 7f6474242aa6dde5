import { languages } from '../../lib/languages.ts'
import { isRateLimited } from '../limits/limits.ts'
import type { Operation } from '../route-definition.ts'
import type { Components, Json } from './components.ts'

interface SharedHeader {
  name: string
  /** Its name as a component, where one header is described in two ways. */
  component?: string
  isOn(operation: Operation, status: number): boolean
  /** `required`: every such answer has it. */
  header: Json & { required: boolean }
}

const counted = ({ url }: Operation) => isRateLimited(url)
/** What a rule has said, and not the conventions before it. */
const isKept = (status: number) => status < 401 || [404, 409, 412, 422].includes(status)
const BEFORE_ACCESS = [401, 408, 431]
const isVersioned = ({ declaration }: Operation, status: number) => declaration.version?.etag === true && status < 400
const isVersionedAtTimes = ({ declaration }: Operation, status: number) =>
  typeof declaration.version?.etag === 'function' && status < 400
const ETAG = {
  description: 'Identifies this version of the resource, for `If-Match` and `If-None-Match`.',
  schema: { type: 'string', pattern: '^"[A-Za-z0-9_\\-]{27}"$' },
  example: '"Xb4mVn0tq8wKz2cJr5yHs7dLp1f"',
}

/** What answers carry beside their bodies. One more is one more entry here. */
const shared: SharedHeader[] = [
  {
    name: 'x-request-id',
    isOn: () => true,
    header: {
      required: true,
      description:
        'Your own `x-request-id` if it’s valid, otherwise a generated one. Include it when you contact support.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_.:\\-]{1,64}$' },
      example: '6f1c2f0e-3d53-4b8a-9d1f-0c4b7a1e2d3c',
    },
  },
  {
    name: 'Cache-Control',
    isOn: (operation, status) => !isVersioned(operation, status) && !isVersionedAtTimes(operation, status),
    header: {
      required: true,
      description: 'Responses are private and must not be cached.',
      schema: { type: 'string', enum: ['no-store'] },
      example: 'no-store',
    },
  },
  {
    name: 'Cache-Control',
    component: 'Cache-Control-of-versions',
    isOn: isVersioned,
    header: {
      required: true,
      description: 'May be cached privately, but must be revalidated with `If-None-Match` before each use.',
      schema: { type: 'string', enum: ['private, no-cache'] },
      example: 'private, no-cache',
    },
  },
  {
    name: 'ETag',
    isOn: isVersioned,
    header: { required: true, ...ETAG },
  },
  {
    name: 'ETag',
    component: 'ETag-unless-dry-run',
    isOn: isVersionedAtTimes,
    header: { required: false, ...ETAG },
  },
  {
    name: 'Cache-Control',
    component: 'Cache-Control-unless-dry-run',
    isOn: isVersionedAtTimes,
    header: {
      required: true,
      description: '`no-store` for a dry run.',
      schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
      example: 'private, no-cache',
    },
  },
  {
    name: 'Content-Disposition',
    isOn: ({ declaration }, status) => declaration.response.mediaTypes !== undefined && status < 400,
    header: {
      required: true,
      description: 'Suggested file name.',
      schema: { type: 'string', pattern: '^attachment; filename="[A-Za-z0-9_.\\-]+"$' },
      example: 'attachment; filename="audit.ndjson"',
    },
  },
  {
    name: 'Content-Language',
    isOn: ({ declaration }, status) => declaration.response.localized === true && status < 400,
    header: {
      required: true,
      description: 'The language that was chosen by `Accept-Language`.',
      schema: { type: 'string', enum: [...languages] },
      example: 'en',
    },
  },
  {
    name: 'Idempotent-Replayed',
    isOn: ({ method }, status) => method !== 'GET' && isKept(status),
    header: {
      required: false,
      description: '`true` if this is the stored response to an earlier request with the same key.',
      schema: { type: 'string', const: 'true' },
      example: 'true',
    },
  },
  {
    name: 'Set-Cookie',
    isOn: ({ declaration: { sessionCookie } }, status) =>
      sessionCookie !== undefined && (status < 400 || (sessionCookie === 'refreshes' && status === 401)),
    header: {
      required: false,
      description:
        'The session cookie with the refresh token, if you asked for it; empty after signing out, and when refreshing is refused. In development on this machine it has neither `__Host-` nor `Secure`.',
      schema: {
        type: 'string',
        pattern:
          '^(__Host-)?tenantry_refresh_token=[A-Za-z0-9_.\\-]*; Max-Age=[0-9]+; Path=/; HttpOnly; (Secure; )?SameSite=Strict$',
      },
      example:
        '__Host-tenantry_refresh_token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTk5ZDBjMCJ9.c2lnbmF0dXJl; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict',
    },
  },
  {
    name: 'x-permissions-version',
    isOn: ({ declaration }, status) => typeof declaration.access === 'object' && !BEFORE_ACCESS.includes(status),
    header: {
      required: false,
      description: 'Changes whenever your permissions in the company change.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9_\\-]{16}$' },
      example: 'mV7kRx4TzQ9wHc2N',
    },
  },
  {
    name: 'RateLimit',
    isOn: counted,
    header: {
      required: false,
      description: 'For each limit that applies: `r` requests left in the next `t` seconds (IETF draft).',
      schema: { type: 'string', pattern: '^"[a-z\\-]+";r=[0-9]+;t=[0-9]+(, "[a-z\\-]+";r=[0-9]+;t=[0-9]+)*$' },
      example: '"general";r=29;t=60',
    },
  },
  {
    name: 'RateLimit-Policy',
    isOn: counted,
    header: {
      required: false,
      description: 'The limits themselves: `q` requests in `w` seconds.',
      schema: { type: 'string', pattern: '^"[a-z\\-]+";q=[0-9]+;w=[0-9]+(, "[a-z\\-]+";q=[0-9]+;w=[0-9]+)*$' },
      example: '"general";q=30;w=60',
    },
  },
  {
    name: 'Retry-After',
    isOn: (_operation, status) => status === 429 || status === 503,
    header: {
      required: true,
      description: 'Seconds to wait before retrying.',
      schema: { type: 'integer', minimum: 1 },
      example: 60,
    },
  },
  {
    name: 'Retry-After',
    component: 'Retry-After-under-way',
    isOn: ({ method }, status) => status === 409 && method !== 'GET',
    header: {
      required: false,
      description: 'With `request_in_progress`: seconds until the first request should be finished.',
      schema: { type: 'integer', minimum: 1 },
      example: 1,
    },
  },
  {
    name: 'WWW-Authenticate',
    isOn: (_operation, status) => status === 401,
    header: {
      required: true,
      description: 'How to authenticate: by a bearer token.',
      schema: { type: 'string', pattern: '^Bearer' },
      example: 'Bearer',
    },
  },
]

export function describeHeaders(operation: Operation, status: number, components: Components): Json {
  const there = shared.filter(({ isOn }) => isOn(operation, status))
  return Object.fromEntries(
    there.map(({ name, component = name, header }) => [name, components.refer('headers', component, header)]),
  )
}
