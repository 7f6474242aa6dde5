import type en from '../en/branches.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Sucursales',
} satisfies Same<typeof en>
