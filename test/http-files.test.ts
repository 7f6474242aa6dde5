import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { totpCode, totpStepAt } from '../src/lib/totp.ts'
import { useTestApp } from './support/app.ts'
import { operationsOf } from './support/documents.ts'
import { mailboxCodeTo } from './support/factors.ts'
import { type ManualValues, parseHttpFile, runHttpFile } from './support/http-files.ts'
import { emailedPassword } from './support/members.ts'

const FOLDER = 'docs/http'

const service = await useTestApp()

/** Values that a person would copy from emails. */
const manualValues: ManualValues = {
  verificationToken: async (resolve) => service.mailbox.token(await resolve('newEmail'), 'change_email'),
  recoveryToken: async (resolve) => service.mailbox.token(await resolve('newEmail'), 'reset_password'),
  undoToken: async (resolve) => service.mailbox.token(await resolve('email'), 'email_changed'),
  invitationToken: async (resolve) => tokenIn(await resolve('inviteBob.response.body.$.data.email')),
  zoesInvitationToken: async (resolve) => tokenIn(await resolve('inviteZoe.response.body.$.data.email')),
  emailCode: async (resolve) => mailboxCodeTo(service, await resolve('signUp.response.body.$.data.user.email')),
  code: async (resolve) => totpCode(await resolve('startTotp.response.body.$.data.secret'), totpStepAt(Date.now())),
  temporaryPassword: async (resolve) => {
    return emailedPassword(service, await resolve('addBob.response.body.$.data.email'), ['temporary_password'])
  },
}

const tokenIn = (email: string) => service.mailbox.token(email, 'invitation')

describe('the requests in docs/http', () => {
  const files = readdirSync(FOLDER).map((name) => ({
    name,
    ...parseHttpFile(readFileSync(`${FOLDER}/${name}`, 'utf8')),
  }))

  for (const { name, ...file } of files) {
    it(`get the stated answers, and cover all operations of the file: ${name}`, async () => {
      assert.equal(file.variables.api, 'http://127.0.0.1:3000/api')
      assert.ok(file.requests.length > 2)

      const called = await runHttpFile(file, service.client, manualValues)

      const expected = operationsOf(service.document).filter(({ tags: [tag] }) => file.covers.includes(tag))
      const missing = expected.filter(({ method, url }) => !called.some((each) => patternOf(method, url).test(each)))
      assert.deepEqual(
        missing.map((operation) => operation.name),
        [],
      )
    })
  }

  it('cover each group of the documentation in one file', () => {
    const groups = new Set(operationsOf(service.document).map(({ tags: [tag] }) => tag))
    assert.deepEqual(files.flatMap(({ covers }) => covers).sort(), [...groups].sort())
  })

  it('fail with an unexpected answer', async () => {
    const run = (text: string) => runHttpFile(parseHttpFile(text), service.client, {})
    await assert.rejects(run('### One\n# answers 201\nGET {{api}}/health\n'), /201/)
    await assert.rejects(run('### One\n# answers 401 token_invalid\nGET {{api}}/auth/me\n'), /token_missing/)
    await assert.rejects(run('### One\n# answers 200\n# has headers.etag x\nGET {{api}}/health\n'), /no header etag/)
    await assert.rejects(run('### One\n# answers 200\n# has body.$.success no\nGET {{api}}/health\n'), /success/)
    await assert.rejects(run('### One\n# answers 200\n# has body.$.none 1\nGET {{api}}/health\n'), /nothing at/)
    await assert.rejects(run('### One\n# answers 200\nGET {{api}}/health?x={{unknown}}\n'), /unknown/)
    assert.throws(() => parseHttpFile('### One\nGET {{api}}/health\n'), /answers what/)
    assert.throws(() => parseHttpFile('### One\n# answers 200\n# has headers.etag\nGET {{api}}/health\n'), /no part/)
  })
})

/** Matches a path parameter with a variable, and fixed parts literally. */
const patternOf = (method: string, url: string) =>
  new RegExp(`^${method} {{api}}${url.replace(/\{\w+\}/g, '{{[^/]+}}')}(\\?|$)`.replaceAll(/[{}]/g, '\\$&'))
