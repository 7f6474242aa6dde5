import type { Brand } from '../../brand/brand.ts'
import { type Html, html } from '../../lib/html.ts'

/** A page of the service: everything but its name and its skeleton is written by its script, in the reader's language. */
export interface Page {
  /** Of `assets/`, without `.js`. */
  script: string
  /** What its script needs the reader to turn on JavaScript for. */
  withoutScript: { en: string; es: string; pt: string }
  main: Html
}

/** Loaded together with the page's own script, instead of one after the other. */
const MODULES = ['page', 'texts', 'texts.en', 'texts.es', 'texts.pt', 'counting']

/** Addresses are relative, so that the pages also work behind a proxy that serves them below a path. */
export function documentOf({ name, logo }: Brand, { script, withoutScript, main }: Page): string {
  const sentences = Object.entries(withoutScript).map(
    ([language, sentence]) => html`<p lang="${language}">${sentence}</p>\n`,
  )
  const preloads = MODULES.map((module) => html`<link rel="modulepreload" href="pages/${module}.js">\n`)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${name}</title>
<meta name="application-name" content="${name}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" type="${logo.type}" href="pages/${logo.file}">
<link rel="stylesheet" href="pages/theme.css">
<link rel="stylesheet" href="pages/pages.css">
${preloads}<script type="module" src="pages/${script}.js"></script>
</head>
<body>
<header class="brand"><img src="pages/${logo.file}" width="32" height="32" alt=""><span>${name}</span></header>
<main>
<h1 id="heading" tabindex="-1" data-text="heading"></h1>
<noscript>
${sentences}</noscript>
${main}
</main>
</body>
</html>
`.source
}
