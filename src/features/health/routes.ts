import { sql } from 'kysely'
import { z } from 'zod'
import { asAnyone } from '../../database/scopes.ts'
import type { Service } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { problem } from '../../problems.ts'

const Health = z.object({ status: z.literal('ok') })

export function health(api: Api, { database }: Service, mailIsHealthy: () => boolean): void {
  api.get(
    '/health',
    {
      access: 'anyone',
      action: 'health.read',
      operationId: 'readHealth',
      summary: 'Is the process up?',
      description: 'Asks nothing else.',
      answer: Health,
    },
    async () => ({ status: 'ok' as const }),
  )

  api.get(
    '/health/ready',
    {
      access: 'anyone',
      action: 'health.read_ready',
      operationId: 'readReadiness',
      summary: 'Are the database and the mail worker at work?',
      description: 'Whether requests should be sent here.',
      answer: Health,
      problems: ['mail_stopped'],
    },
    async () => {
      await sql`select`.execute(database.autocommit(asAnyone))
      if (!mailIsHealthy()) throw problem('mail_stopped', { retryAfterSeconds: 5 })
      return { status: 'ok' as const }
    },
  )
}
