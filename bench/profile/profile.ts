import { drive } from '../drive/load.ts'
import type { Options } from '../options.ts'
import { type Row, rowsOf } from '../requests/rows.ts'
import type { Stage } from '../run.ts'
import { freePort } from '../servers/process.ts'
import { startTenantry } from '../servers/services.ts'
import { type CpuProfile, microsByGroup } from './groups.ts'
import { Inspector } from './inspector.ts'

const WARM_UP_SECONDS = 4
const SECONDS = 8
const SAMPLING_MICROS = 200

/** Prints where Tenantry spends its time on these requests: microseconds of its main thread for each, by group of code. */
export async function showProfiles(stage: Stage, keys: readonly string[], { isTrial }: Options): Promise<void> {
  const rows = rowsOf(stage.world)
  for (const key of keys) {
    const row = rows.find((candidate) => candidate.key === key)
    if (!row?.loads.tenantry)
      throw new Error(`There is no request ${key}: choose from ${rows.map((one) => one.key).join(', ')}`)
    const { profile, requests } = await profileOf(stage, row, isTrial ? 0.25 : 1)
    print(row.title, microsByGroup(profile), requests)
  }
}

async function profileOf(stage: Stage, row: Row, scale: number): Promise<{ profile: CpuProfile; requests: number }> {
  const port = await freePort()
  const NODE_OPTIONS = `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`
  const service = await startTenantry(stage.context, { NODE_OPTIONS })
  try {
    const inspector = await Inspector.open(port)
    const load = await row.loads.tenantry?.()
    if (!load) throw new Error(`Tenantry does not serve ${row.title}`)
    await drive(service.port, load, WARM_UP_SECONDS * scale)
    await inspector.send('Profiler.enable')
    await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_MICROS })
    await inspector.send('Profiler.start')
    const { requests } = await drive(service.port, load, SECONDS * scale)
    const { profile } = (await inspector.send('Profiler.stop')) as { profile: CpuProfile }
    inspector.close()
    return { profile, requests }
  } finally {
    await service.stop()
  }
}

function print(title: string, micros: ReadonlyMap<string, number>, requests: number): void {
  const entries = [...micros].map(([group, sum]) => [group, sum / requests] as const).sort((a, b) => b[1] - a[1])
  const busy = entries.reduce((sum, [group, each]) => sum + (group === 'idle' ? 0 : each), 0)
  console.log(`\n${title}: ${requests} requests, ${busy.toFixed(1)} µs each while not idle\n`)
  console.log('| part | µs a request | share |\n| --- | ---: | ---: |')
  for (const [group, each] of entries)
    console.log(
      `| ${group} | ${each.toFixed(1)} | ${group === 'idle' ? '' : `${((100 * each) / busy).toFixed(0)} %`} |`,
    )
}
