import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const DEBIAN = '/usr/bin/chromium'

/** Debian's browser, or the one that CHROMIUM names. */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? DEBIAN
  if (!existsSync(executablePath))
    throw new Error(`There is no ${executablePath}: install Debian's chromium, or name another one in CHROMIUM.`)
  // Its sandbox does not start as root, and in most containers.
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
}
