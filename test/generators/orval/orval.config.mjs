export default {
  tenantry: {
    input: process.env.DOCUMENT,
    output: {
      target: 'generated/api.ts',
      client: 'fetch',
      tsconfig: '../tsconfig.json',
      override: { mutator: { path: './fetcher.ts', name: 'fetcher' } },
    },
  },
}
