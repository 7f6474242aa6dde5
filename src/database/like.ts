import { folded } from '../lib/text.ts'

/** A LIKE pattern for texts that contain this one, for columns with folded text. `%`, `_` and `\\` match themselves. */
export const likePattern = (text: string) => `%${(folded(text) || text).replace(/[\\%_]/g, '\\$&')}%`
