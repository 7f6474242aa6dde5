import { createHash } from 'node:crypto'
import type { Brand, Logo } from '../../../brand/brand.ts'
import { themeCss } from '../../../brand/theme.ts'
import { Html, html } from '../../../lib/html.ts'
import { LOGO_CID, styleOf } from '../templates/layout.ts'
import type { MailboxLetter } from './mailbox.ts'

const PAGE_STYLE = `
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 20px 64px; max-width: 860px; background: var(--background); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
h1 { margin: 0 0 4px; font-size: 22px; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
h2 { margin: 32px 0 8px; font-size: 14px; color: var(--text-quiet); font-weight: 600; }
a { color: var(--accent-text); border-radius: 3px; }
a:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.brand { display: flex; gap: 10px; align-items: center; margin-bottom: 32px; font-weight: 600; }
.brand img { width: 28px; height: 28px; }
.quiet { margin: 0 0 24px; color: var(--text-quiet); font-size: 14px; }
.emails, .part { background: var(--surface); border: 1px solid var(--border); border-radius: 10px; overflow: hidden; }
.emails { list-style: none; margin: 0; padding: 0; }
.emails li + li { border-top: 1px solid var(--border); }
.emails a { display: grid; grid-template-columns: 1fr auto; gap: 0 16px; padding: 12px 16px; color: inherit; text-decoration: none; border-radius: 0; }
.emails a:hover { background: var(--background); }
.emails a:focus-visible { outline-offset: -2px; }
.emails b { font-weight: 600; }
.emails b, .emails span { overflow-wrap: anywhere; }
.emails span, time { color: var(--text-quiet); font-size: 14px; }
@media (max-width: 600px) { .emails a { grid-template-columns: 1fr; } .emails time { order: 1; } }
.empty { padding: 48px 20px; text-align: center; color: var(--text-quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 16px 0 0; font-size: 14px; }
dt { color: var(--text-quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 680px; border: 0; }
.narrow { width: 380px; }
.wide { width: 700px; }
.part.framed { overflow-x: auto; background: var(--background); }
.framed iframe { margin: 0 auto; }
.choice { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 12px 0 0; font-size: 14px; }
.choice span { display: flex; gap: 10px; }
.choice [aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
pre { margin: 0; padding: 18px; white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.55 ui-monospace, Menlo, Consolas, monospace; }
`

const pageStyle = (brand: Brand) => themeCss(brand.theme) + PAGE_STYLE

const hashOf = (style: string) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** The page's policy binds the email in its frame too: the email's own style element is allowed by hash, like the page's. */
export const mailboxPolicy = (brand: Brand): string =>
  [
    "default-src 'none'",
    "script-src 'none'",
    `style-src ${hashOf(pageStyle(brand))} ${hashOf(styleOf(brand))}`,
    "style-src-attr 'unsafe-inline'",
    'img-src data:',
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export function listPage(brand: Brand, emails: MailboxLetter[]): string {
  const items = emails.map(
    ({ id, to, subject, at }) => html`<li><a href="/dev/mail/${id}"><b>${subject}</b> ${timeOf(at)}
<span>${to.name} &lt;${to.address}&gt;</span></a></li>\n`,
  )
  const body = html`<h1>Development mailbox</h1>
<p class="quiet">Emails that would be sent if SMTP_URL were set, the newest first. As JSON: <a href="/dev/mail.json">/dev/mail.json</a>.
Every kind in every language: <a href="/dev/mail/preview">preview</a></p>
${items.length > 0 ? html`<ol class="emails">\n${items}</ol>` : html`<p class="emails empty">No emails yet. This page reloads every five seconds.</p>`}`
  return page(brand, 'Development mailbox', body, html`<meta http-equiv="refresh" content="5">\n`)
}

const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation'

export function emailPage(brand: Brand, { id, at, kind, to, subject, text, html: source }: MailboxLetter): string {
  return page(
    brand,
    subject,
    html`<p class="quiet"><a href="/dev/mail">All emails</a></p>
<h1>${subject}</h1>
<dl><dt>To</dt><dd>${to.name} &lt;${to.address}&gt;</dd><dt>At</dt><dd>${timeOf(at)}</dd><dt>Kind</dt><dd>${kind}</dd><dt>Id</dt><dd>${id}</dd></dl>
${parts(brand, { text, html: source })}`,
  )
}

/** Both parts as an email reader would show them, the HTML as wide as `width`, a class, says. */
export function parts(brand: Brand, { text, html: source }: Pick<MailboxLetter, 'text' | 'html'>, width = ''): Html {
  // In the frame nothing but the email could be shown, so its links open in its place.
  const framed = source
    .replace('<head>', '<head><base target="_top">')
    .replace(`src="cid:${LOGO_CID}"`, `src="${dataUrl(brand.logo)}"`)
  return html`<h2>HTML</h2>
<div class="part framed"><iframe class="${width}" title="The HTML part" sandbox="${SANDBOX}" srcdoc="${framed}"></iframe></div>
<h2>Text</h2>
<div class="part"><pre>${text}</pre></div>`
}

const dataUrl = ({ type, content }: Logo) => `data:${type};base64,${content.toString('base64')}`

const timeOf = (at: string) => html`<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`

export function page(brand: Brand, title: string, body: Html, head = html``): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${brand.name}</title>
<link rel="icon" href="${dataUrl(brand.logo)}">
${head}<style>${new Html(pageStyle(brand))}</style>
</head>
<body>
<header class="brand"><img src="${dataUrl(brand.logo)}" alt="">${brand.name}</header>
${body}
</body>
</html>
`.source
}
