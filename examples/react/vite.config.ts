import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const service = `http://localhost:${process.env.PORT ?? 3000}`
/** Calls go to the origin of the product, so the cookie of the session does too. */
const proxy = { '/api': service }

export default defineConfig({
  plugins: [react()],
  resolve: { dedupe: ['react', 'react-dom'] },
  define: { 'import.meta.env.VITE_CONSOLE': JSON.stringify(service) },
  server: { port: Number(process.env.EXAMPLE_PORT ?? 5174), strictPort: true, proxy },
  preview: { proxy },
})
