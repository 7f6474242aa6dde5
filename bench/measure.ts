// How long requests take.

const REQUESTS = 15

/** The median of some requests, in milliseconds. */
export async function medianMs(url: string, headers: Record<string, string>): Promise<string> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const { result, seconds } = await timed(async () => {
      const response = await fetch(url, { headers })
      await response.arrayBuffer()
      return response
    })
    if (!result.ok) throw new Error(`${url}: ${result.status}`)
    times.push(seconds * 1000)
  }
  return median(times).toFixed(1)
}

/** Reads an answer to its end without keeping it. */
export async function bytesOf(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers })
  let length = 0
  for await (const chunk of response.body ?? []) length += chunk.byteLength
  return length
}

export async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const since = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - since) / 1000 }
}

export function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
}
