import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { signUp } from '../../../../test/support/people.ts'

const service = await useTestApp()

describe('an export as CSV', () => {
  it('quotes what needs it, and no cell is a formula for a spreadsheet', async () => {
    const ann = await signUp(service.client)
    const names: Record<string, string> = {
      '=1+1': `'=1+1`,
      '+1': `'+1`,
      '-1': `'-1`,
      '@x': `'@x`,
      '\tx': `'\tx`,
      '\rx': `'\rx`,
      'a "quoted", name': 'a "quoted", name',
      'two\nlines': 'two\nlines',
      'more\n=lines': `more\n'=lines`,
      plain: 'plain',
      'a-b+c=d@e': 'a-b+c=d@e',
      '=HYPERLINK("x")': `'=HYPERLINK("x")`,
      '  =1': `  '=1`,
      '＝1＋1': `'＝1＋1`,
      '＋1': `'＋1`,
      '－1': `'－1`,
      '＠x': `'＠x`,
      "x;=cmd|'/C calc'!A0;": `x;'=cmd|'/C calc'!A0;`,
      'x; +1;\u00a0-1': `x; '+1;\u00a0'-1`,
      'x\t@y|=z': `x\t'@y|'=z`,
      'x;"=1"': `x;"'=1"`,
    }
    for (const [index, name] of Object.keys(names).entries())
      await service.db.query(
        `insert into audit_records (id, company_id, action, outcome, actor_name, target_type, created_at)
         values (gen_random_uuid(), $1, 'branches.update', 'done', $2, 'thing', now() + make_interval(secs => $3))`,
        [ann.company.id, name, index],
      )
    const { headers, body } = await ann.api.get('/companies/audit/export?format=csv&action=branches.update')
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+\.csv"$/)
    const [head, ...rows] = parseCsv(body)
    const column = head?.indexOf('actor_name') as number
    assert.ok(rows.every((row) => row.length === head?.length))
    assert.deepEqual(
      rows.map((row) => row[column]),
      Object.values(names),
    )
    for (const cell of Object.values(names)) {
      if (/[',;|\s]/.test(cell)) assert.ok(body.includes(`,"${cell.replaceAll('"', '""')}",`), cell)
    }
  })
})

/** As RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}
