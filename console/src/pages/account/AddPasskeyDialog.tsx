import { addPasskey } from '../../api/passkeys.ts'
import { useDeviceName } from '../../api/use-device-name.ts'
import { usePasskeyRequest } from '../../api/use-passkey-request.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'
import type { AddProps } from './AddAppDialog.tsx'
import { NameForm } from './NameForm.tsx'

/** First its name; then the browser asks which device or password manager keeps it. */
export function AddPasskeyDialog({ onClose, onAdded }: AddProps) {
  const t = useTexts('account').factors
  const deviceName = useDeviceName()
  const { ask } = usePasskeyRequest()
  return (
    <Dialog open sticky onClose={onClose} title={t.addPasskey} intro={t.passkeyIntro}>
      <NameForm
        initial={deviceName(navigator.userAgent)}
        onClose={onClose}
        submit={async (body) => {
          const added = await ask((init) => addPasskey(body, init))
          if (!added) return
          toast(t.passkeyAdded)
          onAdded(added.recoveryCodes)
        }}
      />
    </Dialog>
  )
}
