import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Api } from '../../http/routes.ts'
import { problem } from '../../problems.ts'

const Health = z.object({ status: z.literal('ok') })

interface HealthDeps {
  database: Database
  isMailHealthy(): boolean
  isStopping?(): boolean
}

export function health(api: Api, { database, isMailHealthy, isStopping }: HealthDeps): void {
  api.get(
    '/health',
    {
      access: 'anyone',
      action: 'health.get',
      docs: {
        operationId: 'getHealth',
        summary: 'Check that the service is running',
        description: 'Checks the process only, nothing it depends on.',
      },
      response: { data: Health },
    },
    async () => ({ status: 'ok' as const }),
  )

  api.get(
    '/health/ready',
    {
      access: 'anyone',
      action: 'health.get_readiness',
      docs: {
        operationId: 'getReadiness',
        summary: 'Check that the service is ready',
        description:
          'Checks the database and the email worker. Send traffic here only while it succeeds; it fails first when the service stops.',
      },
      response: { data: Health },
      problems: ['email_worker_stopped', 'service_stopping'],
    },
    async () => {
      if (isStopping?.()) throw problem('service_stopping', { retryAfterSeconds: 5 })
      await sql`select`.execute(database.autocommit(asAnyone))
      if (!isMailHealthy()) throw problem('email_worker_stopped', { retryAfterSeconds: 5 })
      return { status: 'ok' as const }
    },
  )
}
