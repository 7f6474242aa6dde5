import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = `http://localhost:${process.env.PORT ?? 3000}`

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
        // Texts name their language: nobody loads those of two.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, language] = /\/texts\/(en|es|pt)\/[^/]+$/.exec(facadeModuleId ?? '') ?? []
          return `assets/${language ? `text-${language}-` : ''}[name]-[hash].js`
        },
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'tanstack', test: /node_modules\/@tanstack\// },
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
