export default {
  title: 'Branches',
} as const
