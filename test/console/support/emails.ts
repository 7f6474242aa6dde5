import { until } from '../../support/until.ts'
import type { ConsoleUnderTest } from './console.ts'

interface Email {
  kind: string
  to: { address: string } | string
  text: string
}

/** The newest email of a kind to an address: its text. */
export async function emailTo({ service }: ConsoleUnderTest, address: string, kind: string): Promise<string> {
  let found: Email | undefined
  await until(async () => {
    const response = await fetch(`${service.address}/dev/mail.json`)
    found = ((await response.json()) as Email[]).find(
      (email) => email.kind === kind && JSON.stringify(email.to).includes(address),
    )
    return found !== undefined
  })
  return found?.text ?? ''
}

/** The link in it, as a path of this service. */
export async function linkTo(site: ConsoleUnderTest, address: string, kind: string): Promise<string> {
  const [link = ''] = /https?:\S+\?(token|company)=\S+/.exec(await emailTo(site, address, kind)) ?? []
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** The temporary password in it. */
export async function passwordTo(site: ConsoleUnderTest, address: string, kind: string): Promise<string> {
  const [password = ''] = /^\w{16}$/m.exec(await emailTo(site, address, kind)) ?? []
  return password
}

/** The code in it. */
export async function codeTo(site: ConsoleUnderTest, address: string): Promise<string> {
  const [code = ''] = /^\d{8}$/m.exec(await emailTo(site, address, 'mailbox_code')) ?? []
  return code
}
