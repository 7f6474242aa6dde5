export default {
  title: 'Roles',
} as const
