import { isProblem } from './problems.ts'

/**
 * Sends something with a company name. Where another company has the slug that would follow from it, one with a random end is
 * taken: two companies may well have the same name, and the slug can be changed in the settings.
 */
export async function withFreeSlug<Result>(name: string, send: (slug?: string) => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!isProblem(error) || error.code !== 'company_name_taken') throw error
    return send(`${slugOf(name)}-${crypto.randomUUID().slice(0, 6)}`)
  }
}

const LENGTH_MAX = 50

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_MAX)
    .replace(/^-+|-+$/g, '') || 'company'
