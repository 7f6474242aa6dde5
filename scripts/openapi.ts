import fs from 'node:fs'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config/config.ts'
import { createDeps } from '../src/deps.ts'
import { createLog } from '../src/process/log.ts'

// Writes the OpenAPI document of the declared routes. With --check it fails when the committed document differs.
const FILE = 'docs/openapi.json'

const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'unused, because nothing is signed here' })
const { app, document } = await buildApp({
  // The host does not exist: nothing here opens a connection.
  ...(await createDeps(config, { connectionString: 'postgres://database.invalid/' })),
  log: createLog('silent'),
  isMailHealthy: () => true,
})
await app.close()

const text = `${JSON.stringify(await document.build(), null, 2)}\n`
if (!process.argv.includes('--check')) fs.writeFileSync(FILE, text)
else if (!fs.existsSync(FILE) || fs.readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is out of date: npm run openapi`)
  process.exitCode = 1
}
