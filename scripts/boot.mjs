import { existsSync } from 'node:fs'

// Loaded first, and plain JavaScript, because an older Node can't read TypeScript and could not print this message.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Tenantry needs Node 24, this is ${process.version}. On Linux (x64, arm64) "npm ci" installs it; on other systems install it yourself.`,
  )
  process.exit(1)
}
// Variables that are already set are not replaced.
if (existsSync('.env')) process.loadEnvFile('.env')
