import {
  type Brand,
  type BrandSettings,
  createBrand,
  DEFAULT_ACCENT_COLOR,
  DEFAULT_NAME,
} from '../../src/brand/brand.ts'

/** The brand of a service without settings, but for what is given. */
export const testBrand = (settings: Partial<BrandSettings> = {}): Brand =>
  createBrand({ name: DEFAULT_NAME, accentColor: DEFAULT_ACCENT_COLOR, logo: undefined, ...settings })
