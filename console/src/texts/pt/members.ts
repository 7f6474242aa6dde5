import type en from '../en/members.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Membros',
} satisfies Same<typeof en>
