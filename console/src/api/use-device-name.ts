import { deviceParts } from '../../../src/lib/devices.ts'
import { useTexts } from '../texts/use-texts.ts'

/** What a request came from, in the reader’s language: the service says it in English. */
export function useDeviceName(): (userAgent: string) => string {
  const { on, unknown } = useTexts('common').device
  return (userAgent) => {
    const { browser, system, program } = deviceParts(userAgent)
    if (browser && system) return on({ browser, system })
    return browser ?? program ?? system ?? unknown
  }
}
