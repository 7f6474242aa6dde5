import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it, mock } from 'node:test'
import { startTestApp } from '../../test/support/app.ts'
import { OpenApiDocument } from '../http/openapi/document.ts'
import { auditActions } from './actions.ts'

const catalogue = new Set<string>(auditActions)

describe('the catalogue of actions', () => {
  it('lists, in order, what routes declare and what rules and migrations record, and nothing else', async () => {
    assert.deepEqual(auditActions, [...auditActions].sort())
    const declared = await actionsOfRoutes()
    const recorded = globSync('src/features/**/!(actions|*.test).ts').flatMap(actionsIn)
    const inSql = globSync('migrations/**/*.sql').flatMap(actionsInSql)
    assert.ok(declared.length > 50 && recorded.length > 50 && inSql.length > 0)

    const used = new Set([...declared, ...recorded.filter((name) => catalogue.has(name)), ...inSql])
    assert.deepEqual([...used].sort(), auditActions)
  })
})

async function actionsOfRoutes(): Promise<string[]> {
  const declaring = mock.method(OpenApiDocument.prototype, 'add')
  const service = await startTestApp()
  await service.close()
  return declaring.mock.calls.map(({ arguments: [, , { action }] }) => action)
}

/** Literals with the form of one. The type of `record` sees to it that those it is given are in the catalogue. */
const actionsIn = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, name = '']) => name)

/** What SQL writes into the audit itself, where no type looks. */
const actionsInSql = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/insert into audit_records[^;]+?'([a-z_]+\.[a-z_]+)'/g)].map(
    ([, name = '']) => name,
  )
