import { readFileSync } from 'node:fs'

/** The version of this service (Semantic Versioning 2.0.0). */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
