import type en from '../en/members.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Miembros',
} satisfies Same<typeof en>
