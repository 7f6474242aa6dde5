import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { startChromium } from '../console/support/chromium.ts'
import { freePort } from '../faults/free-port.ts'
import { confirmMailbox } from '../support/factors.ts'
import { assertProblem, type Person, signUp } from '../support/people.ts'
import { startRunningService } from '../support/running.ts'

// Passkeys as Chromium and its virtual authenticators make them, against the whole service.

const port = await freePort()
const origin = `http://localhost:${port}`
const service = await startRunningService({ PORT: String(port), APP_URL: origin })
const browser = await startChromium()
after(async () => {
  await browser.close()
  await service.close()
})

type Options = Record<string, unknown>
interface Device {
  page: Page
  devtools: CDPSession
  authenticatorId: string
}

/** A browser of its own, at a page of the service or of another origin, with one authenticator. */
async function openDevice(more: Options = {}, at = origin): Promise<Device> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Blank</title>' }))
  await page.goto(`${at}/blank`)
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
    ...more,
  } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  return { page, devtools, authenticatorId }
}

/** What `navigator.credentials` gives, as JSON, or the name of its error. */
const ceremony =
  (method: 'create' | 'get') =>
  ({ page }: Device, options: Options): Promise<unknown> =>
    page.evaluate(`(async () => {
      try {
        const parse = PublicKeyCredential.parse${method === 'create' ? 'Creation' : 'Request'}OptionsFromJSON
        const publicKey = parse.call(PublicKeyCredential, ${JSON.stringify(options)})
        return (await navigator.credentials.${method}({ publicKey })).toJSON()
      } catch (error) {
        return error.name
      }
    })()`)
const create = ceremony('create')
const get = ceremony('get')

async function newPerson(): Promise<Person> {
  const ann = await signUp(service.client)
  await confirmMailbox(service, ann)
  return ann
}

async function startAdding(person: Person, more: Options = {}) {
  const { status, body } = await person.api.post('/auth/factors/passkeys/options')
  assert.equal(status, 200, JSON.stringify(body))
  return { challenge: body.data.challenge, options: { ...body.data.options, ...more } }
}

async function add(person: Person, device: Device, more: Options = {}) {
  const { challenge, options } = await startAdding(person, more)
  const credential = await create(device, options)
  return person.api.post('/auth/factors/passkeys', { challenge, credential, name: 'Chromium' })
}

async function signIn(device: Device, more: Options = {}) {
  const { challenge, options } = (await service.client.post('/auth/passkeys/options')).body.data
  const credential = await get(device, { ...options, ...more })
  assert.equal(typeof credential, 'object', String(credential))
  return service.client.post('/auth/passkeys/login', { challenge, credential })
}

