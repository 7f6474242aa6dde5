import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newId } from '../../../lib/ids.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { temporaryPassword } from '../../../lib/secrets.ts'
import { discreet, pauseAfter } from './attempt-results.ts'

it('pauses 2, 10 and 30 seconds, then twice as long each time, at most a day', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(pauseAfter), [2, 10, 30, 60, 120, 240])
  assert.equal(pauseAfter(5000), 86_400)
})

it('keeps no code and no temporary password of a server’s reply', () => {
  assert.equal(discreet('550 spam: code 59259553, or 5925 9553 (5.7.1)'), '550 spam: code …, or … (5.7.1)')
  const password = temporaryPassword(keysFrom('a-secret-that-no-test-asks-for-01').current, newId())
  assert.equal(
    discreet(`550 5.7.1 (queue 4BCDEF12) password ${password}: spam`),
    '550 5.7.1 (queue 4BCDEF12) password …: spam',
  )
})

it('keeps no token and no address of a server’s reply', () => {
  const token = 'A'.repeat(54)
  const reply = discreet(
    `554 <ann@example.com> spam: https://x.example/reset-password?token=${token} \r\n "${token}" ${'z '.repeat(600)}`,
  )

  assert.doesNotMatch(reply, /ann|example\.com|A{10}|\n/)
  assert.match(reply, /^554 <…@…> spam: https:\/\/x\.example\/reset-password\?…/)
  assert.equal(reply.length, 500)
})
