import './app.css'
import { createClient } from '@tenantry/client'
import { TenantryProvider } from '@tenantry/client/react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'

const client = createClient({ session: 'cookie' })

createRoot(document.getElementById('root') as HTMLElement).render(
  <TenantryProvider client={client}>
    <App />
  </TenantryProvider>,
)
