export default {
  title: 'Audit log',
} as const
