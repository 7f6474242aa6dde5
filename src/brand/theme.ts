import { type Color, contrast, inkOn, mix, readableOn, WHITE } from './colors.ts'

/** The colors of one scheme. Pages, emails and the documentation have no others. */
export interface Palette {
  background: Color
  /** Of the card on the background. */
  surface: Color
  border: Color
  /** Of fields and quiet buttons: 3:1. */
  controlBorder: Color
  text: Color
  textQuiet: Color
  success: Color
  successTint: Color
  danger: Color
  dangerTint: Color
  /** The fill of the one button that matters: the accent color as it was set. */
  accent: Color
  accentHover: Color
  onAccent: Color
  /** Around that button, so that a fill close to the surface still has an edge: 3:1. */
  accentBorder: Color
  /** The accent color as text, on the surface and on the background: 4.5:1. */
  accentText: Color
}

export interface Theme {
  light: Palette
  dark: Palette
}

type Neutrals = Omit<Palette, 'accent' | 'accentHover' | 'onAccent' | 'accentBorder' | 'accentText'>

const light: Neutrals = {
  background: '#f6f7f8',
  surface: '#ffffff',
  border: '#e2e4e8',
  controlBorder: '#878c96',
  text: '#191b20',
  textQuiet: '#5a5f6a',
  success: '#1a6b46',
  successTint: '#e9f5ee',
  danger: '#b1271d',
  dangerTint: '#fceeec',
}

const dark: Neutrals = {
  background: '#0f1113',
  surface: '#181b1e',
  border: '#2b2f34',
  controlBorder: '#757b85',
  text: '#eceef1',
  textQuiet: '#a2a8b2',
  success: '#7fd3a7',
  successTint: '#14261d',
  danger: '#f3a59c',
  dangerTint: '#2d1a1a',
}

const SHAPE_RATIO = 3
const HOVER_SHARE = 0.12

/** Everything that follows from one accent color. Whatever color it is, all text stays readable (WCAG 2.2, AA). */
export const themeFor = (accent: Color): Theme => ({
  light: withAccent(light, accent, 4.5),
  // Thin colored text on black is harder to read than black text on white, so it gets more contrast than the minimum.
  dark: withAccent(dark, accent, 6),
})

function withAccent(neutrals: Neutrals, accent: Color, textRatio: number): Palette {
  const { background, surface } = neutrals
  const onAccent = inkOn(accent)
  return {
    ...neutrals,
    accent,
    // Away from the ink of its label, so that the label only gets easier to read.
    accentHover: mix(accent, onAccent === WHITE ? '#000000' : WHITE, HOVER_SHARE),
    onAccent,
    accentBorder: contrast(accent, surface) >= SHAPE_RATIO ? accent : readableOn([surface], accent, SHAPE_RATIO),
    accentText: readableOn([surface, background], accent, textRatio),
  }
}

/** The theme as custom properties, such as `--accent-text`; the browser's preference chooses the scheme. */
export const themeCss = ({ light, dark }: Theme): string => `:root {
  color-scheme: light dark;
${propertiesOf(light, '  ')}
}

@media (prefers-color-scheme: dark) {
  :root {
${propertiesOf(dark, '    ')}
  }
}
`

/**
 * The same for a page on which people can choose the scheme: `data-scheme` at the root element, `light` or `dark`.
 * Without it the browser's preference counts.
 */
export const switchableThemeCss = ({ light, dark }: Theme): string => {
  const pairs = Object.fromEntries(
    Object.entries(light).map(([name, color]) => [name, `light-dark(${color}, ${dark[name as keyof Palette]})`]),
  )
  return `:root {
  color-scheme: light dark;
${propertiesOf(pairs, '  ')}
}

:root[data-scheme='light'] {
  color-scheme: light;
}

:root[data-scheme='dark'] {
  color-scheme: dark;
}
`
}

const propertiesOf = (palette: Palette | Record<string, string>, indent: string) =>
  Object.entries(palette)
    .map(([name, color]) => `${indent}--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}: ${color};`)
    .join('\n')
