import type { Brand } from '../../../brand/brand.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type LanguageTag, languages } from '../../../lib/languages.ts'
import type { Message } from '../templates/render-message.ts'
import { page, parts } from './mailbox-pages.ts'
import type { Preview } from './preview-variables.ts'

/** Of the mail program that shows the email: 380 and 700 pixels. */
export const widths = ['narrow', 'wide'] as const

interface View {
  language: LanguageTag
  width: (typeof widths)[number]
}

export function previewListPage(brand: Brand, { kinds, email }: Preview): string {
  const sections = kinds.map((kind) => {
    const items = languages.map((language) => {
      const { subject } = email(kind, language)
      return html`<li><a href="${addressOf(kind, { language, width: 'wide' })}"><b lang="${language}">${subject}</b> <span>${language}</span></a></li>\n`
    })
    return html`<h2>${kind}</h2>\n<ul class="emails">\n${items}</ul>\n`
  })
  return page(
    brand,
    'Preview of emails',
    html`<p class="quiet"><a href="/dev/mail">Development mailbox</a></p>
<h1>Preview of emails</h1>
<p class="quiet">All templates in all languages, with sample data. Links and passwords don’t work.</p>
${sections}`,
  )
}

export function previewPage(brand: Brand, { kind, subject, text, html: source }: Message, view: View): string {
  const byLanguage = languages.map((language) => choice(kind, { ...view, language }, view, language))
  const byWidth = widths.map((width) => choice(kind, { ...view, width }, view, width))
  return page(
    brand,
    subject,
    html`<p class="quiet"><a href="/dev/mail/preview">All kinds</a></p>
<h1 lang="${view.language}">${subject}</h1>
<nav class="choice"><span>${kind}</span><span>${byLanguage}</span><span>${byWidth}</span></nav>
${parts(brand, { text, html: source }, view.width)}`,
  )
}

function choice(kind: string, wanted: View, shown: View, label: string): Html {
  const isShown = wanted.language === shown.language && wanted.width === shown.width
  return html`<a href="${addressOf(kind, wanted)}"${isShown ? html` aria-current="true"` : ''}>${label}</a> `
}

const addressOf = (kind: string, { language, width }: View) =>
  `/dev/mail/preview/${kind}?language=${language}&width=${width}`
