export default {
  title: 'Your account',
} as const
