import type en from '../en/audit.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Registro de auditoria',
} satisfies Same<typeof en>
