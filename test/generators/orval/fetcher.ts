/** What all requests have in common; set once. */
export const defaults = { baseUrl: '', headers: new Headers() }

/** Every generated function calls it. */
export async function fetcher<Answer>(url: string, options: RequestInit): Promise<Answer> {
  const headers = new Headers([...defaults.headers, ...new Headers(options.headers)])
  const response = await fetch(defaults.baseUrl + url, { ...options, headers })
  return { status: response.status, data: await response.json(), headers: response.headers } as Answer
}
