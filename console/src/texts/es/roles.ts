import type en from '../en/roles.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Roles',
} satisfies Same<typeof en>
