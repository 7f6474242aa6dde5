import { Outlet, useRouter } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useCountdown } from '../api/use-countdown.ts'
import { useWeather } from '../api/weather.ts'
import { useTexts } from '../texts/use-texts.ts'
import { keepFocusOnHeading } from '../ui/dialog-focus.ts'
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

/** A page change is read out by its heading, as a document would be by its title. */
function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation) keepFocusOnHeading()
      }),
    [router],
  )
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
