// better-auth with its organization plugin, in the settings that its documentation recommends for production. Plain
// JavaScript, because its package and types are installed in this folder only. `migrate` makes its tables and prints the
// hash of PASSWORD; without an argument it serves on PORT.
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { organization } from 'better-auth/plugins'
import pg from 'pg'

const { DATABASE_URL, SECRET, PORT, PASSWORD } = process.env

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20, application_name: 'better-auth' })
const options = {
  baseURL: `http://127.0.0.1:${PORT}`,
  secret: SECRET,
  trustedOrigins: ['https://app.example.com'],
  database: pool,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
  plugins: [organization()],
}

if (process.argv[2] === 'migrate') {
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  console.log(await hashPassword(PASSWORD))
  await pool.end()
} else {
  const server = createServer(toNodeHandler(betterAuth(options)))
  server.listen(Number(PORT), '127.0.0.1')
  process.once('SIGTERM', () => process.exit(0))
}
