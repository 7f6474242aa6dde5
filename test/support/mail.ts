import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import type { BrandSettings } from '../../src/brand/brand.ts'
import { Database } from '../../src/database/open.ts'
import type { LinkPurpose } from '../../src/database/schema.ts'
import { asAnyone } from '../../src/database/scopes.ts'
import { type Delivery, openDelivery } from '../../src/features/mail/delivery/delivery.ts'
import { type MailWorker, type MailWorkerParts, startMailWorker } from '../../src/features/mail/delivery/worker.ts'
import type { EmailKind, EmailParams } from '../../src/features/mail/outbox/emails.ts'
import { type EmailOptions, enqueueEmailWithinLimits } from '../../src/features/mail/outbox/enqueue.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Keys, keysFrom } from '../../src/lib/keys.ts'
import { createLog } from '../../src/process/log.ts'
import { testBrand } from './brand.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

const APP_URL = 'https://app.example.com'
const UNBOUNDED = { perRecipient: null }
export const MAIL_FROM = 'Acme, Inc. <no-reply@example.com>'

/** An outbox in a database of its own, and the means to fill, deliver and look at it. */
export interface TestOutbox {
  db: TestDatabase
  database: Database
  keys: Keys
  /** What the workers logged, line by line. */
  logged: string[]
  enqueue<Kind extends EmailKind>(
    kind: Kind,
    to: string,
    params: EmailParams[Kind],
    more?: TestEmailOptions,
  ): Promise<string>
  /** A link of an account of its own. */
  link(purpose: LinkPurpose, email: string): Promise<string>
  row(id: string): Promise<EmailRow>
  /** An idle worker that delivers here. */
  worker(delivery: Delivery, more?: Partial<MailWorkerParts>): MailWorker
  close(): Promise<void>
}

type TestEmailOptions = EmailOptions & { name?: string; locale?: string }

interface EmailRow {
  status: string
  attempts: number
  last_error: string | null
  /** From now, in seconds. */
  next_in: number
  claimed_for: number | null
}

export async function openTestOutbox(): Promise<TestOutbox> {
  const db = await createTestDatabase()
  const database = new Database(db.target)
  const keys = keysFrom(randomBytes(32).toString('base64url'))
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const workers: MailWorker[] = []
  return {
    db,
    database,
    keys,
    logged,
    async enqueue(kind, email, params, { name = 'Ann', locale = '', ...options } = {}) {
      await database.write(asAnyone, (tx) =>
        enqueueEmailWithinLimits(tx, UNBOUNDED, kind, { email, name, locale }, params, options),
      )
      const [newest] = await db.query<{ id: string }>('select id from emails order by id desc limit 1')
      return (newest as { id: string }).id
    },
    link: (purpose, email) => createLink(database, purpose, email),
    row: (id) => rowOf(db, id),
    worker(delivery, more) {
      const worker = startMailWorker({
        database,
        keys,
        appUrl: APP_URL,
        brand: testBrand(),
        log,
        delivery,
        idle: true,
        ...more,
      })
      workers.push(worker)
      return worker
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await database.close()
      await db.drop()
    },
  }
}

async function createLink(database: Database, purpose: LinkPurpose, email: string): Promise<string> {
  const [accountId, id] = [newId(), newId()]
  const expires_at = new Date(Date.now() + 900_000)
  await database.write(asAnyone, async (tx) => {
    await tx.insertInto('accounts').values({ id: accountId, email, name: 'Ann' }).execute()
    await tx.insertInto('one_time_links').values({ id, account_id: accountId, purpose, email, expires_at }).execute()
  })
  return id
}

async function rowOf(db: TestDatabase, id: string): Promise<EmailRow> {
  const [row] = await db.query<EmailRow>(
    `select status, attempts, last_error, extract(epoch from next_attempt_at - now())::float as next_in,
      extract(epoch from claimed_until - now())::float as claimed_for from emails where id = $1`,
    [id],
  )
  return row as EmailRow
}

/** What came in by SMTP: the recipients that were named to the server, and the source of the email. */
interface Received {
  recipients: string[]
  raw: string
  mail: ParsedMail
}

export interface MailServer {
  /** For SMTP_URL. */
  url: string
  received: Received[]
  /** What clients signed in with. */
  passwords: string[]
  /** Decides about a recipient: a reply code with its text refuses, 'silence' never answers. */
  refuse: (recipient: string) => string | undefined
  /** Closed with the server, if not before. `as`: user, password and host, instead of no user at 127.0.0.1. */
  delivery(as?: string, brand?: Partial<BrandSettings>): Delivery
  close(): Promise<void>
}

/** With `offersTls` it has a self-signed certificate. */
export async function startMailServer({ offersTls = false } = {}): Promise<MailServer> {
  const received: Received[] = []
  const passwords: string[] = []
  const deliveries: Delivery[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth({ password }, _session, callback) {
      passwords.push(password ?? '')
      callback(null, { user: 'anybody' })
    },
    logger: false,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const reply = mailServer.refuse(address)
      if (reply === 'silence') return
      const [code, ...words] = reply?.split(' ') ?? []
      callback(code ? Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }) : null)
    },
    async onData(stream, { envelope }, callback) {
      const raw = Buffer.concat(await stream.toArray()).toString()
      received.push({ recipients: envelope.rcptTo.map(({ address }) => address), raw, mail: await simpleParser(raw) })
      callback()
    },
  })
  // A client that gives up in the middle is a part of the tests.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received,
    passwords,
    refuse: () => undefined,
    delivery(as = '127.0.0.1', brand = {}) {
      const delivery = openDelivery({
        smtpUrl: `smtp://${as}:${port}`,
        mailFrom: MAIL_FROM,
        dataDir: '/nowhere',
        brand: testBrand(brand),
      })
      deliveries.push(delivery)
      return delivery
    },
    async close() {
      await Promise.all(deliveries.map((delivery) => delivery.close()))
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
  return mailServer
}
