import type en from '../en/account.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Tu cuenta',
} satisfies Same<typeof en>
