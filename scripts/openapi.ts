import fs from 'node:fs'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { Database } from '../src/database/open.ts'
import { createHashing } from '../src/lib/hashing.ts'
import { keysFrom } from '../src/lib/keys.ts'
import { createLog } from '../src/process/log.ts'

// Writes the OpenAPI document of the declared routes; with --check only tells whether the committed one is fresh.
const FILE = 'docs/openapi.json'

const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'never used: nothing is signed here' })
const { app, document } = await buildApp({
  config,
  database: new Database({ connectionString: 'postgres://nowhere.invalid/' }),
  keys: keysFrom(config.appSecret),
  log: createLog('silent'),
  hashing: await createHashing(),
  isMailHealthy: () => true,
})
await app.close()

const text = `${JSON.stringify(document, null, 2)}\n`
if (!process.argv.includes('--check')) fs.writeFileSync(FILE, text)
else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is stale: npm run openapi`)
  process.exitCode = 1
}
