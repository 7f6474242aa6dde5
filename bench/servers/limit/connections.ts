import pg from 'pg'

/** As many as Tenantry shares between its reads. */
const READERS = 6
const SEARCHERS = 2
/** Apart from the readers, because a write waits for the lock of its company. */
const WRITERS = 8

interface Statement {
  /** Prepared under this name once for each connection. */
  name: string
  text: string
}

type Step = [Statement, unknown[]]

export interface Connections {
  read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>
  /** A read that is planned for its values: the words of a search decide which index is the best. */
  search<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>
  /** Sends these in one transaction, without waiting between them. Returns the rows of the last one. */
  write<Row extends pg.QueryResultRow>(...steps: Step[]): Promise<Row[]>
}

/** Connections on which the statements of many requests are pipelined. */
export async function connect(connectionString: string): Promise<Connections> {
  const open = (count: number, planning: 'generic' | 'custom') =>
    Promise.all(Array.from({ length: count }, () => openOne(connectionString, planning)))
  const readers = inTurn(await open(READERS, 'generic'))
  const searchers = inTurn(await open(SEARCHERS, 'custom'))
  const writers = inTurn(await open(WRITERS, 'generic'))
  return {
    read: async (statement, values) => (await readers().query({ ...statement, values })).rows,
    search: async (statement, values) => (await searchers().query({ ...statement, values })).rows,
    async write(...steps) {
      const client = writers()
      const transaction = steps.length === 1 ? steps : [begin, ...steps, commit]
      const results = await Promise.all(
        transaction.map(([statement, values]) => client.query({ ...statement, values })),
      )
      return results[steps.length === 1 ? 0 : steps.length]?.rows ?? []
    },
  }
}

async function openOne(connectionString: string, planning: 'generic' | 'custom'): Promise<pg.Client> {
  const config = { connectionString, pipeline: true, application_name: 'limit', types }
  const client = new pg.Client(config as pg.ClientConfig)
  await client.connect()
  await client.query(`set jit = off; set plan_cache_mode = force_${planning}_plan`)
  return client
}

function inTurn(clients: pg.Client[]): () => pg.Client {
  let turn = 0
  return () => clients[turn++ % clients.length] as pg.Client
}

const [begin, commit] = ['begin', 'commit'].map((text): Step => [{ name: text, text }, []]) as [Step, Step]

/** Text as the server writes it: most values are passed on. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ || oid === JSON_TEXT
      ? (text: string) => text
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}
const TIMESTAMPTZ = 1184
const JSON_TEXT = 114
