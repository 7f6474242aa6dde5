import { compare } from './comparison.ts'
import type { Outcome } from './fault.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { type FaultProxy, startFaultProxy } from './proxy.ts'
import { createServiceNode, type ServiceNode } from './service-node.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'
import { Traffic } from './traffic.ts'
import { until } from './until.ts'

/** Everything that a fault can reach: the service, what it depends on, and the network between them. */
export interface Stage {
  postgres: PostgresServer
  /** Between the service and PostgreSQL. */
  postgresNetwork: FaultProxy
  receiver: SmtpReceiver
  /** Between the service and the receiver of emails. */
  smtpNetwork: FaultProxy
  nodes: ServiceNode[]
  traffic: Traffic
}

export interface StageOptions {
  /** How many nodes of the service run; writers use them in turn. */
  nodes?: number
  /** Further settings of every node. */
  settings?: Record<string, string>
  /** Where PostgreSQL keeps its data. */
  postgresFolder?: string
}

const SECRET = 'fault-secret-0123456789-abcdefghijklm'

/**
 * Starts everything, lets people write, runs `cause`, which returns in milliseconds how long healing took, and compares
 * what was acknowledged with what is there.
 */
export async function onStage(cause: (stage: Stage) => Promise<number>, options: StageOptions = {}): Promise<Outcome> {
  const opened: (() => Promise<void>)[] = []
  const opening = async <Part extends { close(): Promise<void> }>(part: Promise<Part>): Promise<Part> => {
    const open = await part
    opened.push(() => open.close())
    return open
  }
  try {
    const stage = await build(opening, options)
    await stage.traffic.start()
    const healedMs = await cause(stage)
    await stage.traffic.stop()
    await settle(stage)
    const { journal } = stage.traffic
    return {
      ...(await compare(journal, (text, values) => stage.postgres.query(text, values), stage.receiver.received)),
      healedMs,
    }
  } finally {
    for (const close of opened.reverse()) await close()
  }
}

type Opening = <Part extends { close(): Promise<void> }>(part: Promise<Part>) => Promise<Part>

async function build(
  opening: Opening,
  { nodes: count = 1, settings = {}, postgresFolder }: StageOptions,
): Promise<Stage> {
  const postgres = await opening(startPostgres(postgresFolder === undefined ? {} : { folder: postgresFolder }))
  const receiver = await opening(startSmtpReceiver())
  const postgresNetwork = await opening(startFaultProxy(() => postgres.port))
  const smtpNetwork = await opening(startFaultProxy(() => receiver.port))
  const nodes: ServiceNode[] = []
  for (let index = 0; index < count; index++) {
    const node = createServiceNode({
      DATABASE_URL: `postgres://tenantry@127.0.0.1:${postgresNetwork.port}/tenantry`,
      SMTP_URL: `smtp://127.0.0.1:${smtpNetwork.port}`,
      APP_SECRET: SECRET,
      RATE_LIMIT_ENABLED: 'false',
      ...settings,
    })
    nodes.push(await opening(node))
  }
  for (const node of nodes) await node.start()
  let turn = 0
  const traffic = new Traffic(() => (nodes[turn++ % nodes.length] as ServiceNode).address)
  return { postgres, postgresNetwork, receiver, smtpNetwork, nodes, traffic }
}

/**
 * After the fault: time passes by ageing rows, so that keys of requests without an answer and emails that wait for their
 * next attempt are due; then every request is answered and every email delivered.
 */
async function settle({ traffic, postgres }: Stage): Promise<void> {
  await postgres.query('update idempotent_requests set claimed_until = now() where status is null')
  await traffic.settle()
  await until(async () => {
    await postgres.query(`update emails set next_attempt_at = now() where status = 'pending' and claimed_until is null`)
    const [{ pending } = { pending: 0 }] = await postgres.query<{ pending: number }>(
      `select count(*)::int as pending from emails where status = 'pending'`,
    )
    return pending === 0
  })
}

/** Emails that a killed node had claimed are free again at once instead of after their lease. */
export async function endLeases({ postgres }: Stage): Promise<void> {
  await postgres.query(`update emails set claimed_until = now() where status = 'pending'`)
}
