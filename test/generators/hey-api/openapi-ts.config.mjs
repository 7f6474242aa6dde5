export default {
  input: process.env.DOCUMENT,
  output: { path: 'hey-api/generated', module: { extension: '.ts' } },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
}
