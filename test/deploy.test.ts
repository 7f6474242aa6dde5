import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { definitionOf } from '../src/metrics/catalogue.ts'
import { metricNames } from '../src/metrics/samples.ts'

// metrics.test.ts compares the catalogue with a real scrape.

const folder = path.join(import.meta.dirname, '..', 'deploy')
const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')

/** The names of series: a distribution has three. */
const series = metricNames.flatMap((name) =>
  definitionOf(name).type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
)
const namesIn = (text: string) =>
  new Set([...text.matchAll(/\b(?:tenantry|nodejs|process)_\w+/g)].map(([name]) => name))
const unknownIn = (text: string) => [...namesIn(text)].filter((name) => !series.includes(name))

describe('the alert rules', () => {
  const rules = read('prometheus/rules.yml')

  it('name series that the service has', () => {
    assert.ok(namesIn(rules).size > 10)
    assert.deepEqual(unknownIn(rules), [])
    assert.deepEqual(unknownIn(read('prometheus/rules.test.yml')), [])
  })

  it('say what to do', () => {
    const alerts = rules.split(/^ {6}- alert: /m).slice(1)
    assert.ok(alerts.length > 10)
    for (const alert of alerts) assert.match(alert, /severity: (page|ticket)[\s\S]*summary: "[\s\S]*action: "/)
  })

  it('are accepted by Prometheus', () => promtool('check', 'rules', 'rules.yml'))

  it('fire in trouble, each of them, and not otherwise', () => {
    promtool('test', 'rules', 'rules.test.yml')
    const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort()
    assert.deepEqual(
      names(read('prometheus/rules.test.yml'), /alertname="(\w+)"/g),
      names(rules, /^ {6}- alert: (\w+)$/gm),
    )
  })
})

describe('the dashboard', () => {
  it('shows series that the service has', () => {
    const { panels } = JSON.parse(read('grafana/tenantry.json')) as {
      panels: { id: number; targets?: { expr: string }[] }[]
    }
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length > 20)
    assert.deepEqual(expressions.flatMap(unknownIn), [])
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  })

  it('has expressions that Prometheus can evaluate', () => {
    const { panels } = JSON.parse(read('grafana/tenantry.json')) as { panels: { targets?: { expr: string }[] }[] }
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const group = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }))
    const temporary = mkdtempSync(path.join(tmpdir(), 'tenantry-panels-'))
    after(() => rmSync(temporary, { recursive: true }))
    const file = path.join(temporary, 'panels.json')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: group }] }))
    promtool('check', 'rules', file)
  })
})

function promtool(...options: string[]): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', options, {
    cwd: path.join(folder, 'prometheus'),
    encoding: 'utf8',
  })
  if (error) throw new Error('This test needs promtool, of the Debian package prometheus', { cause: error })
  assert.equal(status, 0, stdout + stderr)
}
