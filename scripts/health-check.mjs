import { get } from 'node:http'

// Whether the service in this container answers: exits with 0 if so, otherwise with 1. The image has no curl.
const { PORT = '3000' } = process.env
get({ host: 'localhost', port: PORT, path: '/api/health', timeout: 4000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1)
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