/** What a page could ask for instead of what it was told to. */
const UNDEMANDING = { authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' } }

describe('in Chromium', () => {
  it('a passkey is added and signs in without an address', async () => {
    const [ann, device] = [await newPerson(), await openDevice()]
    const added = await add(ann, device)
    assert.equal(added.status, 201, JSON.stringify(added.body))
    assert.deepEqual([added.body.data.factor.kind, added.body.data.factor.synced], ['passkey', false])

    const answer = await signIn(device)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.data.user.id, ann.id)
  })

  it('a passkey of a provider counts as synced', async () => {
    const [ann, device] = [
      await newPerson(),
      await openDevice({ defaultBackupEligibility: true, defaultBackupState: true }),
    ]
    assert.equal((await add(ann, device)).body.data.factor.synced, true)
    assert.equal((await signIn(device)).status, 200)
  })

  it('the same device is not asked for a second passkey of an account, and another device is', async () => {
    const [ann, device, other] = [await newPerson(), await openDevice(), await openDevice()]
    assert.equal((await add(ann, device)).status, 201)
    assert.equal(await create(device, (await startAdding(ann)).options), 'InvalidStateError')
    assert.equal((await add(ann, other)).status, 201)
    for (const each of [device, other]) assert.equal((await signIn(each)).status, 200)
  })

  it('one device keeps passkeys of several accounts apart', async () => {
    const [ann, bob, device] = [await newPerson(), await newPerson(), await openDevice()]
    assert.equal((await add(ann, device)).status, 201)
    assert.equal((await add(bob, device)).status, 201)
    const { credentials } = await device.devtools.send('WebAuthn.getCredentials', device)
    assert.equal(credentials.length, 2)
    const handles = credentials.map(({ userHandle = '' }) => Buffer.from(userHandle, 'base64').toString('hex'))
    assert.equal(new Set(handles).size, 2)
    for (const { id } of [ann, bob]) assert.ok(!handles.some((handle) => handle.includes(id.replaceAll('-', ''))))
  })

  it('a page of another port gets a passkey that is refused', async () => {
    const [ann, other] = [await newPerson(), await openDevice({}, `http://localhost:${port + 1}`)]
    assertProblem(await add(ann, other), 401, 'second_factor_wrong')
  })

  it('a page of another domain gets none, and one for its own domain is refused', async () => {
    const [ann, other] = [await newPerson(), await openDevice({}, 'http://evil.localhost')]
    const { options } = await startAdding(ann)
    // localhost is no domain that another one can be below of, for Chromium.
    assert.equal(await create(other, options), 'SecurityError')
    assertProblem(await add(ann, other, { rp: { id: 'evil.localhost', name: 'Evil' } }), 401, 'second_factor_wrong')
  })

  it('a device that does not verify its user neither adds a passkey nor signs in', async () => {
    const [ann, device] = [await newPerson(), await openDevice()]
    assert.equal((await add(ann, device)).status, 201)
    await device.devtools.send('WebAuthn.setUserVerified', { ...device, isUserVerified: false })
    assertProblem(await signIn(device, { userVerification: 'discouraged' }), 401, 'second_factor_wrong')

    const [bob, other] = [await newPerson(), await openDevice({ hasUserVerification: false, isUserVerified: false })]
    assert.equal(await create(other, (await startAdding(bob, { timeout: 1000 })).options), 'NotAllowedError')
    assertProblem(await add(bob, other, UNDEMANDING), 401, 'second_factor_wrong')
  })

  it('a copy of a passkey is refused once the real one is ahead', async () => {
    const [ann, device, copy] = [await newPerson(), await openDevice(), await openDevice()]
    assert.equal((await add(ann, device)).status, 201)
    const { credentials } = await device.devtools.send('WebAuthn.getCredentials', device)
    const [credential] = credentials
    assert.ok(credential)
    await copy.devtools.send('WebAuthn.addCredential', { authenticatorId: copy.authenticatorId, credential })
    for (let i = 0; i < 2; i++) assert.equal((await signIn(device)).status, 200)
    assertProblem(await signIn(copy), 401, 'second_factor_wrong')
    assert.equal((await signIn(device)).status, 200)
  })

  it('a security key of the first generation (U2F) can’t be used', async () => {
    const [ann, device] = [
      await newPerson(),
      await openDevice({ protocol: 'u2f', transport: 'usb', hasResidentKey: false, hasUserVerification: false }),
    ]
    assert.equal(await create(device, (await startAdding(ann, { timeout: 1000 })).options), 'NotAllowedError')
    assertProblem(await add(ann, device, UNDEMANDING), 401, 'second_factor_wrong')
  })

  it('a security key with a PIN can be used', async () => {
    const [ann, device] = [await newPerson(), await openDevice({ transport: 'usb' })]
    assert.equal((await add(ann, device)).status, 201)
    assert.equal((await signIn(device)).status, 200)
  })

  it('a passkey that was removed on the device leaves the account as it is', async () => {
    const [ann, device] = [await newPerson(), await openDevice()]
    assert.equal((await add(ann, device)).status, 201)
    await device.devtools.send('WebAuthn.clearCredentials', device)
    const { options } = (await service.client.post('/auth/passkeys/options')).body.data
    assert.equal(await get(device, { ...options, timeout: 1000 }), 'NotAllowedError')
  })
})
