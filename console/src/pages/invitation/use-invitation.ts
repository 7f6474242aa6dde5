import type { Tenantry } from '@tenantry/client'
import { useEffect, useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { isDead } from '../auth/use-link.ts'

export type Preview = Awaited<ReturnType<Tenantry['invitation']['preview']>>

type Found =
  | { state: 'missing' | 'checking' | 'dead' }
  | { state: 'failed'; problem: unknown }
  | { state: 'found'; preview: Preview }

/** What the link in the email leads to. Looking at it answers nothing: programs that check emails open their links. */
export function useInvitation() {
  const [found, setFound] = useState<Found>({ state: linkTokens.invitation ? 'checking' : 'missing' })
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once more in each round.
  useEffect(() => {
    if (!linkTokens.invitation) return
    const controller = new AbortController()
    setFound({ state: 'checking' })
    tenantry.invitation.preview({ token: linkTokens.invitation }, { signal: controller.signal }).then(
      (preview) => setFound({ state: 'found', preview }),
      (problem: unknown) => {
        if (!controller.signal.aborted) setFound(isDead(problem) ? { state: 'dead' } : { state: 'failed', problem })
      },
    )
    return () => controller.abort()
  }, [round])
  return { found, again: () => setRound((count) => count + 1) }
}

/** How it ended on this page; who becomes a member goes on to the company. */
export type End = { how: 'dead' | 'void' | 'declined' } | { how: 'inactive'; company: string }

/** What an answer is refused with for good. Anything else is a problem of the form. */
export function endOf(problem: unknown): End | undefined {
  if (isDead(problem)) return { how: 'dead' }
  return isProblem(problem) && problem.code === 'invitation_no_longer_valid' ? { how: 'void' } : undefined
}
