import type en from '../en/account.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Sua conta',
} satisfies Same<typeof en>
