import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

/** The language of a page with this address, in a browser that prefers Portuguese. */
async function open(search: string) {
  const values = { location: { search }, navigator: { languages: ['pt-BR'] }, document: { documentElement: {} } }
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  const file = `./language.ts?${search}`
  return (await import(file)) as typeof import('./language.ts')
}

describe('the language of the console', () => {
  it('is the one that the address names, with its region', async () => {
    assert.equal((await open('?lang=es-MX')).currentLocale(), 'es-MX')
  })

  it('is that of the browser where the address, or the account, names what is no language', async () => {
    for (const lang of ['es-', 'es-!', 'es-<b>', 'es-\u0101', 'fr', '']) {
      const { currentLocale, setLocale } = await open(`?lang=${encodeURIComponent(lang)}`)
      assert.equal(currentLocale(), 'pt-BR', lang)
      setLocale(lang)
      assert.equal(currentLocale(), 'pt-BR', lang)
    }
  })
})
