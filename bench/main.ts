import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem, type } from 'node:os'
import { ensureLoaded } from './load/load.ts'
import { type Options, readBenchOptions } from './options.ts'
import { ensurePeer } from './peer.ts'
import { showProfiles } from './profile/profile.ts'
import { assertQuiet, waitUntilIdle } from './quiet.ts'
import { writeDocuments } from './report/documents.ts'
import type { Report } from './report/report.ts'
import { toMarkdown } from './report/table.ts'
import { openStage, type Results, runAll, type Stage } from './run.ts'

const BANNER = `
  A trial on small data with short windows: its numbers say nothing about any product and are not for publication.
`

const options = readBenchOptions()
try {
  await main(options)
} catch (error) {
  console.error(error instanceof Error && error.constructor !== Error ? error.message : error)
  process.exitCode = 1
}

async function main({ isTrial, only, profile, sizes, binDir }: Options): Promise<void> {
  const peerVersion = ensurePeer()
  if (isTrial) console.log(BANNER)
  else await assertQuiet()
  const loaded = await ensureLoaded(sizes, binDir)
  const stage = await openStage(loaded, options)
  try {
    if (!isTrial) await waitUntilIdle()
    if (profile) return await showProfiles(stage, profile, options)
    const report = reportOf(stage, await runAll(stage, options), peerVersion)
    console.log(`\n${toMarkdown(report)}`)
    if (!isTrial && !only) writeDocuments(report)
    if (isTrial) console.log(BANNER)
  } finally {
    await stage.close()
  }
}

function reportOf({ postgres, world }: Stage, results: Results, peerVersion: string): Report {
  const [{ model } = { model: 'unknown' }] = cpus()
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    machine: {
      processor: model,
      cores: cpus().length,
      memoryGib: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
    },
    versions: { node: process.versions.node, postgres: postgres.version, 'better-auth': peerVersion },
    postgresSettings: postgres.settings,
    accounts: world.sizes.accounts,
    companies: world.sizes.companies,
    times: options.times,
    ...results,
  }
}
