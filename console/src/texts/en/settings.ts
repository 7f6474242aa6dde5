export default {
  title: 'Company settings',
} as const
