import { useEffect, useRef, useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Checkbox, Radio } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { download } from './download.ts'
import { queryOf, useFilters } from './filters.ts'

interface Values {
  format: 'ndjson' | 'csv'
  filtered: boolean
}

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const { export: t } = useTexts('audit')
  const { isFiltered } = useFilters()
  const { form, bytes } = useExport(onClose)
  const { format, filtered } = form.values
  return (
    <Dialog open onClose={onClose} title={t.title} intro={t.intro}>
      <Form form={form}>
        <FieldGroup legend={t.format}>
          <Radio
            name="format"
            label={t.ndjson}
            hint={t.ndjsonHint}
            checked={format === 'ndjson'}
            onChange={() => form.set({ format: 'ndjson' })}
          />
          <Radio
            name="format"
            label={t.csv}
            hint={t.csvHint}
            checked={format === 'csv'}
            onChange={() => form.set({ format: 'csv' })}
          />
        </FieldGroup>
        {isFiltered && (
          <Checkbox
            label={t.filtered}
            hint={t.filteredHint}
            checked={filtered}
            onChange={(next) => form.set({ filtered: next })}
          />
        )}
        {form.busy && <p role="status">{t.progress({ kilobytes: Math.ceil(bytes / 1000) })}</p>}
        <SendButtons form={form} icon="download" onCancel={onClose}>
          {t.submit}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

/** Closing the dialog ends the download. */
function useExport(onClose: () => void) {
  const { export: t } = useTexts('audit')
  const { scope } = useCompany()
  const { filters, isFiltered } = useFilters()
  const refresh = useRefreshCompany()
  const [bytes, setBytes] = useState(0)
  const ending = useRef(new AbortController())
  useEffect(() => {
    ending.current = new AbortController()
    return () => ending.current.abort()
  }, [])
  const form = useForm<Values>({
    initial: { format: 'ndjson', filtered: isFiltered },
    submit: async ({ format, filtered }) => {
      const { signal } = ending.current
      const query = { ...(filtered && queryOf(filters)), format }
      const file = await download(await scope.audit.export(query, { signal }), setBytes).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      if (!file) return
      onClose()
      toast(t.saved({ file }))
      await refresh()
    },
  })
  return { form, bytes }
}
