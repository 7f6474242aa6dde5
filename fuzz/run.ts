import { randomInt } from 'node:crypto'
import { readOptions } from '../scripts/options.ts'
import { startTestServer } from '../scripts/test-server.ts'
import { type Campaign, closeRig, fuzz, openRig } from './campaign.ts'
import { describeFinding } from './report.ts'

// Sends the service what nobody would write a test for, made from its own document, and holds every answer against it.

const HELP = `npm run fuzz -- --seconds 3600              a minute when left out
npm run fuzz -- --seed 1 --batch 2          one batch of a run again, on a world of its own
npm run fuzz -- --seed 1 --batch 2 --path … what that batch was shrunk to`

const options = {
  seconds: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  batch: { type: 'string' },
  path: { type: 'string' },
} as const

const campaign = readCampaign()
console.log(`Seed ${campaign.seed}`)
const server = await startTestServer()
try {
  const rig = await openRig()
  try {
    const found = await fuzz(rig, campaign)
    console.log(rig.coverage.report(rig.world.document))
    console.log(`${found.length} findings on PostgreSQL ${server.version}, seed ${campaign.seed}.`)
    if (found.length > 0) process.exitCode = 1
  } finally {
    await closeRig(rig)
  }
} catch (error) {
  // Told now: what a broken run leaves open may end the process when its server goes.
  console.error(error)
  process.exitCode = 1
} finally {
  await server.stop()
}

function readCampaign(): Campaign {
  const { seconds, seed, batch, path } = readOptions(
    HELP,
    { options },
    {
      check({ values: { seconds, seed, batch = '0' } }) {
        for (const [name, text] of Object.entries({ seconds, seed, batch }))
          if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is not a whole number`)
      },
    },
  ).values
  return {
    seed: Number(seed),
    ...(batch === undefined ? { seconds: Number(seconds) } : { batch: Number(batch) }),
    ...(path !== undefined && { path }),
    onFinding: (one) => console.log(describeFinding(one)),
  }
}
