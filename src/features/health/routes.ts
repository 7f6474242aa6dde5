import { sql } from 'kysely'
import { z } from 'zod'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { problem } from '../../problems.ts'

const Health = z.object({ status: z.literal('ok') })

export function health(api: Api, { database }: Deps, mailIsHealthy: () => boolean): void {
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
        description: 'Checks the database and the email worker. Send traffic here only while it succeeds.',
      },
      response: { data: Health },
      problems: ['email_worker_stopped'],
    },
    async () => {
      await sql`select`.execute(database.autocommit(asAnyone))
      if (!mailIsHealthy()) throw problem('email_worker_stopped', { retryAfterSeconds: 5 })
      return { status: 'ok' as const }
    },
  )
}
