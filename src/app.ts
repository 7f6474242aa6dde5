import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Deps } from './deps.ts'
import { type AuditDeps, createAuditDeps } from './features/audit/deps.ts'
import { recordAttempt } from './features/audit/refusals.ts'
import { audit } from './features/audit/routes.ts'
import { accounts } from './features/auth/account-routes.ts'
import { factors } from './features/auth/factor-routes.ts'
import { factorUndos } from './features/auth/factor-undo-routes.ts'
import { passkeys } from './features/auth/passkey-routes.ts'
import { passwords } from './features/auth/password-routes.ts'
import { sessions } from './features/auth/session-routes.ts'
import { branches } from './features/branches/routes.ts'
import { policy } from './features/companies/policy/routes.ts'
import { companies } from './features/companies/routes.ts'
import type { ConsoleBuild } from './features/console/build.ts'
import { joining } from './features/domains/joining-routes.ts'
import { domains } from './features/domains/routes.ts'
import { health } from './features/health/routes.ts'
import { invitees } from './features/invitations/invitee-routes.ts'
import { invitationLinks } from './features/invitations/link-routes.ts'
import { invitations } from './features/invitations/routes.ts'
import type { Mailbox } from './features/mail/dev-pages/mailbox.ts'
import { memberAssignments } from './features/members/assignment-routes.ts'
import { memberResets } from './features/members/reset-routes.ts'
import { members } from './features/members/routes.ts'
import { ownership } from './features/ownership/routes.ts'
import { serveBrand, serveFactorPages, servePages } from './features/pages/routes.ts'
import { roles } from './features/roles/routes.ts'
import { createBasicCheck, type DocumentationCredentials } from './http/basic.ts'
import { createAccessChecks } from './http/check-access.ts'
import { serveDiscovery } from './http/discovery.ts'
import { createIdempotencyStore } from './http/idempotency/store.ts'
import { openLimits } from './http/limits/limits.ts'
import type { CounterDeps } from './http/limits/open-counters.ts'
import { OpenApiDocument } from './http/openapi/document.ts'
import type { RequestTimes } from './http/request-times.ts'
import { createApi } from './http/routes.ts'
import { createServer } from './http/server.ts'
import { SessionCookie } from './http/session-cookie.ts'
import { createTokenVerifier } from './http/token-verifier.ts'

export interface AppOptions extends Deps, Pick<CounterDeps, 'nodeCounters' | 'redisTimeoutMs' | 'databaseTimeoutMs'> {
  log: Logger
  isMailHealthy(): boolean
  /** Whether the service is about to stop, so that it should get no new traffic. Undefined: it never is. */
  isStopping?(): boolean
  /** Receives the emails during development. Undefined: they are sent. */
  mailbox?: Mailbox | undefined
  documentationCredentials?: DocumentationCredentials | undefined
  /** Undefined: only the pages that emails link to are served. */
  consoleBuild?: ConsoleBuild | undefined
  /** Measures requests; undefined: nothing does. */
  requestTimes?: RequestTimes | undefined
  /** Also parses every response with its schema, in tests. */
  validateResponses?: boolean
  /** How long requests may go on arriving during a stop: shorter in tests. */
  closeGraceMs?: number
}

export interface BuiltApp {
  app: FastifyInstance
  document: OpenApiDocument
  /** Shared with the audit worker. */
  auditDeps: AuditDeps
}

/** The conventions and the features of the service, in order: its table of contents. */
export async function buildApp(options: AppOptions): Promise<BuiltApp> {
  const { config, database, keys, log, documentationCredentials: credentials, validateResponses = false } = options
  const tokens = createTokenVerifier(keys)
  const limits = await openLimits({ ...options, tokens })
  const app = await createServer({
    config,
    log,
    limits,
    requestTimes: options.requestTimes,
    closeGraceMs: options.closeGraceMs,
    onRefused: (attempt, refused) => recordAttempt(database, attempt, refused),
  })
  app.addHook('onClose', async () => limits.close())

  const document = new OpenApiDocument(config.brand.name)
  const api = createApi(app, {
    database,
    access: createAccessChecks(database, tokens),
    idempotency: createIdempotencyStore(database, keys),
    sessionCookie: new SessionCookie(config, keys),
    document,
    validateResponses,
  })
  health(api, options)
  accounts(api, options)
  sessions(api, options)
  passkeys(api, options)
  passwords(api, options)
  factors(api, options)
  factorUndos(api, options)
  companies(api, options)
  policy(api, options)
  ownership(api, options)
  members(api, options)
  memberResets(api, options)
  memberAssignments(api, options)
  invitations(api, options)
  invitees(api, options)
  invitationLinks(api, options)
  domains(api, options)
  joining(api, options)
  branches(api)
  roles(api, options)
  const auditDeps = createAuditDeps(options, config.workers)
  audit(api, auditDeps)

  serveDiscovery(app, keys)
  await serveWebsite(app, options)
  // Both share one check, so that failed attempts at one also block the other.
  const checkCredentials = credentials && createBasicCheck(credentials)
  // Loaded only where they are served, which is never in production.
  if (options.mailbox) {
    const { serveMailbox } = await import('./features/mail/dev-pages/routes.ts')
    await serveMailbox(app, { mailbox: options.mailbox, brand: config.brand, checkCredentials })
  }
  if (checkCredentials) {
    const { serveDocumentation } = await import('./http/documentation/documentation.ts')
    await serveDocumentation(app, await document.build(), config.brand, checkCredentials)
  }
  return { app, document, auditDeps }
}

/** What people open in a browser: the console or, where there is none, the pages that links in emails lead to. */
async function serveWebsite(app: FastifyInstance, options: AppOptions): Promise<void> {
  const { brand, appUrl, signUp } = options.config
  const tools = {
    documentation: options.documentationCredentials !== undefined,
    mailbox: options.mailbox !== undefined,
  }
  if (!options.consoleBuild) return servePages(app, brand, { signIn: appUrl, ...tools })
  serveBrand(app, brand)
  await serveFactorPages(app, brand)
  const { serveConsole } = await import('./features/console/routes.ts')
  await serveConsole(app, options.consoleBuild, { brand, appUrl, signUp, ...tools })
}
