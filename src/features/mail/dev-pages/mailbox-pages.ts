import { createHash } from 'node:crypto'
import { Html, html } from '../templates/html.ts'
import { STYLE as LETTER_STYLE } from '../templates/layout.ts'
import type { MailboxLetter } from './mailbox.ts'

const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1f2430; --quiet: #5c6475; --line: #dfe3ea; --paper: #fff; --ground: #f2f4f7; --link: #364fc7; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e9ee; --quiet: #a3aab8; --line: #2c313a; --paper: #1a1d23; --ground: #101216; --link: #91a7ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 20px 64px; max-width: 860px; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
h1 { margin: 0 0 4px; font-size: 24px; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 32px 0 8px; font-size: 15px; color: var(--quiet); font-weight: 600; }
a { color: var(--link); }
.quiet { margin: 0 0 24px; color: var(--quiet); font-size: 14px; }
.letters, .part { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.letters { list-style: none; margin: 0; padding: 0; }
.letters li + li { border-top: 1px solid var(--line); }
.letters a { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; padding: 14px 18px; color: inherit; text-decoration: none; }
.letters a:hover, .letters a:focus-visible { background: color-mix(in srgb, var(--link) 8%, transparent); }
.letters b, .letters span { overflow-wrap: anywhere; }
.letters span, time { color: var(--quiet); font-size: 14px; }
@media (max-width: 600px) { .letters a { grid-template-columns: 1fr; } .letters time { order: 1; } }
.empty { padding: 40px 20px; text-align: center; color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 16px 0 0; font-size: 14px; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 680px; border: 0; }
.narrow { width: 380px; }
.wide { width: 700px; }
.part.framed { overflow-x: auto; }
.framed iframe { margin: 0 auto; }
.choice { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 12px 0 0; font-size: 14px; }
.choice span { display: flex; gap: 10px; }
.choice [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
pre { margin: 0; padding: 18px; white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.55 ui-monospace, Menlo, Consolas, monospace; }
`

const hashOf = (style: string) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** A letter in its frame is held by the page's policy too: its own style element is allowed by hash, like the page's. */
export const MAILBOX_POLICY = [
  "default-src 'none'",
  "script-src 'none'",
  `style-src ${hashOf(PAGE_STYLE)} ${hashOf(LETTER_STYLE)}`,
  "style-src-attr 'unsafe-inline'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function listPage(letters: MailboxLetter[]): string {
  const items = letters.map(
    ({ id, to, subject, at }) => html`<li><a href="/dev/mail/${id}"><b>${subject}</b> ${timeOf(at)}
<span>${to.name} &lt;${to.address}&gt;</span></a></li>\n`,
  )
  const body = html`<h1>Development mailbox</h1>
<p class="quiet">Letters that would be sent if SMTP_URL were set, the newest first. As JSON: <a href="/dev/mail.json">/dev/mail.json</a>.
Every kind in every language: <a href="/dev/mail/preview">preview</a></p>
${items.length > 0 ? html`<ol class="letters">\n${items}</ol>` : html`<p class="letters empty">No letters yet. This page looks again every five seconds.</p>`}`
  return page('Development mailbox', body, html`<meta http-equiv="refresh" content="5">\n`)
}

const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation'

export function letterPage({ id, at, kind, to, subject, text, html: source }: MailboxLetter): string {
  return page(
    subject,
    html`<p class="quiet"><a href="/dev/mail">All letters</a></p>
<h1>${subject}</h1>
<dl><dt>To</dt><dd>${to.name} &lt;${to.address}&gt;</dd><dt>At</dt><dd>${timeOf(at)}</dd><dt>Kind</dt><dd>${kind}</dd><dt>Id</dt><dd>${id}</dd></dl>
${parts({ text, html: source })}`,
  )
}

/** Both parts as a reader of mail would show them, the HTML as wide as `width`, a class, says. */
export function parts({ text, html: source }: Pick<MailboxLetter, 'text' | 'html'>, width = ''): Html {
  // In the frame nothing but the letter could be shown, so its links open in its place.
  const framed = source.replace('<head>', '<head><base target="_top">')
  return html`<h2>HTML</h2>
<div class="part framed"><iframe class="${width}" title="The HTML part" sandbox="${SANDBOX}" srcdoc="${framed}"></iframe></div>
<h2>Text</h2>
<div class="part"><pre>${text}</pre></div>`
}

const timeOf = (at: string) => html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`

export function page(title: string, body: Html, head = html``): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
${body}
</body>
</html>
`.source
}
