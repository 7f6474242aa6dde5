import { useId, useState } from 'react'
import { useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Radio } from '../../ui/Field.tsx'
import { SearchField } from '../../ui/Lists.tsx'
import { Skeleton } from '../../ui/States.tsx'
import styles from './branches.module.css'
import type { BranchItem } from './tree-rows.ts'
import { isAtOrBelow, pathTo } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'
import type { Moving } from './use-moving.ts'

const LIMIT = 20

interface Props {
  branch: BranchItem
  tree: Tree
  moving: Moving
  onClose: () => void
}

/** For keyboards, phones and large trees: the new place is searched for, not dragged to. */
export function MoveDialog({ branch, tree, moving, onClose }: Props) {
  const t = useTexts('branches').move
  const [parent, setParent] = useState<BranchItem | null>()
  return (
    <ConfirmDialog
      open
      variant="primary"
      title={t.title({ name: branch.name })}
      intro={branch.childCount > 0 ? t.intro : undefined}
      action={t.action}
      unavailable={parent === undefined}
      onClose={onClose}
      onConfirm={() => moving.move(branch, parent ?? null)}
    >
      <Places branch={branch} tree={tree} value={parent} onChange={setParent} />
    </ConfirmDialog>
  )
}

interface PlacesProps {
  branch: BranchItem
  tree: Tree
  value: BranchItem | null | undefined
  onChange: (parent: BranchItem | null) => void
}

function Places({ branch, tree, value, onChange }: PlacesProps) {
  const t = useTexts('branches').move
  const common = useTexts('common')
  const [search, setSearch] = useState('')
  const name = useId()
  const { data, error } = useCompanyQuery(['branch-places', search], (scope, options) =>
    scope.branches.page({ limit: LIMIT, ...(search && { search }) }, options),
  )
  const places = data?.items.filter((place) => !isAtOrBelow(tree.known, place, branch)) ?? []
  return (
    <div className={styles.places}>
      <SearchField label={t.search} value={search} onSearch={setSearch} />
      {error && <ProblemAlert problem={error} />}
      <fieldset className={styles.choices}>
        <legend className="unseen">{t.choice}</legend>
        {!search && (
          <Radio
            name={name}
            label={t.top}
            hint={branch.parentId ? t.topHint : t.now}
            disabled={!branch.parentId}
            checked={value === null}
            onChange={() => onChange(null)}
          />
        )}
        {places.map((place) => (
          <Place
            key={place.id}
            {...{ name, branch, place, tree }}
            checked={value?.id === place.id}
            onChange={() => onChange(place)}
          />
        ))}
      </fieldset>
      {!data && !error && <Skeleton lines={4} />}
      {data && places.length === 0 && search && <p className={styles.quiet}>{common.noResults}</p>}
      {data && data.total > data.items.length && (
        <p className={styles.quiet}>{t.first({ count: data.items.length, total: data.total })}</p>
      )}
    </div>
  )
}

interface PlaceProps {
  name: string
  branch: BranchItem
  place: BranchItem
  tree: Tree
  checked: boolean
  onChange: () => void
}

/** With where it is in the tree, and the reason where nothing can be moved there. */
function Place({ name, branch, place, tree, checked, onChange }: PlaceProps) {
  const t = useTexts('branches').move
  const isNow = place.id === branch.parentId
  const isInactive = place.status === 'inactive'
  const path = pathTo(tree.known, place)
    .map((each) => each.name)
    .join(' › ')
  return (
    <Radio
      name={name}
      label={place.name}
      hint={isNow ? t.now : isInactive ? t.inactive : path || undefined}
      disabled={isNow || isInactive}
      checked={checked}
      onChange={onChange}
    />
  )
}
