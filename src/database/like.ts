import { folded } from '../lib/text.ts'

/** A pattern for LIKE that matches texts that contain this one; `%`, `_` and `\\` stand for themselves. */
export const likePattern = (text: string) => `%${(folded(text) || text).replace(/[\\%_]/g, '\\$&')}%`
