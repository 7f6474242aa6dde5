import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from './support/app.ts'
import { operationsOf } from './support/documents.ts'
import { type Given, parseHttpFile, runHttpFile } from './support/http-files.ts'

const FOLDER = 'docs/http'

let service: TestApp
before(async () => {
  service = await startTestApp()
})
after(() => service.close())

/** What a person would copy out of letters. */
const given: Given = {
  verificationToken: async (resolve) => service.postbox.token(await resolve('newEmail'), 'change_email'),
  recoveryToken: async (resolve) => service.postbox.token(await resolve('newEmail'), 'reset_password'),
  temporaryPassword: async (resolve) => {
    const email = await resolve('addBob.response.body.$.data.email')
    const [letter] = await service.postbox.to(email, 'temporary_password')
    return /^\w{16}$/m.exec(letter?.text ?? '')?.[0] ?? assert.fail('no password in the letter')
  },
}

describe('the requests in docs/http', () => {
  for (const name of readdirSync(FOLDER)) {
    it(`are answered as they say: ${name}`, async () => {
      const file = parseHttpFile(readFileSync(`${FOLDER}/${name}`, 'utf8'))
      assert.equal(file.variables.api, 'http://127.0.0.1:3000/api')
      assert.ok(file.requests.length > 2 && file.covers.length > 0)

      const called = await runHttpFile(file, service.client, given)

      const expected = operationsOf(service.document).filter(({ tags: [tag] }) => file.covers.includes(tag))
      assert.ok(expected.length > 0)
      const missing = expected.filter(({ method, url }) => !called.some((each) => patternOf(method, url).test(each)))
      assert.deepEqual(
        missing.map((operation) => operation.name),
        [],
      )
    })
  }

  it('fail when an answer is another one', async () => {
    const run = (text: string) => runHttpFile(parseHttpFile(text), service.client, {})
    await assert.rejects(run('### One\n# answers 201\nGET {{api}}/health\n'), /201/)
    await assert.rejects(run('### One\n# answers 401 token_invalid\nGET {{api}}/auth/me\n'), /token_missing/)
    await assert.rejects(run('### One\n# answers 200\nGET {{api}}/health?x={{unknown}}\n'), /unknown/)
    assert.throws(() => parseHttpFile('### One\nGET {{api}}/health\n'), /answers what/)
  })
})

/** A parameter is written as a variable, a fixed part as it is. */
const patternOf = (method: string, url: string) =>
  new RegExp(`^${method} {{api}}${url.replace(/\{\w+\}/g, '{{[^/]+}}')}(\\?|$)`.replaceAll(/[{}]/g, '\\$&'))
