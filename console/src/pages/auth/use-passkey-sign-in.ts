import { useEffect, useRef, useState } from 'react'
import { canOfferPasskeys, PasskeyTrouble, signInByPasskey } from '../../api/passkeys.ts'
import { usePasskeyRequest } from '../../api/use-passkey-request.ts'
import { type Form, useForm } from '../../ui/use-form.ts'

type SignedIn = Awaited<ReturnType<typeof signInByPasskey>>

/** What the browser offers has to be used within 5 minutes. */
const RENEW_MS = 4 * 60_000

interface PasskeySignIn {
  /** Behind the button. */
  form: Form<object>
  /** Of a passkey that was chosen in the list under the field. */
  problem: unknown
}

/** Signs in with a passkey by a button and, in browsers that can, from the list under the field of the address. */
export function usePasskeySignIn(
  enter: (state: SignedIn) => Promise<unknown>,
  { isPaused }: { isPaused: boolean },
): PasskeySignIn {
  const [problem, setProblem] = useState<unknown>()
  const [round, setRound] = useState(0)
  const offered = useRef<AbortController>(undefined)
  const latest = useRef(enter)
  latest.current = enter
  const renew = () => setRound((count) => count + 1)
  const request = usePasskeyRequest()

  // biome-ignore lint/correctness/useExhaustiveDependencies: Each round is a new offer.
  useEffect(() => {
    // The second step asks for a passkey of its own.
    if (isPaused) return request.giveUp()
    const controller = new AbortController()
    offered.current = controller
    const since = Date.now()
    const renewLate = () => document.hidden || Date.now() - since < RENEW_MS || renew()
    const timer = setInterval(renewLate, RENEW_MS)
    document.addEventListener('visibilitychange', renewLate)
    offer(controller.signal, (state) => latest.current(state)).catch((error: unknown) => {
      if (controller.signal.aborted || !(error instanceof PasskeyTrouble) || error.reason !== 'refused') return
      setProblem(error)
      renew()
    })
    return () => {
      controller.abort()
      clearInterval(timer)
      document.removeEventListener('visibilitychange', renewLate)
    }
  }, [round, isPaused])

  const form = useForm({
    initial: {},
    submit: async () => {
      setProblem(undefined)
      // A browser serves one request for a passkey at a time.
      offered.current?.abort()
      const state = await request.ask(signInByPasskey).catch((error: unknown) => {
        renew()
        throw error
      })
      if (state) await latest.current(state)
    },
  })
  return { form, problem }
}

async function offer(signal: AbortSignal, enter: (state: SignedIn) => Promise<unknown>): Promise<void> {
  if ((await canOfferPasskeys()) && !signal.aborted)
    await enter(await signInByPasskey({ mediation: 'conditional', signal }))
}
