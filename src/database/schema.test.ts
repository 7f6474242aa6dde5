import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'

/** The type of each column (`accounts.email`) in the words of schema.ts. */
type Columns = Map<string, string>

/** No role of the service may use these: functions of the owner and the migration runner read and write them. */
const WITHOUT_TYPES = ['backfills', 'company_tables', 'schema_migrations']

const TYPE_OF: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  inet: 'string',
  cidr: 'string',
  interval: 'string',
  _text: 'string[]',
  _uuid: 'string[]',
  _cidr: 'string[]',
  _int2: 'number[]',
  _timestamptz: 'string[]',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bool: 'boolean',
  bytea: 'Buffer',
  jsonb: 'Json',
  timestamptz: 'Timestamp',
}

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.drop())

describe('the types of schema.ts', () => {
  it('have the tables and columns of the database, with their types, nulls, defaults and listed values', async () => {
    const [file, database] = [readSchemaFile(), await readCatalogue(db)]
    assert.ok(database.size > 100)
    const differences = Array.from(new Set([...file.keys(), ...database.keys()]))
      .filter((column) => file.get(column) !== database.get(column))
      .map((column) => `${column} is ${file.get(column)} in schema.ts and ${database.get(column)} in the database`)
    assert.deepEqual(differences, [])
  })
})

interface Column {
  table: string
  column: string
  type: string
  is_nullable: boolean
  is_optional: boolean
  /** The condition of a check constraint on this column alone. */
  check: string | null
}

async function readCatalogue(database: TestDatabase): Promise<Columns> {
  const columns = await database.query<Column>(
    `select table_name as table, column_name as column, udt_name as type, is_nullable = 'YES' as is_nullable,
      column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' as is_optional,
      (select pg_get_expr(conbin, conrelid) from pg_constraint
       where contype = 'c' and conrelid = format('public.%I', table_name)::regclass and conkey = array[ordinal_position::smallint]
         and pg_get_expr(conbin, conrelid) ~ ' = ANY \\(ARRAY\\[') as check
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all ($1)`,
    [WITHOUT_TYPES],
  )
  return new Map(columns.map((each) => [`${each.table}.${each.column}`, typeOf(each)]))
}

function typeOf({ table, column, type, is_nullable, is_optional, check }: Column): string {
  const base = TYPE_OF[type]
  assert.ok(base, `${table}.${column}: this test knows no type for ${type}`)
  const values = Array.from(check?.matchAll(/'([^']*)'::text/g) ?? [], ([, value]) => `'${value}'`)
  const exact = values.length > 0 ? values.join(' | ') : base
  if (is_nullable) return `${exact} | null`
  if (exact === 'Json')
    return is_optional ? exact : assert.fail(`${table}.${column}: Json<…> may be left out of an insert`)
  if (!is_optional) return exact
  return exact === 'Timestamp' ? 'Stamped' : `Generated<${exact}>`
}

/** Reads the interfaces as text: of the types nothing is left when the program runs. */
function readSchemaFile(): Columns {
  const text = readFileSync(path.join(import.meta.dirname, 'schema.ts'), 'utf8')
  const aliases = new Map(Array.from(text.matchAll(/^export type (\w+) = (.+)$/gm), ([, name, type]) => [name, type]))
  const interfaces = new Map(
    Array.from(text.matchAll(/interface (\w+) \{\n([\s\S]*?)\n\}/g), ([, name, body = '']) => [name, fieldsOf(body)]),
  )
  const columns: Columns = new Map()
  for (const [table, name] of Object.entries(interfaces.get('Schema') ?? {})) {
    for (const [column, type] of Object.entries(interfaces.get(name) ?? {}))
      columns.set(`${table}.${column}`, aliases.get(type) ?? type)
  }
  return columns
}

function fieldsOf(body: string): Record<string, string> {
  const lines = body.split('\n').filter((line) => !/^\s*(\/?\*|\/\/)/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const [, column = '', type = ''] = /^ {2}(\w+): (.+)$/.exec(line) ?? assert.fail(`schema.ts: ${line}`)
      return [column, type.replace(/^Json<.*>$/, 'Json')]
    }),
  )
}
