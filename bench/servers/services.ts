import path from 'node:path'
import type { Postgres } from '../postgres.ts'
import { type Service, startService } from './process.ts'

const root = path.join(import.meta.dirname, '../..')
const inBench = (file: string) => path.join(root, 'bench/servers', file)

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
    script: inBench('limit/main.ts'),
    env: { DATABASE_URL: postgres.urlOf(databases.limit), APP_SECRET: appSecret, UV_THREADPOOL_SIZE: '2' },
    path: '/api/auth/me',
  })

/**
 * As an operator runs it behind a proxy on the same machine. There are no limits of requests and emails, because all load
 * comes from one address, and only warnings are logged.
 */
export const startTenantry = (
  { postgres, appSecret, smtpUrl }: Context,
  settings: Record<string, string> = {},
  args: string[] = [],
): Promise<Service> =>
  startService('tenantry', {
    script: path.join(root, 'src/main.ts'),
    args,
    env: {
      DATABASE_URL: postgres.urlOf(databases.tenantry),
      APP_SECRET: appSecret,
      APP_URL: 'https://app.example.com',
      SMTP_URL: smtpUrl,
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    path: '/api/health',
  })

export const startBetterAuth = ({ postgres, appSecret }: Context): Promise<Service> =>
  startService('better-auth', {
    script: inBench('better-auth.mjs'),
    env: { DATABASE_URL: postgres.urlOf(databases.betterAuth), SECRET: appSecret },
    path: '/api/auth/ok',
  })
