import { useState } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import { showRecoveryCodes } from '../api/recovery-codes.ts'
import { AddAppDialog } from '../pages/account/AddAppDialog.tsx'
import { AddPasskeyDialog } from '../pages/account/AddPasskeyDialog.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from '../ui/Button.tsx'

/** The ways to a second factor, where one is wanted to go on. */
export function Enroll({ onDone }: { onDone?: () => void }) {
  const { addPasskey, addApp } = useTexts('account').factors
  const [adding, setAdding] = useState<'passkey' | 'app'>()
  const close = () => setAdding(undefined)
  const added = (codes: readonly string[] | undefined) => {
    close()
    showRecoveryCodes(codes)
    onDone?.()
  }
  return (
    <>
      {canUsePasskeys && (
        <Button variant="primary" icon="key" onClick={() => setAdding('passkey')}>
          {addPasskey}
        </Button>
      )}
      <Button variant={canUsePasskeys ? 'secondary' : 'primary'} onClick={() => setAdding('app')}>
        {addApp}
      </Button>
      {adding === 'passkey' && <AddPasskeyDialog onClose={close} onAdded={added} />}
      {adding === 'app' && <AddAppDialog onClose={close} onAdded={added} />}
    </>
  )
}
