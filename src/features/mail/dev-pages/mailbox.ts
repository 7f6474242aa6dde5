import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isUuid } from '../../../lib/ids.ts'
import { createSemaphore } from '../../../lib/semaphore.ts'
import type { Message } from '../templates/messages.ts'

/** A letter in the development mailbox; the file has these fields. */
export interface MailboxLetter extends Message {
  /** When it was put there, ISO 8601. */
  at: string
}

/** Letters as files, for development: whoever can read them can open accounts. */
export interface Mailbox {
  put(message: Message): Promise<void>
  /** The newest first. */
  list(to?: string): Promise<MailboxLetter[]>
  find(id: string): Promise<MailboxLetter | undefined>
}

const LETTERS_MAX = 500
/** Files that are open at the same time: a process may open only so many. */
const inLane = createSemaphore(8)

export function openMailbox(dataDir: string): Mailbox {
  const folder = path.join(dataDir, 'mail')
  const read = async (name: string): Promise<MailboxLetter | undefined> => {
    const content = await readFile(path.join(folder, name), 'utf8').catch(unlessMissing(undefined))
    return content === undefined ? undefined : JSON.parse(content)
  }
  return {
    async put(message) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await write(path.join(folder, message.id), { ...message, at: new Date().toISOString() })
      const tooMany = (await namesIn(folder)).slice(LETTERS_MAX)
      await Promise.all(tooMany.map((name) => rm(path.join(folder, name), { force: true })))
    },
    async list(to) {
      const letters = await Promise.all((await namesIn(folder)).map((name) => inLane(() => read(name))))
      const wanted = to?.toLowerCase()
      return letters
        .filter((letter) => letter !== undefined)
        .filter(({ to }) => wanted === undefined || to.address === wanted)
    },
    async find(id) {
      return isUuid(id) ? read(`${id.toLowerCase()}.json`) : undefined
    },
  }
}

/** Whoever reads finds a whole letter or none. The temporary name is the letter's own, so that a next delivery mends what a crash left. */
async function write(file: string, { id, at, kind, to, subject, text, html }: MailboxLetter): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify({ id, at, kind, to, subject, text, html }, null, 2), { mode: 0o600 })
  await rename(`${file}.part`, `${file}.json`)
}

/** The ids of letters sort by the time of their making. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(unlessMissing<string[]>([]))
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
}

function unlessMissing<Instead>(instead: Instead): (error: NodeJS.ErrnoException) => Instead {
  return (error) => {
    if (error.code === 'ENOENT') return instead
    throw error
  }
}
