export default {
  title: 'Companies',
} as const
