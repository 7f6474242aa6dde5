import fs from 'node:fs'
import type { Color } from './colors.ts'
import { type Theme, themeFor } from './theme.ts'

/** How the service presents itself: on its pages, in its emails and in the documentation. */
export interface Brand {
  /** The product's name: APP_NAME. */
  name: string
  theme: Theme
  logo: Logo
}

export interface Logo {
  file: 'logo.svg' | 'logo.png'
  type: 'image/svg+xml' | 'image/png'
  content: Buffer
  /** Drawn from the name's first letter, because no file was set. */
  generated: boolean
}

export interface BrandSettings {
  name: string
  accentColor: Color
  /** A path. */
  logo: string | undefined
}

export const DEFAULT_NAME = 'Tenantry'
export const DEFAULT_ACCENT_COLOR: Color = '#1f7a5c'
export const LOGO_BYTES_MAX = 100_000

/** Throws an error whose message says what is wrong with the logo. */
export function createBrand({ name, accentColor, logo }: BrandSettings): Brand {
  const theme = themeFor(accentColor)
  return { name, theme, logo: logo === undefined ? monogram(name, theme) : readLogo(logo) }
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const SVG_ROOT = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/is

/** Told by its content: what a name ends in proves nothing. */
function readLogo(path: string): Logo {
  const { size } = fs.statSync(path)
  if (size > LOGO_BYTES_MAX) throw new Error(`it has more than ${LOGO_BYTES_MAX / 1000} kB`)
  const content = fs.readFileSync(path)
  if (content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) {
    return { file: 'logo.png', type: 'image/png', content, generated: false }
  }
  if (SVG_ROOT.test(content.toString())) return { file: 'logo.svg', type: 'image/svg+xml', content, generated: false }
  throw new Error('it is neither a PNG nor an SVG file')
}

/** The first letter or number of the name, in capitals; empty when it has none. */
export const initialOf = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '').toLocaleUpperCase('en')

const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** With the edge that buttons have, so that a mark as dark as the page can be seen. */
function monogram(name: string, { light, dark }: Theme): Logo {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>rect{stroke:${light.accentBorder}}@media (prefers-color-scheme:dark){rect{stroke:${dark.accentBorder}}}</style>
<rect x=".5" y=".5" width="31" height="31" rx="7" fill="${light.accent}"/>
<text x="16" y="22.5" text-anchor="middle" font-family="${FONT}" font-size="18" font-weight="600" fill="${light.onAccent}">${initialOf(name)}</text>
</svg>
`
  return { file: 'logo.svg', type: 'image/svg+xml', content: Buffer.from(svg), generated: true }
}
