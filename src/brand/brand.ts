import fs from 'node:fs'
import { type Color, inkOn } from './colors.ts'
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
export const createBrand = ({ name, accentColor, logo }: BrandSettings): Brand => ({
  name,
  theme: themeFor(accentColor),
  logo: logo === undefined ? monogram(name, accentColor) : readLogo(logo),
})

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

function monogram(name: string, accent: Color): Logo {
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/>` +
    `<text x="16" y="22.5" text-anchor="middle" font-family="system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif" font-size="18" font-weight="650" fill="${inkOn(accent)}">${initialOf(name)}</text></svg>\n`
  return { file: 'logo.svg', type: 'image/svg+xml', content: Buffer.from(svg), generated: true }
}
