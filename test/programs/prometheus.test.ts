import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, it } from 'node:test'
import { startRunningService } from '../support/running.ts'

const folder = path.join(import.meta.dirname, '..', '..', 'deploy')

it('Prometheus reads what a scrape gives, and its linter accepts it', async () => {
  const service = await startRunningService({})
  after(() => service.close())
  promtool(['check', 'metrics'], await service.scrape())
})

it('Prometheus accepts the alert rules', () => promtool(['check', 'rules', 'rules.yml']))

it('each alert fires in trouble, and not otherwise', () => promtool(['test', 'rules', 'rules.test.yml']))

it('Prometheus can evaluate each expression of the dashboard', () => {
  const dashboard = readFileSync(path.join(folder, 'grafana', 'tenantry.json'), 'utf8')
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const rules = expressions.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
  }))
  const temporary = mkdtempSync(path.join(tmpdir(), 'tenantry-panels-'))
  after(() => rmSync(temporary, { recursive: true }))
  const file = path.join(temporary, 'panels.json')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  promtool(['check', 'rules', file])
})

function promtool(options: string[], input = ''): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', options, {
    cwd: path.join(folder, 'prometheus'),
    input,
    encoding: 'utf8',
  })
  if (error) throw new Error('This test needs promtool, of the Debian package prometheus', { cause: error })
  assert.deepEqual([status, stderr], [0, ''], stdout)
}
