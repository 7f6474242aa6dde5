#!/usr/bin/env node
// The command `tenantry` of an installation: npx tenantry, or a link to this file.
import './boot.mjs'

await import('../src/cli/main.ts')
