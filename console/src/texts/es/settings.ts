import type en from '../en/settings.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Configuración de la empresa',
} satisfies Same<typeof en>
