import { closingAtEnd } from '../faults/cleanup.ts'
import { compareAfter } from '../faults/comparison.ts'
import type { Fault, Outcome } from '../faults/fault.ts'
import { createServiceNode, type ServiceNode } from '../faults/service-node.ts'
import { startSmtpReceiver } from '../faults/smtp-receiver.ts'
import { Traffic } from '../faults/traffic.ts'
import { Cluster } from './cluster.ts'
import type { Member } from './member.ts'

const NODES = 2
/** Patroni's time to live, and what an election and a busy machine need. */
const FAILOVER_MS_MAX = 45_000
const SECRET = 'cluster-secret-0123456789-abcdefghijk'

type Cause = (cluster: Cluster, leader: Member, traffic: Traffic) => Promise<number>

/** What can happen to the leader, for nodes that name all hosts and for nodes behind haproxy. */
export function clusterFaults(): Fault[] {
  const ways = { 'all hosts': 'directUrl', haproxy: 'proxiedUrl' } as const
  const causes: Record<string, Cause> = {
    'the leader is killed with -9': killed,
    'the leader hangs (SIGSTOP), and goes on after the failover': stopped,
  }
  return Object.entries(causes).flatMap(([what, cause]) =>
    Object.entries(ways).map(([way, url]) => ({
      name: `${what} (${way})`,
      programs: ['patroni', 'etcd', 'haproxy'],
      healMsMax: FAILOVER_MS_MAX,
      run: () => onCluster((cluster) => observe(cluster, url, cause)),
    })),
  )
}

/** A new one each time, because Patroni 3.0 can fail to choose another standby after several failovers. */
async function onCluster<Result>(work: (cluster: Cluster) => Promise<Result>): Promise<Result> {
  const cluster = await Cluster.start()
  const close = closingAtEnd(() => cluster.close())
  try {
    return await work(cluster)
  } finally {
    await close()
  }
}

const killed: Cause = async (cluster, leader, traffic) => {
  const sinceMs = performance.now()
  await leader.kill()
  const deadMs = performance.now()
  const healedMs = deadMs - sinceMs + (await traffic.healedSince(deadMs))
  cluster.restart(leader)
  return healedMs
}

/** When it goes on, the former leader still takes itself for the leader, and takes writes. */
const stopped: Cause = async (cluster, leader, traffic) => {
  const sinceMs = performance.now()
  leader.signal('SIGSTOP')
  const healedMs = await traffic.healedSince(sinceMs)
  const before = await cluster.timeline()
  leader.signal('SIGCONT')
  await traffic.healedSince(performance.now())
  await cluster.settled()
  const after = await cluster.timeline()
  if (after < before) throw new Error(`the cluster went back from timeline ${before} to ${after}`)
  return healedMs
}

async function observe(cluster: Cluster, url: 'directUrl' | 'proxiedUrl', cause: Cause): Promise<Outcome> {
  const receiver = await startSmtpReceiver()
  const nodes: ServiceNode[] = []
  const close = closingAtEnd(async () => {
    for (const node of nodes) await node.close()
    await receiver.close()
  })
  try {
    for (let index = 0; index < NODES; index++)
      nodes.push(await createServiceNode(settingsOf(cluster[url], receiver.port)))
    for (const node of nodes) await node.start()
    let turn = 0
    const traffic = new Traffic(() => (nodes[turn++ % nodes.length] as ServiceNode).address)
    await traffic.start()
    const healedMs = await cause(cluster, await cluster.leader(), traffic)
    return { ...(await compareAfter(traffic, cluster.query, receiver)), healedMs }
  } finally {
    await close()
  }
}

function settingsOf(databaseUrl: string, smtpPort: number): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    APP_SECRET: SECRET,
    APP_URL: 'https://app.example.com',
    RATE_LIMIT_ENABLED: 'false',
  }
}
