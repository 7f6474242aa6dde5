import type { CDPSession } from 'playwright-core'
import type { Visit } from './console.ts'

/** The authenticator of a browser. */
export interface Device {
  /** Whether its user is there: without, it waits, as a browser does for a finger. */
  setPresent(isPresent: boolean): Promise<void>
  /** Whether it knows its user again. */
  setVerified(isVerified: boolean): Promise<void>
  /** Puts its passkeys into the one of another browser, as a provider does that synchronizes them. */
  copyTo(other: Device): Promise<void>
  devtools: CDPSession
  authenticatorId: string
}

/** Gives a browser an authenticator that keeps passkeys and knows its user. */
export async function addDevice({ page }: Visit): Promise<Device> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    devtools,
    authenticatorId,
    setPresent: async (enabled) =>
      void (await devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })),
    setVerified: async (isUserVerified) =>
      void (await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    copyTo: async (other) => {
      const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
      for (const credential of credentials)
        await other.devtools.send('WebAuthn.addCredential', { authenticatorId: other.authenticatorId, credential })
    },
  }
}
