import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = `http://localhost:${process.env.PORT ?? 3000}`

/** Beside those of pages before sign-in, what every page says, and what the first page after it says. */
const FIRST_TEXTS = ['auth', 'common', 'companies', 'home', 'invitation', 'links', 'problems', 'shell']

/** Texts name their language: nobody loads those of two. Many small files would compress less well. */
function chunkOfTexts(file: string): string | null {
  const [, language, area = ''] = /\/texts\/(en|es|pt)\/(\w+)\.ts$/.exec(file) ?? []
  return language ? `text-${language}-${FIRST_TEXTS.includes(area) ? 'first' : 'rest'}` : null
}

/** A person who opens one page of an area opens others of it; a page before sign-in is often the only one. */
const chunkOfPages = (file: string): string | null => /\/src\/pages\/(?!auth|home)(\w+)\//.exec(file)?.[1] ?? null

export default defineConfig({
  // Relative, so that the service can be below any path; it puts that path into the document.
  base: './',
  plugins: [react()],
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    // What understands light-dark(): all current browsers of the last two years and more.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    // Preloading would only ask for what the modules ask for themselves a moment later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        chunkFileNames: 'assets/[name]-[hash].js',
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'tanstack', test: /node_modules\/@tanstack\// },
            { name: chunkOfTexts },
            { name: chunkOfPages, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(['/api', '/pages', '/console', '/.well-known'].map((path) => [path, service])),
  },
})
