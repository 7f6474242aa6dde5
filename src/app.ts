import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Deps } from './deps.ts'
import { type AuditDeps, createAuditDeps } from './features/audit/deps.ts'
import { recordAttempt } from './features/audit/refusals.ts'
import { audit } from './features/audit/routes.ts'
import { accounts } from './features/auth/account-routes.ts'
import { passwords } from './features/auth/password-routes.ts'
import { sessions } from './features/auth/session-routes.ts'
import { branches } from './features/branches/routes.ts'
import { companies } from './features/companies/routes.ts'
import { health } from './features/health/routes.ts'
import type { Mailbox } from './features/mail/dev-pages/mailbox.ts'
import { serveMailbox } from './features/mail/dev-pages/routes.ts'
import { members } from './features/members/routes.ts'
import { ownership } from './features/ownership/routes.ts'
import { servePages } from './features/pages/routes.ts'
import { roles } from './features/roles/routes.ts'
import { createAccessCheck } from './http/access.ts'
import { createBasicCheck, type DocumentationReader } from './http/basic.ts'
import { serveDocumentation } from './http/documentation/documentation.ts'
import { createIdempotencyStore } from './http/idempotency/store.ts'
import { servePublicKeys } from './http/jwks.ts'
import { openLimits } from './http/limits.ts'
import { OpenApiDocument } from './http/openapi/document.ts'
import { createApi } from './http/routes.ts'
import { createServer } from './http/server.ts'

export interface AppParts extends Deps {
  log: Logger
  mailIsHealthy(): boolean
  /** Where letters go during development; undefined: they are sent. */
  mailbox?: Mailbox | undefined
  documentationReader?: DocumentationReader | undefined
  /** Parse every answer with its schema: for tests. */
  strictAnswers?: boolean
}

export interface BuiltApp {
  app: FastifyInstance
  document: object
  /** Shared with the audit worker. */
  auditDeps: AuditDeps
}

/** The whole service without its surroundings: the table of contents. */
export async function buildApp(parts: AppParts): Promise<BuiltApp> {
  const { config, database, keys, log, documentationReader: reader, strictAnswers = false } = parts
  const limits = openLimits(config, (error) => log.warn({ err: error }, 'redis failed; counting in this process'))
  const app = await createServer({
    config,
    log,
    limits,
    onRefused: (attempt, refused) => recordAttempt(database, attempt, refused),
  })
  app.addHook('onClose', () => limits.close())

  const document = new OpenApiDocument(config.brand.name)
  const api = createApi(app, {
    database,
    checkAccess: createAccessCheck(database, keys),
    idempotency: createIdempotencyStore(database, keys),
    document,
    strictAnswers,
  })
  health(api, parts, parts.mailIsHealthy)
  accounts(api, parts)
  sessions(api, parts)
  passwords(api, parts)
  companies(api, parts)
  ownership(api, parts)
  members(api, parts)
  branches(api)
  roles(api)
  const auditDeps = createAuditDeps(parts)
  audit(api, auditDeps)

  servePublicKeys(app, keys)
  await servePages(app, config.brand, {
    signIn: config.appUrl,
    documentation: reader !== undefined,
    mailbox: parts.mailbox !== undefined,
  })
  // One check for both, so that failures at one count at the other.
  const checkReader = reader && createBasicCheck(reader)
  if (parts.mailbox) await serveMailbox(app, { mailbox: parts.mailbox, brand: config.brand, checkReader })
  if (checkReader) await serveDocumentation(app, document.build(), config.brand, checkReader)
  return { app, document: document.build(), auditDeps }
}
