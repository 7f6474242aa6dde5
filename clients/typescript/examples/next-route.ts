import { createVerifier, Problem } from '@tenantry/client/server'

// A route handler of Next, such as app/notes/route.ts. It needs nothing but the Request and Response of the web, so it fits
// other frameworks that speak them, too: Remix, Astro, SvelteKit, Hono, Deno, workers.

const verify = createVerifier({ issuer: process.env.TENANTRY_URL ?? 'http://localhost:3000' })

export async function GET(request: Request): Promise<Response> {
  try {
    const { accountId } = await verify(request)
    return Response.json({ notes: [`The first note of ${accountId}`] })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return Response.json({ code: error.code, message: error.message }, { status: error.status })
  }
}
