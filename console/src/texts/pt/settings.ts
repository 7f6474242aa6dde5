import type en from '../en/settings.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Configurações da empresa',
} satisfies Same<typeof en>
