import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addressesIn, sessionAttributesIn } from './database-urls.ts'

it('an address with several hosts stands for one address for each', () => {
  assert.deepEqual(addressesIn('postgres://ann:p%40ss,@one:5432,[::1]:5433,two/name?sslmode=require&x=a,b'), [
    'postgres://ann:p%40ss,@one:5432/name?sslmode=require&x=a,b',
    'postgres://ann:p%40ss,@[::1]:5433/name?sslmode=require&x=a,b',
    'postgres://ann:p%40ss,@two/name?sslmode=require&x=a,b',
  ])
})

it('an address with one host, or with a socket, stays as it is', () => {
  for (const url of ['postgres://ann:a,b@one/name', 'postgresql:///name?host=/run/a,b', 'mysql://one,two/name'])
    assert.deepEqual(addressesIn(url), [url])
})

it('tells what the server has to be', () => {
  assert.equal(sessionAttributesIn('postgres://one:1,two:2/name?target_session_attrs=read-write'), 'read-write')
  assert.equal(sessionAttributesIn('postgres://ann@/name?host=%2Frun&target_session_attrs=standby'), 'standby')
  assert.equal(sessionAttributesIn('postgres://one/name'), undefined)
})
