import { once } from 'node:events'
import net from 'node:net'
import { after } from 'node:test'
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

/** What was sent to the database: statements, those that only set the scope or begin and end a transaction included. */
export interface Sent {
  statements: number
  /** How often the service waited for an answer before it sent more. */
  roundTrips: number
}

interface StatementCounter {
  /** The same database through the counter. */
  db: TestDatabase
  /** What `work` sends; nothing else may use the database meanwhile. */
  count(work: () => Promise<unknown>): Promise<Sent>
  close(): Promise<void>
}

/** The service for all tests of a file, on a database of its own, with a count of what it sends there. Await it before any test. */
export async function useCountedApp(
  options?: TestAppOptions,
): Promise<{ service: TestApp; count: StatementCounter['count'] }> {
  const db = await createTestDatabase()
  const counter = await countStatements(db)
  const service = await startTestApp({}, counter.db, options)
  after(async () => {
    await service.close()
    await counter.close()
    await db.drop()
  })
  return { service, count: counter.count }
}

/** A proxy in front of the database that counts the messages of PostgreSQL's protocol (version 3). */
async function countStatements(db: TestDatabase): Promise<StatementCounter> {
  const { host, port, user, database } = db.target as { host: string; port: number; user: string; database: string }
  let sent: Sent = { statements: 0, roundTrips: 0 }
  let isAnswered = true
  const sockets = new Set<net.Socket>()
  const server = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect(`${host}/.s.PGSQL.${port}`)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    const fromClient = messageReader({ startsWithoutType: true }, (type) => {
      if (type === 'E' || type === 'Q') sent.statements++
      if (type !== 'S' && type !== 'Q') return
      if (isAnswered) sent.roundTrips++
      isAnswered = false
    })
    const fromServer = messageReader({ startsWithoutType: false }, (type) => {
      if (type === 'Z') isAnswered = true
    })
    client.on('data', (bytes) => {
      fromClient(bytes)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      fromServer(bytes)
      client.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    db: { ...db, target: { host: '127.0.0.1', port: (server.address() as net.AddressInfo).port, user, database } },
    async count(work) {
      sent = { statements: 0, roundTrips: 0 }
      isAnswered = true
      await work()
      return sent
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Calls `onMessage` with the type of each message; the first one of a client has none. */
function messageReader({ startsWithoutType }: { startsWithoutType: boolean }, onMessage: (type: string) => void) {
  let typeBytes = startsWithoutType ? 0 : 1
  let rest: Buffer = Buffer.alloc(0)
  return (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      if (rest.length < typeBytes + 4) return
      const end = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < end) return
      if (typeBytes === 1) onMessage(rest.toString('latin1', 0, 1))
      rest = rest.subarray(end)
      typeBytes = 1
    }
  }
}
