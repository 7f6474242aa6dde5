import type { Member } from '@tenantry/client'
import { useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { MemberPicker } from '../../ui/MemberPicker.tsx'

export function PersonDialog({ onClose, onChoose }: { onClose: () => void; onChoose: (id: string) => void }) {
  const { filters: t } = useTexts('audit')
  const common = useTexts('common')
  const [member, setMember] = useState<Member>()
  return (
    <Dialog open onClose={onClose} title={t.choosePerson}>
      <MemberPicker label={t.person} value={member} onChange={setMember} />
      <DialogButtons>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          variant="primary"
          unavailable={!member}
          onClick={() => {
            if (member) onChoose(member.id)
            onClose()
          }}
        >
          {t.apply}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
