import { existsSync } from 'node:fs'
import module from 'node:module'
import path from 'node:path'

// Loaded first, and plain JavaScript, because an older Node can't read TypeScript and could not print this message.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Tenantry needs Node 24, this is ${process.version}. On Linux (x64, arm64) "npm ci" installs it; on other systems install it yourself.`,
  )
  process.exit(1)
}
// What has been compiled is kept for the next start. It is code that will run, so it lies beside the other code, where only
// its owner writes; without the right to write there each start compiles again. NODE_COMPILE_CACHE names another
// folder.
module.enableCompileCache(path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'tenantry'))
try {
  // Variables that are already set are not replaced.
  if (existsSync('.env')) process.loadEnvFile('.env')
} catch (error) {
  console.error(`The file .env can't be read: ${error.message}`)
  process.exit(1)
}
