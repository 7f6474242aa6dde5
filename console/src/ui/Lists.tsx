import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { Button, IconButton } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './Lists.module.css'

const TYPING_MS = 300

/** Above a list: search, filters. */
export const Toolbar = ({ children }: { children: ReactNode }) => <div className={styles.toolbar}>{children}</div>

/** Calls `onSearch` when typing pauses, so that a word is one request. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  label: string
  value: string
  onSearch: (text: string) => void
}) {
  const t = useTexts('common')
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => search.current(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Within a form it must not send that.
          event.preventDefault()
          search.current(text.trim())
        }}
      />
      {text && (
        <IconButton
          className={styles.clear}
          icon="close"
          label={t.clearSearch}
          onClick={() => {
            setText('')
            search.current('')
            input.current?.focus()
          }}
        />
      )}
    </div>
  )
}

interface PaginationProps {
  page: number
  limit: number
  total: number
  onPage: (page: number) => void
}

/** Below a list of pages with a total. */
export function Pagination({ page, limit, total, onPage }: PaginationProps) {
  const t = useTexts('common')
  if (total <= limit && page === 1) return null
  const to = Math.min(page * limit, total)
  return (
    <nav className={styles.pagination} aria-label={t.pages}>
      <span className={styles.range} aria-live="polite">
        {t.range({ from: Math.min((page - 1) * limit + 1, to), to, total })}
      </span>
      <span className={styles.steps}>
        <Button icon="chevronLeft" unavailable={page <= 1} onClick={() => onPage(page - 1)}>
          {t.previous}
        </Button>
        <Button unavailable={to >= total} onClick={() => onPage(page + 1)}>
          {t.next}
          <Icon name="chevronRight" />
        </Button>
      </span>
    </nav>
  )
}

/** Below a list that only goes on, such as the audit log. */
export function LoadMore({ hasMore, busy, onMore }: { hasMore: boolean; busy: boolean; onMore: () => void }) {
  const t = useTexts('common')
  if (!hasMore) return null
  return (
    <Button wide busy={busy} onClick={onMore}>
      {t.loadMore}
    </Button>
  )
}
