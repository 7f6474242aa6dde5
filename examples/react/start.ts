import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createServer } from 'vite'

// The service with its console, and beside it the product on an origin of its own, which the service has to list.

const root = path.join(import.meta.dirname, '../..')
const boot = ['--import', './scripts/boot.mjs']
const vite = await createServer({ root: import.meta.dirname })
const origin = `http://localhost:${vite.config.server.port}`
const env = { ...process.env, CORS_ORIGINS: [process.env.CORS_ORIGINS, origin].filter(Boolean).join(',') }

spawnSync(process.execPath, [...boot, 'scripts/console.ts'], { cwd: root, stdio: 'inherit' })
const service = spawn(process.execPath, [...boot, 'src/main.ts'], { cwd: root, env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill('SIGTERM'))
service.on('exit', (code) => void vite.close().finally(() => process.exit(code ?? 1)))
while (!(await isListening())) await setTimeout(200)
await vite.listen()
console.log(`The product is on ${origin}`)

/** The product would be of no use before. Ends with the process when the service does not start. */
function isListening(): Promise<boolean> {
  return fetch(`http://localhost:${process.env.PORT ?? 3000}/api/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}
