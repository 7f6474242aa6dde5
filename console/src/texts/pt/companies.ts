import type en from '../en/companies.ts'
import type { Same } from '../types.ts'

export default {
  title: 'Empresas',
} satisfies Same<typeof en>
