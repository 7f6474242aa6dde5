import assert from 'node:assert/strict'
import { it } from 'node:test'
import pino from 'pino'
import { useTestApp } from '../../../test/support/app.ts'
import { until } from '../../../test/support/until.ts'
import { startNodeReports } from './worker.ts'

const service = await useTestApp()
const { database, keys } = service

it('a node whose clock differs from the one of the database says by how much', async (t) => {
  const warnings: { secondsAhead: number; msg: string }[] = []
  const log = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line)) })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 900_000 })
  const reports = startNodeReports({ database, keys, log, keyUse: service.auditDeps.keyUse })
  await until(() => warnings.length > 0)
  t.mock.timers.reset()
  await reports.stop()
  assert.ok((warnings[0]?.secondsAhead ?? 0) < -890)
  assert.match(warnings[0]?.msg ?? '', /clock of this machine is \d+ s behind/)
  assert.equal(warnings.length, 1)
})
