import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Postgres } from '../postgres.ts'
import { type Service, startService } from './process.ts'

/** What `npm start` runs, with its flags. */
const startScript = (): string =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')).scripts.start

/** Databases of a run, copies of the loaded ones. */
export const databases = { limit: 'limit_run', tenantry: 'tenantry_run', betterAuth: 'better_auth_run' } as const
export type Product = keyof typeof databases

interface Context {
  postgres: Postgres
  appSecret: string
  smtpUrl: string
}

export const startLimit = ({ postgres, appSecret }: Context): Promise<Service> =>
  startService('limit', {
    command: 'exec node bench/servers/limit/main.ts',
    env: { DATABASE_URL: postgres.urlOf(databases.limit), APP_SECRET: appSecret, UV_THREADPOOL_SIZE: '2' },
    probe: '/api/auth/me',
  })

/**
 * As an operator runs it behind a proxy on the same machine. There are no limits of requests and emails, because all load
 * comes from one address, and only warnings are logged.
 */
export const startTenantry = (
  { postgres, appSecret, smtpUrl }: Context,
  settings: Record<string, string> = {},
): Promise<Service> =>
  startService('tenantry', {
    command: startScript(),
    env: {
      DATABASE_URL: postgres.urlOf(databases.tenantry),
      APP_SECRET: appSecret,
      APP_URL: 'https://app.example.com',
      SMTP_URL: smtpUrl,
      MAIL_FROM: 'Tenantry <no-reply@app.example.com>',
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    probe: '/api/health',
  })

export const startBetterAuth = ({ postgres, appSecret }: Context): Promise<Service> =>
  startService('better-auth', {
    command: 'exec node bench/servers/better-auth.mjs',
    env: { DATABASE_URL: postgres.urlOf(databases.betterAuth), SECRET: appSecret },
    probe: '/api/auth/ok',
  })
