import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { type Brand, createBrand, initialOf, LOGO_BYTES_MAX } from './brand.ts'
import { type Color, contrast, inkOn, mix, readableOn, toColor } from './colors.ts'
import { type Palette, themeCss, themeFor } from './theme.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-brand-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const STEPS = ['00', '33', '66', '99', 'cc', 'ff']
const everyHue = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue): Color => `#${red}${green}${blue}`)))

describe('contrast', () => {
  it('is the ratio of WCAG 2', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21)
    assert.equal(contrast('#ffffff', '#ffffff'), 1)
    assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
    assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54')
  })

  it('is enough between a fill of any color and the ink on it', () => {
    for (const fill of everyHue) assert.ok(contrast(inkOn(fill), fill) >= 4.5, fill)
  })
})

describe('a shade', () => {
  it('is the color itself where that is readable, and its nearest readable neighbor otherwise', () => {
    assert.equal(readableOn(['#ffffff'], '#1f7a5c', 4.5), '#1f7a5c')
    const shade = readableOn(['#ffffff'], '#ffd500', 4.5)
    assert.ok(contrast(shade, '#ffffff') >= 4.5 && contrast(shade, '#ffffff') < 5, shade)
  })

  it('keeps the ends of a mix', () => {
    for (const color of everyHue) {
      assert.equal(mix(color, '#ffffff', 0), color)
      assert.equal(mix(color, '#000000', 1), '#000000')
    }
  })

  it('is written in six digits, whichever way it was set', () => {
    assert.deepEqual(['#A0f', 'AA00FF', '#aa00ff'].map(toColor), ['#aa00ff', '#aa00ff', '#aa00ff'])
  })
})

describe('the theme', () => {
  const readable = (palette: Palette, accent: Color) => {
    const { background, surface, successTint, dangerTint, accent: fill } = palette
    for (const [ink, ...grounds] of [
      [palette.text, background, surface, successTint, dangerTint],
      [palette.textQuiet, background, surface],
      [palette.success, surface, successTint],
      [palette.danger, surface, dangerTint],
      [palette.accentText, background, surface],
      [palette.onAccent, fill, palette.accentHover],
    ] as [Color, ...Color[]][])
      for (const ground of grounds) assert.ok(contrast(ink, ground) >= 4.5, `${accent}: ${ink} on ${ground}`)
    for (const edge of [palette.controlBorder, palette.accentBorder])
      assert.ok(contrast(edge, surface) >= 3, `${accent}: ${edge} around a control`)
  }

  it('is readable in light and in dark, whatever the accent color is', () => {
    for (const accent of everyHue) for (const palette of Object.values(themeFor(accent))) readable(palette, accent)
  })

  it('leaves the accent color as it is on the button', () => {
    for (const palette of Object.values(themeFor('#ffd500'))) assert.equal(palette.accent, '#ffd500')
  })

  it('is one set of custom properties for each scheme', () => {
    const css = themeCss(themeFor('#1f7a5c'))
    assert.equal(css.match(/--accent-text: #[0-9a-f]{6};/g)?.length, 2)
    assert.match(css, /^:root \{\n {2}color-scheme: light dark;/)
  })
})

describe('the logo', () => {
  const withLogo = (content: string | Buffer): Brand => {
    const file = path.join(folder, 'logo')
    writeFileSync(file, content)
    return createBrand({ name: 'Acme', accentColor: '#1f7a5c', logo: file })
  }
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex')
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'

  it('is a PNG or SVG file, told by its content', () => {
    assert.deepEqual(withLogo(png).logo, { file: 'logo.png', type: 'image/png', content: png, generated: false })
    for (const content of [svg, `\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n${svg}`]) {
      const { logo } = withLogo(content)
      assert.deepEqual([logo.type, logo.content.toString()], ['image/svg+xml', content])
    }
  })

  it('is nothing else', () => {
    for (const content of ['', 'GIF89a', '<html><svg></svg></html>', '\x89PNG', `<!-- ${svg} -->`])
      assert.throws(() => withLogo(content), /neither a PNG nor an SVG/)
    assert.throws(() => withLogo(Buffer.concat([png, Buffer.alloc(LOGO_BYTES_MAX)])), /more than 100 kB/)
    assert.throws(
      () => createBrand({ name: 'Acme', accentColor: '#1f7a5c', logo: path.join(folder, 'none') }),
      /ENOENT/,
    )
  })

  it('is drawn from the name where no file is set, readable on every accent color', () => {
    for (const accentColor of everyHue) {
      const { logo } = createBrand({ name: 'acme', accentColor, logo: undefined })
      assert.equal(logo.generated, true)
      assert.match(logo.content.toString(), new RegExp(`fill="${inkOn(accentColor)}">A</text>`))
    }
    assert.deepEqual(['  “zebra”', '7seas', 'élan', '🙂'].map(initialOf), ['Z', '7', 'É', ''])
  })
})
