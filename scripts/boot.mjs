import { existsSync } from 'node:fs'

// Loaded before anything else, and plain JavaScript: an older Node could not read a TypeScript file to say this.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Tenantry needs Node 24, this is ${process.version}. On Linux (x64, arm64) "npm ci" brings it; elsewhere install it.`,
  )
  process.exit(1)
}
// What the environment sets already wins.
if (existsSync('.env')) process.loadEnvFile('.env')
