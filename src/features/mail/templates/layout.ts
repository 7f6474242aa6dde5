import { type Brand, initialOf } from '../../../brand/brand.ts'
import type { Palette } from '../../../brand/theme.ts'
import { Html, html } from '../../../lib/html.ts'

/** The texts of an email in reading order; plain text, which is escaped here. */
export interface EmailContent {
  greeting: string
  subject: string
  /** The preview text that mail programs show beside the subject. */
  preview: string
  paragraphs: string[]
  /** Stands alone, to be copied. */
  secret?: string | undefined
  /** On the button. */
  action?: string | undefined
  /** Where the button leads. */
  url?: string | undefined
  /** Stands above the address of the button. */
  addressHint: string
  /** Below the button. */
  after: string[]
  /** Below that, for readers whom the button does not help. */
  secondAction?: string | undefined
  secondUrl?: string | undefined
  footer: string
}

export interface Surroundings {
  language: string
  brand: Brand
}

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

/** Both parts of an email. What people wrote (names, addresses) stays on its line and is shown as it is written. */
export function layOut(content: EmailContent, surroundings: Surroundings): RenderedEmail {
  const text = plainly(content)
  return { subject: text.subject, text: textPart(text), html: htmlPart(text, surroundings).source }
}

const LINE_ENDS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
// Halves of surrogate pairs, and marks that show text in another order than it is written.
const DECEPTIVE = /[\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** For headers, and for what stands in the middle of a sentence. */
export const oneLine = (text: string) => text.replace(LINE_ENDS, ' ').replace(DECEPTIVE, '').trim()

function plainly(text: EmailContent): EmailContent {
  const { secret, action, secondAction } = text
  return {
    greeting: oneLine(text.greeting),
    subject: oneLine(text.subject),
    preview: oneLine(text.preview),
    paragraphs: text.paragraphs.map(oneLine),
    secret: secret && oneLine(secret),
    action: action && oneLine(action),
    url: text.url,
    addressHint: oneLine(text.addressHint),
    after: text.after.map(oneLine),
    secondAction: secondAction && oneLine(secondAction),
    secondUrl: text.secondUrl,
    footer: oneLine(text.footer),
  }
}

/** The address stands alone on its line, so that no reader takes a neighbouring character for a part of it. */
function textPart(text: EmailContent): string {
  const { greeting, paragraphs, secret, action, url, after, secondAction, secondUrl, footer } = text
  const blocks = [
    greeting,
    ...paragraphs,
    ...(secret ? [secret] : []),
    ...(action && url ? [`${action}:\n${url}`] : []),
    ...after,
    ...(secondAction && secondUrl ? [`${secondAction}:\n${secondUrl}`] : []),
    `--\n${footer}`,
  ]
  return `${blocks.join('\n\n')}\n`
}

/** What the `src` of the logo names: the file that is attached to the email. */
export const LOGO_CID = 'logo'

/** The same for all emails, so that the mailbox's page can allow it by its hash. Everything else is inline: many readers drop this element. */
export const styleOf = ({ theme: { dark } }: Brand) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a:focus-visible { outline: 3px solid ${dark.controlBorder}; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  .page { background: ${dark.background} !important; }
  .card { background: ${dark.surface} !important; border-color: ${dark.border} !important; }
  .text { color: ${dark.text} !important; }
  .quiet, .quiet a { color: ${dark.textQuiet} !important; }
  .button, .mark { border-color: ${dark.accentBorder} !important; }
  .secret { background: ${dark.background} !important; border-color: ${dark.border} !important; }
}
@media (max-width: 480px) { .inside { padding: 28px 24px 16px !important; } }
`

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
/** A company or an address can be one long word. */
const LONG_WORDS = 'overflow-wrap:anywhere;word-break:break-word'

interface Styles {
  light: Palette
  text: string
  quiet: string
}

function stylesFor({ theme: { light } }: Brand): Styles {
  return {
    light,
    text: `margin:0 0 16px;${FONT};font-size:16px;line-height:1.55;${LONG_WORDS};color:${light.text}`,
    quiet: `margin:0 0 16px;${FONT};font-size:14px;line-height:1.5;${LONG_WORDS};color:${light.textQuiet}`,
  }
}

function htmlPart(text: EmailContent, { language, brand }: Surroundings): Html {
  const { subject, preview } = text
  const styles = stylesFor(brand)
  const { background, surface, border } = styles.light
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${subject}</title>
<style>${new Html(styleOf(brand))}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${background}">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${background}"><tr>
<td align="center" style="padding:40px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td style="padding:0 4px 20px">
${header(brand, styles)}</td></tr>
<tr><td class="card inside" style="padding:36px 40px 24px;background:${surface};border:1px solid ${border};border-radius:12px">
${card(text, styles)}</td></tr>
<tr><td style="padding:20px 4px 0">
<p class="quiet" style="${styles.quiet};font-size:13px">${unbroken(text.footer)}</p>
</td></tr>
</table>
</td>
</tr></table>
</body>
</html>
`
}

