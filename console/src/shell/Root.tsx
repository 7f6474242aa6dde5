import { Outlet, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useCountdown } from '../api/use-countdown.ts'
import { useWeather } from '../api/weather.ts'
import { useTexts } from '../texts/use-texts.ts'
import { focusHeading, isFocusLost } from '../ui/dialog-focus.ts'
import { Icon } from '../ui/Icon.tsx'
import { Toasts } from '../ui/Toasts.tsx'
import styles from './Root.module.css'
import { ShownCodes } from './ShownCodes.tsx'
import { StepUp } from './StepUp.tsx'

/** Around every page: what concerns all of them, and the focus after each change of page. */
export function Root() {
  useFocusOnNavigation()
  return (
    <Suspense>
      <WeatherBanner />
      <Outlet />
      <ShownCodes />
      <StepUp />
      <Toasts />
    </Suspense>
  )
}

/**
 * A page change is read out by its heading, as a document would be by its title. The heading may come after what the page
 * loads, and another one take its place: until the person goes on, the focus returns to it whenever it is lost.
 */
function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(() => {
    const observer = new MutationObserver(() => isFocusLost() && focusHeading())
    const unsubscribe = router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (!pathChanged || !fromLocation) return
      focusHeading()
      observer.observe(document.body, { childList: true, subtree: true })
    })
    const controller = new AbortController()
    for (const event of ['keydown', 'pointerdown'])
      addEventListener(event, () => observer.disconnect(), { capture: true, signal: controller.signal })
    return () => {
      unsubscribe()
      observer.disconnect()
      controller.abort()
    }
  }, [router])
}

function WeatherBanner() {
  const { offline, waitUntil } = useWeather()
  const t = useTexts('shell')
  const seconds = useCountdown(Math.max(0, Math.ceil((waitUntil - Date.now()) / 1000)), waitUntil)
  const text = offline ? t.offline : seconds > 0 ? t.rateLimited({ seconds }) : ''
  return (
    <div role="status">
      {text && (
        <p className={styles.banner} title={offline ? undefined : t.rateLimitedHint}>
          <Icon name={offline ? 'offline' : 'info'} />
          {text}
        </p>
      )}
    </div>
  )
}
