export default {
  title: 'Members',
} as const
