import { setTimeout as pause } from 'node:timers/promises'
import { assertSameResponses } from './compare.ts'
import { cpuMicrosOf, memoryOf } from './drive/usage.ts'
import { type Loaded, templates } from './load/load.ts'
import { type Measured, measureWindow, mediansOf, type Target } from './measure.ts'
import type { Options } from './options.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { assertIdle } from './quiet.ts'
import { median, short } from './report/numbers.ts'
import type { ProcessReport, ReportRow } from './report/report.ts'
import { type Row, rowsOf } from './requests/rows.ts'
import { openWorld, type World } from './requests/world.ts'
import type { Service } from './servers/process.ts'
import { databases, type Product, startBetterAuth, startLimit, startTenantry } from './servers/services.ts'
import { startSmtp } from './servers/smtp.ts'

const STARTS = 3
/** After it a service has done what it does after its start. */
const IDLE_MS = 4000

/** A PostgreSQL with fresh copies of the loaded databases, and what the requests need of them. */
export interface Stage {
  postgres: Postgres
  world: World
  context: Parameters<typeof startTenantry>[0]
  close(): Promise<void>
}

export async function openStage({ dataDir, appSecret }: Loaded, { binDir, sizes }: Options): Promise<Stage> {
  const postgres = await startPostgres(dataDir, { binDir })
  try {
    await postgres.create(databases.limit, templates.tenantry)
    await postgres.create(databases.tenantry, templates.tenantry)
    await postgres.create(databases.betterAuth, templates.betterAuth)
    const world = await openWorld(postgres, sizes, appSecret)
    const context = { postgres, appSecret, smtpUrl: await startSmtp() }
    const close = async () => {
      await world.close()
      await postgres.stop()
    }
    return { postgres, world, context, close }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

interface Started {
  service: Service
  target: Target
  boot: ProcessReport['boot']
  idle: number
}

const starters = { limit: startLimit, tenantry: startTenantry, betterAuth: startBetterAuth }
const products = Object.keys(starters) as Product[]

export interface Results {
  rows: ReportRow[]
  variants: { title: string; measured: Measured }[]
  processes: Record<Product, ProcessReport>
}

/** Starts the services, measures every row in rounds, and stops them. */
export async function runAll(stage: Stage, options: Options): Promise<Results> {
  const started = {} as Record<Product, Started>
  try {
    for (const product of products) started[product] = await startMeasured(stage, product)
    const rows = rowsOf(stage.world).filter(({ key }) => !options.only || options.only.includes(key))
    await assertSameResponses(rows, { limit: started.limit.target.port, tenantry: started.tenantry.target.port })
    const measured = await measureRows(stage, rows, started, options)
    const variants = options.only ? [] : await measureVariants(stage, started.tenantry, options)
    const processes = Object.fromEntries(
      products.map((product) => [product, processReport(started[product])]),
    ) as Results['processes']
    return { rows: measured, variants, processes }
  } finally {
    for (const { service, target } of Object.values(started)) {
      await service.stop()
      await target.background?.end()
    }
  }
}

/** Starts a service several times; the last one stays. */
async function startMeasured({ context, postgres }: Stage, product: Product): Promise<Started> {
  const boots: ProcessReport['boot'][] = []
  for (let start = 1; ; start++) {
    const service = await starters[product](context)
    boots.push({ cpuMs: cpuMicrosOf(service.pid) / 1000, ms: service.firstResponseMs })
    if (start < STARTS) {
      await service.stop()
      continue
    }
    await pause(IDLE_MS)
    const background = product === 'tenantry' ? await postgres.connect(databases.tenantry) : undefined
    return {
      service,
      target: { pid: service.pid, port: service.port, background },
      boot: { cpuMs: median(boots.map(({ cpuMs }) => cpuMs)), ms: median(boots.map(({ ms }) => ms)) },
      idle: memoryOf(service.pid),
    }
  }
}

const processReport = ({ boot, idle, service }: Started): ProcessReport => ({
  boot,
  memory: { idle, afterLoad: memoryOf(service.pid) },
})

/** In each round each request goes to one product after the other, so that a slow moment of the machine meets all alike. */
async function measureRows(
  { postgres }: Stage,
  rows: readonly Row[],
  started: Record<Product, Started>,
  { times, isTrial }: Options,
): Promise<ReportRow[]> {
  const windows = new Map(rows.map(({ key }) => [key, { limit: [], tenantry: [], betterAuth: [] } as Windows]))
  for (let round = 0; round < times.rounds; round++) {
    if (!isTrial) await assertIdle()
    console.log(`Round ${round + 1} of ${times.rounds}`)
    for (const row of rows) {
      const shown: string[] = []
      for (const product of rotated(products, round)) {
        const window = await measureWindow(product, row, started[product].target, postgres.pid, times)
        if (!window) continue
        windows.get(row.key)?.[product].push(window)
        shown.push(describe(product, window))
      }
      console.log(`  ${row.title.padEnd(42)} ${shown.join('   ')}`)
    }
  }
  return rows.map(({ key, title }) => ({ key, title, measured: mediansByProduct(windows.get(key) as Windows) }))
}

type Windows = Record<Product, Measured[]>

const mediansByProduct = (windows: Windows): ReportRow['measured'] =>
  Object.fromEntries(
    products.filter((product) => windows[product].length > 0).map((product) => [product, mediansOf(windows[product])]),
  )

const rotated = <Item>(items: readonly Item[], by: number) =>
  items.map((_, index) => items[(index + by) % items.length] as Item)

const describe = (product: string, { perSecond, p99, cpu }: Measured) =>
  `${product} ${short(perSecond)}/s p99 ${short(p99)} ms${cpu ? ` (${short(cpu.service)} + ${short(cpu.postgres)} µs)` : ''}`

/** Settings that the main table leaves out, because all load comes from one address and every line would be logged. */
const variants: Record<string, Record<string, string>> = {
  'LOG_LEVEL=info, one line for each response': { LOG_LEVEL: 'info' },
  'RATE_LIMIT_ENABLED=true, the highest limit': { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' },
}

async function measureVariants(stage: Stage, { target }: Started, { times }: Options): Promise<Results['variants']> {
  const me = rowsOf(stage.world).find(({ key }) => key === 'me') as Row
  const services: Service[] = []
  const targets = new Map([['as in the table above', target]])
  try {
    for (const [title, settings] of Object.entries(variants)) {
      const service = await startTenantry(stage.context, settings)
      services.push(service)
      targets.set(title, { pid: service.pid, port: service.port, background: target.background })
    }
    const measured = new Map([...targets.keys()].map((title) => [title, [] as Measured[]]))
    for (let round = 0; round < times.rounds; round++) {
      for (const [title, variant] of targets) {
        const window = await measureWindow('tenantry', me, variant, stage.postgres.pid, times)
        if (window) measured.get(title)?.push(window)
      }
    }
    return [...measured].map(([title, windows]) => ({ title, measured: mediansOf(windows) }))
  } finally {
    for (const service of services) await service.stop()
  }
}
