// The order matters: the User-Agent of Edge and Opera contains Chrome, that of Chrome contains Safari.
const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

export interface Device {
  browser: string | undefined
  system: string | undefined
  /** What is no browser, by the name that it gives itself: `curl`. */
  program: string | undefined
}

export function deviceParts(userAgent: string): Device {
  return {
    browser: browsers.find(([pattern]) => pattern.test(userAgent))?.[1],
    system: systems.find(([pattern]) => pattern.test(userAgent))?.[1],
    program: /^[\w.-]{2,40}(?=\/)/.exec(userAgent)?.[0],
  }
}

/** Without words of a language, for texts in any: "Firefox · Windows", "curl"; empty: it says nothing of itself. */
export function namedDevice(userAgent: string): string {
  const { browser, system, program } = deviceParts(userAgent)
  return browser ? [browser, system].filter(Boolean).join(' · ') : (program ?? system ?? '')
}

/** A short name for the device in a list of sessions: "Firefox on Windows", "curl", "Unknown device". */
export function deviceFrom(userAgent: string): string {
  const { browser, system, program } = deviceParts(userAgent)
  if (browser) return system ? `${browser} on ${system}` : browser
  return program ?? system ?? 'Unknown device'
}
