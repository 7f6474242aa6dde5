import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isProblem, secondsToWait } from '../api/problems.ts'
import { useSession } from '../api/tenantry.ts'
import { useCountdown } from '../api/use-countdown.ts'
import { useWeather } from '../api/weather.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Page } from '../ui/Page.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { AuthFrame } from './AuthFrame.tsx'

/** Shown when a page takes longer than a moment to load. */
export function PendingPage() {
  const { waitUntil } = useWeather()
  const isKnown = useSession().status !== 'unknown'
  return isKnown || waitUntil < Date.now() ? <Skeleton /> : <JustAMoment />
}

/** How long it takes is said above every page. */
function JustAMoment() {
  const { title, message } = useTexts('shell').wait
  return <AuthFrame title={title} intro={message} />
}

export function NotFoundPage() {
  const t = useTexts('shell').notFound
  return (
    <AuthFrame title={t.title} intro={t.message}>
      <ButtonLink to="/" variant="primary" wide>
        {t.home}
      </ButtonLink>
    </AuthFrame>
  )
}

/** A refusal of the service says so; anything else is a fault of the console. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const t = useTexts('shell')
  const common = useTexts('common')
  const { offline } = useWeather()
  useReloadOnline()
  const { title, message } = offline ? t.unloaded : t.broken
  if (isProblem(error) && error.status === 429 && error.retryAfter) return <WaitPage problem={error} />
  if (isProblem(error))
    return (
      <Page title={title}>
        <ErrorState problem={error} onRetry={() => void router.invalidate()} />
      </Page>
    )
  return (
    <Page title={title} intro={message}>
      <div>{!offline && <Button onClick={() => location.reload()}>{common.reload}</Button>}</div>
    </Page>
  )
}

/** Too many requests: opens the page as soon as it may. */
function WaitPage({ problem }: { problem: unknown }) {
  const router = useRouter()
  const isOver = useCountdown(secondsToWait(problem), problem) === 0
  useEffect(() => {
    if (isOver) void router.invalidate()
  }, [isOver, router])
  return <JustAMoment />
}

/** A page whose files could not be loaded comes with the connection. Nothing is lost: there is no page yet. */
function useReloadOnline(): void {
  useEffect(() => {
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [])
}

/** A company that the person is not, or no longer, in. */
export function NoCompanyPage() {
  const t = useTexts('shell').noCompany
  return (
    <Page title={t.title} intro={t.message}>
      <div>
        <ButtonLink to="/">{t.choose}</ButtonLink>
      </div>
    </Page>
  )
}
