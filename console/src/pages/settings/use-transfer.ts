import { useEffect, useRef, useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { readTransfer } from '../../api/transfer.ts'
import { useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'

const ENDED = ['transfer_not_found', 'transfer_expired', 'owner_only']

/** The pending transfer, and whether one that was shown here was ended by the other side, or by time. */
export function useTransfer() {
  const query = useCompanyQuery(['transfer'], readTransfer)
  const refresh = useRefreshCompany()
  const endedHere = useRef(false)
  const hasEnded = useHasEnded(query.data?.id, endedHere)
  const readAgain = async () => {
    await refresh()
    // It may have changed the roles of either side.
    await tenantry.session.reload().catch(() => {})
  }
  useReturn(query.data ? readAgain : undefined)

  return {
    ...query,
    hasEnded,
    /** Ends it, or shows that it has ended already. */
    end: async (call: Promise<unknown>): Promise<boolean> => {
      endedHere.current = true
      const isDone = await call.then(
        () => true,
        (error: unknown) => {
          endedHere.current = false
          if (isProblem(error) && ENDED.includes(error.code)) return false
          throw error
        },
      )
      await readAgain()
      return isDone
    },
  }
}

export type TransferState = ReturnType<typeof useTransfer>

function useHasEnded(id: string | undefined, endedHere: { current: boolean }): boolean {
  const before = useRef(id)
  const [hasEnded, setEnded] = useState(false)
  useEffect(() => {
    if (before.current && !id) setEnded(!endedHere.current)
    else if (id) setEnded(false)
    before.current = id
    endedHere.current = false
  }, [id, endedHere])
  return hasEnded
}

/** People look again after a while: the other side may have decided by then. */
function useReturn(look: (() => void) | undefined): void {
  const latest = useRef(look)
  latest.current = look
  useEffect(() => {
    const onChange = () => document.visibilityState === 'visible' && latest.current?.()
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
}
