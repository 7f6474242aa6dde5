import fastify from 'fastify'

// The baseline: a bare Fastify route whose response has as many bytes as that of `me`.
const app = fastify()
const answer = { success: true, data: { text: 'x'.repeat(800) } }
app.get('/', async () => answer)
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
