import { drive } from '../drive/load.ts'
import type { Options } from '../options.ts'
import { type Row, rowsOf } from '../requests/rows.ts'
import type { Stage } from '../run.ts'
import { freePort } from '../servers/process.ts'
import { startTenantry } from '../servers/services.ts'
import { type Profile, sumsByFunction, sumsByGroup } from './groups.ts'
import { Inspector } from './inspector.ts'
import { type Recorder, recordAllocations, recordCpu } from './recorders.ts'

const WARM_UP_SECONDS = 4
const SECONDS = 8
const FUNCTIONS_SHOWN = 25

/**
 * Prints what these requests cost in Tenantry: for each one the microseconds of the main thread, and the bytes that it
 * allocates, by group of code.
 */
export async function showProfiles(stage: Stage, keys: readonly string[], { isTrial }: Options): Promise<void> {
  const rows = rowsOf(stage.world)
  for (const key of keys) {
    const row = rows.find((candidate) => candidate.key === key)
    if (!row?.loads.tenantry)
      throw new Error(`There is no request ${key}: choose from ${rows.map((one) => one.key).join(', ')}`)
    await profileRow(stage, row, isTrial ? 0.25 : 1)
  }
}

async function profileRow(stage: Stage, row: Row, scale: number): Promise<void> {
  const port = await freePort()
  const NODE_OPTIONS = `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`
  const service = await startTenantry(stage.context, { NODE_OPTIONS })
  try {
    const inspector = await Inspector.open(port)
    const load = await row.loads.tenantry?.()
    if (!load) throw new Error(`Tenantry does not serve ${row.title}`)
    await drive(service.port, load, WARM_UP_SECONDS * scale)
    const record = async (unit: string, start: Recorder) => {
      const stop = await start(inspector)
      const { requests } = await drive(service.port, load, SECONDS * scale)
      print(`${row.title}: ${unit} a request`, await stop(), requests)
    }
    // One after the other, because the second one makes everything slower.
    await record('µs', recordCpu)
    await record('bytes', recordAllocations)
    inspector.close()
  } finally {
    await service.stop()
  }
}

function print(title: string, profile: Profile, requests: number): void {
  const parts = largest(sumsByGroup(profile), requests)
  const sum = parts.reduce((total, [, each]) => total + each, 0)
  console.log(`\n${title}, over ${requests} requests: ${sum.toFixed(1)}\n\n| part | | share |\n| --- | ---: | ---: |`)
  for (const [name, each] of parts)
    console.log(`| ${name} | ${each.toFixed(1)} | ${((100 * each) / sum).toFixed(0)} % |`)
  console.log('\n| function | |\n| --- | ---: |')
  for (const [name, each] of largest(sumsByFunction(profile), requests).slice(0, FUNCTIONS_SHOWN))
    console.log(`| ${name} | ${each.toFixed(1)} |`)
}

/** For each request, the largest first, without the time in which there was nothing to do. */
const largest = (sums: ReadonlyMap<string, number>, requests: number) =>
  [...sums]
    .filter(([name]) => name !== 'idle' && name !== '(idle)')
    .map(([name, sum]) => [name, sum / requests] as const)
    .sort((a, b) => b[1] - a[1])