/** The mark and the name. An image is only ever one that came with the email; the generated mark is a cell with an initial. */
function header({ name, logo }: Brand, { light, text }: Styles): Html {
  const label = html`<td style="padding:0"><p class="text" style="${text};margin:0;font-weight:600">${oneLine(name)}</p></td>`
  const table = (mark: Html | string) =>
    html`<table role="presentation" cellpadding="0" cellspacing="0"><tr>\n${mark}${label}\n</tr></table>\n`
  if (logo.type === 'image/png') {
    return table(
      html`<td style="padding:0 10px 0 0"><img src="cid:${LOGO_CID}" width="28" height="28" alt="" style="display:block;width:28px;height:28px;border:0"></td>`,
    )
  }
  const initial = initialOf(name)
  if (!logo.generated || initial === '') return table('')
  return table(
    html`<td style="padding:0 10px 0 0"><table role="presentation" cellpadding="0" cellspacing="0" aria-hidden="true"><tr><td class="mark" align="center" bgcolor="${light.accent}" style="width:26px;height:26px;padding:0;background:${light.accent};border:1px solid ${light.accentBorder};border-radius:6px;${FONT};font-size:16px;line-height:26px;font-weight:600;color:${light.onAccent}">${initial}</td></tr></table></td>`,
  )
}

function card(text: EmailContent, styles: Styles): Html {
  const { subject, greeting, paragraphs, secret, action, url, addressHint, after, secondAction, secondUrl } = text
  const body = (text: string) => html`<p class="text" style="${styles.text}">${unbroken(text)}</p>\n`
  const quiet = (text: string) => html`<p class="quiet" style="${styles.quiet}">${unbroken(text)}</p>\n`
  return html`<h1 class="text" style="${styles.text};margin-bottom:24px;font-size:22px;font-weight:600;line-height:1.3">${unbroken(subject)}</h1>
${body(greeting)}${paragraphs.map(body)}${secret ? codeBlock(secret, styles) : ''}${action && url ? [button(action, url, styles), address(addressHint, url, styles)] : ''}${after.map(quiet)}${secondAction && secondUrl ? address(`${secondAction}:`, secondUrl, styles) : ''}`
}

const HYPHENATED = /(\be-mail\b|\bGMT[+-][\d:]+)/i

/** No line ends within an `e-mail` or a `GMT-3`. */
const unbroken = (text: string) =>
  text
    .split(HYPHENATED)
    .map((part, index) => (index % 2 ? html`<span style="white-space:nowrap">${part}</span>` : part))

/** In a spaced typeface with distinct characters, because some people type it. */
const codeBlock = (secret: string, { light }: Styles) =>
  html`<p class="text secret" style="margin:0 0 16px;padding:14px 16px;border:1px solid ${light.border};border-radius:8px;background:${light.background};font-family:ui-monospace,Menlo,Consolas,monospace;font-size:20px;letter-spacing:0.06em;color:${light.text}">${secret}</p>\n`

/** A table cell carries the color, because some readers give no padding or background to a link. */
function button(label: string, url: string, { light }: Styles): Html {
  const { accent, accentBorder, onAccent } = light
  const style = `display:inline-block;padding:12px 22px;${FONT};font-size:16px;line-height:1.35;font-weight:600;text-align:center;${LONG_WORDS};color:${onAccent};text-decoration:none;border-radius:8px`
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr>
<td class="button" bgcolor="${accent}" style="background:${accent};border:1px solid ${accentBorder};border-radius:8px"><a href="${url}" style="${style}">${label}</a></td>
</tr></table>
`
}

const address = (hint: string, url: string, { light, quiet }: Styles) =>
  html`<p class="quiet" style="${quiet}">${hint}<br>
<a href="${url}" style="color:${light.textQuiet};word-break:break-all;overflow-wrap:anywhere">${url}</a></p>
`
