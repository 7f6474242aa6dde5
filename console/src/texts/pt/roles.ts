import type en from '../en/roles.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Funções',
} satisfies Same<typeof en>
