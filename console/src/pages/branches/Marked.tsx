import styles from './branches.module.css'

const plain = (letter: string) => letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Marks what was searched for, which ignores case and accents as the service does. */
export function Marked({ text, search }: { text: string; search: string }) {
  const letters = [...text.normalize('NFC')]
  // Letter by letter, so that places in both are the same.
  const folded = letters.map((letter) => plain(letter)[0] ?? letter).join('')
  const at = search ? folded.indexOf(plain(search)) : -1
  if (at < 0) return text
  const end = at + plain(search).length
  return (
    <>
      {letters.slice(0, at).join('')}
      <mark className={styles.mark}>{letters.slice(at, end).join('')}</mark>
      {letters.slice(end).join('')}
    </>
  )
}
