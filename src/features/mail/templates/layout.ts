import { Html, html } from './html.ts'

/** What a letter says, in the order of reading; plain text, which is escaped here. */
export interface Text {
  greeting: string
  subject: string
  /** What a list of letters shows beside the subject. */
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

export interface Frame {
  language: string
  /** The host of APP_URL. */
  site: string
}

export interface Parts {
  subject: string
  text: string
  html: string
}

/** Both parts of a letter. What people wrote (names, addresses) stays on its line and is shown as it is written. */
export function layOut(said: Text, frame: Frame): Parts {
  const text = plainly(said)
  return { subject: text.subject, text: textPart(text), html: htmlPart(text, frame).source }
}

const LINE_ENDS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu
// Halves of surrogate pairs, and marks that show text in another order than it is written.
const DECEPTIVE = /[\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** For headers, and for what stands in the middle of a sentence. */
export const oneLine = (text: string) => text.replace(LINE_ENDS, ' ').replace(DECEPTIVE, '').trim()

function plainly(text: Text): Text {
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
function textPart(text: Text): string {
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

/** Static, so that the mailbox's page can allow it by its hash. Everything else is inline: many readers drop this element. */
export const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a:focus-visible { outline: 3px solid #4263eb; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  .page { background: #101216 !important; }
  .card { background: #1a1d23 !important; border-color: #2c313a !important; }
  .said { color: #e7e9ee !important; }
  .quiet, .quiet a { color: #a3aab8 !important; }
}
@media (max-width: 480px) { .inside { padding: 24px !important; } }
`

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
/** A company or an address can be one long word. */
const LONG_WORDS = 'overflow-wrap:anywhere;word-break:break-word'
const SAID = `margin:0 0 16px;${FONT};font-size:16px;line-height:1.55;${LONG_WORDS};color:#1f2430`
const QUIET = `margin:0 0 16px;${FONT};font-size:14px;line-height:1.5;${LONG_WORDS};color:#5c6475`

function htmlPart(text: Text, frame: Frame): Html {
  const { subject, preview } = text
  return html`<!doctype html>
<html lang="${frame.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${subject}</title>
<style>${new Html(STYLE)}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f2f4f7"><tr>
<td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td class="card inside" style="padding:32px 36px 20px;background:#ffffff;border:1px solid #e1e5ec;border-radius:12px">
${card(text, frame)}</td></tr>
<tr><td style="padding:20px 8px 0">
<p class="quiet" style="${QUIET};font-size:13px;text-align:center">${unbroken(text.footer)}</p>
</td></tr>
</table>
</td>
</tr></table>
</body>
</html>
`
}

function card(text: Text, { site }: Frame): Html {
  const { subject, greeting, paragraphs, secret, action, url, addressHint, after, secondAction, secondUrl } = text
  const said = (text: string) => html`<p class="said" style="${SAID}">${unbroken(text)}</p>\n`
  const quiet = (text: string) => html`<p class="quiet" style="${QUIET}">${unbroken(text)}</p>\n`
  return html`<p class="quiet" style="${QUIET};margin-bottom:6px">${site}</p>
<h1 class="said" style="${SAID};margin-bottom:24px;font-size:23px;font-weight:650;line-height:1.3">${unbroken(subject)}</h1>
${said(greeting)}${paragraphs.map(said)}${secret ? standing(secret) : ''}${action && url ? button(action, url, addressHint) : ''}${after.map(quiet)}${secondAction && secondUrl ? address(`${secondAction}:`, secondUrl) : ''}`
}

const HYPHENATED = /(\be-mail\b|\bGMT[+-][\d:]+)/i

/** No line ends within an `e-mail` or a `GMT-3`. */
const unbroken = (text: string) =>
  text
    .split(HYPHENATED)
    .map((part, index) => (index % 2 ? html`<span style="white-space:nowrap">${part}</span>` : part))

const SECRET =
  'margin:0 0 16px;padding:14px 10px;border:1px solid #c9cfdb;border-radius:8px;font-family:ui-monospace,Menlo,Consolas,monospace'

/** Spaced and in a face that tells letters apart, because some will type it. */
const standing = (secret: string) =>
  html`<p class="said" style="${SECRET};font-size:20px;letter-spacing:0.06em;color:#1f2430">${secret}</p>\n`

const BUTTON = `display:inline-block;padding:13px 22px;${FONT};font-size:16px;line-height:1.35;font-weight:600;text-align:center;${LONG_WORDS};color:#ffffff;text-decoration:none`

/** A table cell carries the colour, because some readers give no padding or background to a link. */
function button(label: string, url: string, addressHint: string): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr>
<td bgcolor="#3b5bdb" style="background:#3b5bdb;border-radius:8px"><a href="${url}" style="${BUTTON};border-radius:8px">${label}</a></td>
</tr></table>
${address(addressHint, url)}`
}

const address = (hint: string, url: string) =>
  html`<p class="quiet" style="${QUIET}">${hint}<br>
<a href="${url}" style="color:#5c6475;word-break:break-all;overflow-wrap:anywhere">${url}</a></p>
`
