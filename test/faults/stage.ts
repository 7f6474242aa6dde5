import { closingAtEnd } from './cleanup.ts'
import { compareAfter, type Query } from './comparison.ts'
import type { Outcome } from './fault.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { type FaultProxy, startFaultProxy } from './proxy.ts'
import { createServiceNode, type ServiceNode } from './service-node.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'
import { Traffic } from './traffic.ts'

/** Everything that a fault can reach: the service, what it depends on, and the network between them. */
export interface Stage {
  postgres: PostgresServer
  /** Between the service and PostgreSQL. */
  postgresNetwork: FaultProxy
  receiver: SmtpReceiver
  /** Between the service and the receiver of emails. */
  smtpNetwork: FaultProxy
  nodes: ServiceNode[]
  /** The proxy in front of the nodes, when there is one. */
  front: Front | undefined
  traffic: Traffic
  /** From now on writers use these nodes in turn. */
  use(nodes: ServiceNode[]): void
}

export interface StageOptions {
  /** How many nodes of the service run; writers use them in turn. */
  nodes?: number
  /** Further settings of every node. */
  settings?: Record<string, string>
  /** Where PostgreSQL keeps its data. */
  postgresFolder?: string
  /** Starts a proxy in front of the nodes, through which all write then. */
  startFront?: (nodes: ServiceNode[]) => Promise<Front>
}

export interface Front {
  /** Such as `http://127.0.0.1:8080/api`. */
  address: string
  /** What it has logged as wrong. */
  log(): string
  close(): Promise<void>
}

const SECRET = 'fault-secret-0123456789-abcdefghijklm'

/** What a node needs to be one of the stage. */
export function serviceSettings({ postgresNetwork, smtpNetwork }: Pick<Stage, 'postgresNetwork' | 'smtpNetwork'>) {
  return {
    DATABASE_URL: `postgres://tenantry@127.0.0.1:${postgresNetwork.port}/tenantry`,
    SMTP_URL: `smtp://127.0.0.1:${smtpNetwork.port}`,
    APP_SECRET: SECRET,
    APP_URL: 'https://app.example.com',
    RATE_LIMIT_ENABLED: 'false',
  }
}

/**
 * Starts everything, lets people write, runs `cause`, which returns in milliseconds how long healing took, and compares
 * what was acknowledged with what is there.
 */
export async function onStage(cause: (stage: Stage) => Promise<number>, options: StageOptions = {}): Promise<Outcome> {
  const opened: (() => Promise<void>)[] = []
  const opening = async <Part extends { close(): Promise<void> }>(part: Promise<Part>): Promise<Part> => {
    const open = await part
    opened.push(closingAtEnd(() => open.close()))
    return open
  }
  try {
    const stage = await build(opening, options)
    await stage.traffic.start()
    const healedMs = await cause(stage)
    const query: Query = (text, values) => stage.postgres.query(text, values)
    return { ...(await compareAfter(stage.traffic, query, stage.receiver)), healedMs }
  } finally {
    for (const close of opened.reverse()) await close()
  }
}

type Opening = <Part extends { close(): Promise<void> }>(part: Promise<Part>) => Promise<Part>

async function build(
  opening: Opening,
  { nodes: count = 1, settings = {}, postgresFolder, startFront }: StageOptions,
): Promise<Stage> {
  const postgres = await opening(startPostgres(postgresFolder === undefined ? {} : { folder: postgresFolder }))
  const receiver = await opening(startSmtpReceiver())
  const postgresNetwork = await opening(startFaultProxy(() => postgres.port))
  const smtpNetwork = await opening(startFaultProxy(() => receiver.port))
  const nodes: ServiceNode[] = []
  for (let index = 0; index < count; index++) {
    const node = createServiceNode({
      ...serviceSettings({ postgresNetwork, smtpNetwork }),
      ...settings,
    })
    nodes.push(await opening(node))
  }
  for (const node of nodes) await node.start()
  const front = startFront && (await opening(startFront(nodes)))
  let used = nodes
  let turn = 0
  const traffic = new Traffic(() => front?.address ?? (used[turn++ % used.length] as ServiceNode).address)
  const use = (others: ServiceNode[]) => {
    used = others
  }
  return { postgres, postgresNetwork, receiver, smtpNetwork, nodes, front, traffic, use }
}

/** Emails that a killed node had claimed are free again at once instead of after their lease. */
export async function endLeases({ postgres }: Stage): Promise<void> {
  await postgres.query(`update emails set claimed_until = now() where status = 'pending'`)
}
