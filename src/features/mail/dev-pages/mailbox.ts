import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isUuid } from '../../../lib/ids.ts'
import { createSemaphore } from '../../../lib/semaphore.ts'
import type { Message } from '../templates/render-message.ts'

/** An email in the development mailbox; its file has these fields. */
export interface StoredEmail extends Message {
  /** When it was put there, ISO 8601. */
  at: string
}

/** Emails as files, for development: reading them is enough to open accounts. */
export interface Mailbox {
  put(message: Message): Promise<void>
  /** The newest first. */
  list(to?: string): Promise<StoredEmail[]>
  find(id: string): Promise<StoredEmail | undefined>
}

const EMAILS_MAX = 500
/** Files that are open at the same time: a process may open only so many. */
const withSlot = createSemaphore(8)

export function openMailbox(dataDir: string): Mailbox {
  const folder = path.join(dataDir, 'mail')
  const read = async (name: string): Promise<StoredEmail | undefined> => {
    const content = await readFile(path.join(folder, name), 'utf8').catch(unlessMissing(undefined))
    return content === undefined ? undefined : JSON.parse(content)
  }
  return {
    async put(message) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await write(path.join(folder, message.id), { ...message, at: new Date().toISOString() })
      const tooMany = (await namesIn(folder)).slice(EMAILS_MAX)
      await Promise.all(tooMany.map((name) => rm(path.join(folder, name), { force: true })))
    },
    async list(to) {
      const emails = await Promise.all((await namesIn(folder)).map((name) => withSlot(() => read(name))))
      const wanted = to?.toLowerCase()
      return emails
        .filter((email) => email !== undefined)
        .filter(({ to }) => wanted === undefined || to.address === wanted)
    },
    async find(id) {
      return isUuid(id) ? read(`${id.toLowerCase()}.json`) : undefined
    },
  }
}

/** A reader finds a whole email or none. The temporary name has the email's id, so the next attempt replaces what a crash left. */
async function write(file: string, { id, at, kind, to, subject, text, html }: StoredEmail): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify({ id, at, kind, to, subject, text, html }, null, 2), { mode: 0o600 })
  await rename(`${file}.part`, `${file}.json`)
}

/** The ids of emails sort by the time at which they were enqueued. */
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
