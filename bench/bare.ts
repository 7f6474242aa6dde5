import fastify from 'fastify'

// The floor: a route that answers as many bytes as `me` and does nothing else.
const app = fastify()
const answer = { success: true, data: { text: 'x'.repeat(800) } }
app.get('/', async () => answer)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
