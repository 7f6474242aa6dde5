/** `#rrggbb`, in lower case. */
export type Color = `#${string}`

export const WHITE: Color = '#ffffff'
export const BLACK: Color = '#000000'

const COLOR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

export const isColor = (text: string): boolean => COLOR.test(text)

/** `#abc` and `AABBCC` as `#aabbcc`: in a `.env` file a `#` begins a comment. */
export function toColor(text: string): Color {
  const digits = text.replace('#', '').toLowerCase()
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`
}

/** The contrast ratio of WCAG 2: from 1 to 21. */
export function contrast(one: Color, other: Color): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** White, or black where white is hard to read: one of the two always reaches 4.5:1. */
export const inkOn = (fill: Color): Color => (contrast(WHITE, fill) >= 4.5 ? WHITE : BLACK)

/** The nearest shade of the same hue that has this contrast with every one of the backgrounds. */
export function readableOn(backgrounds: readonly Color[], color: Color, ratio: number): Color {
  const isLight = backgrounds.every((background) => luminance(background) > 0.18)
  const end = isLight ? BLACK : WHITE
  for (let percent = 0; percent < 100; percent++) {
    const shade = mix(color, end, percent / 100)
    if (backgrounds.every((background) => contrast(shade, background) >= ratio)) return shade
  }
  return end
}

type Triple = [number, number, number]

/** `share` of the second color. Mixed in OKLab, where a hue stays the same hue while it gets lighter or darker. */
export function mix(one: Color, other: Color, share: number): Color {
  const [from, to] = [toOklab(one), toOklab(other)]
  return fromOklab(from.map((value, index) => value + ((to[index] as number) - value) * share) as Triple)
}

function luminance(color: Color): number {
  const [red, green, blue] = toLinear(color)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const toLinear = (color: Color): Triple =>
  [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }) as Triple

const fromLinear = (channels: Triple): Color => {
  const digits = channels.map((channel) => {
    const value = Math.min(1, Math.max(0, channel))
    const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${digits.join('')}`
}

const times = (matrix: readonly Triple[], [a, b, c]: Triple): Triple =>
  matrix.map(([x, y, z]) => x * a + y * b + z * c) as Triple

// The matrices of https://bottosson.github.io/posts/oklab/.
const TO_CONES: Triple[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
]
const TO_LAB: Triple[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]
const FROM_LAB: Triple[] = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
]
const FROM_CONES: Triple[] = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
]

const toOklab = (color: Color): Triple => times(TO_LAB, times(TO_CONES, toLinear(color)).map(Math.cbrt) as Triple)
const fromOklab = (lab: Triple): Color =>
  fromLinear(times(FROM_CONES, times(FROM_LAB, lab).map((value) => value ** 3) as Triple))
