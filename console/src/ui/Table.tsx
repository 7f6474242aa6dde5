import type { ReactNode } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { classes } from './classes.ts'
import { Icon } from './Icon.tsx'
import styles from './Table.module.css'

export interface Column<Row> {
  /** Also what the service sorts by, where `sortable`. */
  key: string
  header: string
  cell: (row: Row) => ReactNode
  /** What the row is about, mostly a link: the heading of its card on a phone. */
  primary?: boolean
  align?: 'end'
  sortable?: boolean
  /** Left out where the table is narrow: on phones and tablets, and beside the navigation. */
  wideOnly?: boolean
}

export interface Sorting {
  by: string
  direction: 'asc' | 'desc'
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** A menu or button at the end of each row. */
  actions?: (row: Row) => ReactNode
  sorting?: Sorting
  onSort?: (sorting: Sorting) => void
  /** While the next rows are on their way, those before stay. */
  busy?: boolean
}

export function Table<Row>({ label, columns, rows, keyOf, actions, sorting, onSort, busy }: TableProps<Row>) {
  const t = useTexts('common')
  return (
    <div className={classes(styles.frame, busy && styles.busy)} aria-busy={busy || undefined}>
      {/* As blocks on a phone its parts would lose their meaning for screen readers without these roles. */}
      <table className={styles.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Header key={column.key} column={column} sorting={sorting} onSort={onSort} />
            ))}
            {actions && (
              <th role="columnheader" scope="col" className={styles.actions}>
                <span className="unseen">{t.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.key} column={column} row={row} />
              ))}
              {actions && (
                <td role="cell" className={styles.actions}>
                  {actions(row)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeaderProps<Row> {
  column: Column<Row>
  sorting?: Sorting | undefined
  onSort?: ((sorting: Sorting) => void) | undefined
}

function Header<Row>({ column, sorting, onSort }: HeaderProps<Row>) {
  const { key, header, align, wideOnly, sortable } = column
  const t = useTexts('common')
  const direction = sorting?.by === key ? sorting.direction : undefined
  const className = classes(align === 'end' && styles.end, wideOnly && styles.wideOnly)
  return (
    <th
      role="columnheader"
      scope="col"
      className={className}
      aria-sort={direction && (direction === 'asc' ? 'ascending' : 'descending')}
    >
      {sortable && onSort ? (
        <button
          type="button"
          className={styles.sort}
          data-direction={direction}
          title={t.sortedBy({ column: header })}
          onClick={() => onSort({ by: key, direction: direction === 'asc' ? 'desc' : 'asc' })}
        >
          {header}
          <Icon name="sort" size={14} />
        </button>
      ) : (
        header
      )}
    </th>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { header, cell, primary, align, wideOnly } = column
  const content = cell(row)
  const isEmpty = content === null || content === undefined || content === ''
  return (
    <td
      role="cell"
      className={classes(primary && styles.primary, align === 'end' && styles.end, wideOnly && styles.wideOnly)}
    >
      {!primary && !isEmpty && (
        <span className={styles.label} aria-hidden="true">
          {header}
        </span>
      )}
      {content}
    </td>
  )
}
