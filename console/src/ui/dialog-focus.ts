import { type RefObject, useEffect, useRef } from 'react'

/** By then the page has been replaced where what was done leads to another one. */
const SETTLED_MS = 100

/** What had the focus before the first of the dialogs that are open. */
let outside: Element | null = null

const isThere = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement && element !== document.body && element.isConnected && element.checkVisibility()

/** Whether no element has the focus that a person could go on from. */
export const isFocusLost = (): boolean => !isThere(document.activeElement)

/** Reads out where one is, as after a change of page. Of a page that is hidden there is a heading as well. */
export function focusHeading(): void {
  const headings = [...document.querySelectorAll<HTMLElement>('main h1')]
  headings.find(isThere)?.focus({ preventScroll: true })
}

/**
 * The heading may come after what the page loads, and another one take its place: until the person goes on, the focus returns to it
 * whenever it is lost.
 */
export function keepFocusOnHeading(): void {
  focusHeading()
  const observer = new MutationObserver(() => isFocusLost() && focusHeading())
  observer.observe(document.body, { childList: true, subtree: true })
  const goOn = new AbortController()
  goOn.signal.addEventListener('abort', () => observer.disconnect())
  for (const event of ['keydown', 'pointerdown'])
    addEventListener(event, () => goOn.abort(), { capture: true, signal: goOn.signal })
}

/**
 * Where the focus goes when a dialog closes: to what opened it. The library looks for that after rendering, when the first
 * field of the dialog may have the focus already. Where it is gone, as after the last of several dialogs, it is what
 * opened the first one, or else the heading.
 */
export function useFinalFocus(open: boolean): () => HTMLElement | true {
  const opener = useRef<Element>(null)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current) {
    opener.current = document.activeElement
    if (!opener.current?.closest('[role=dialog], [role=alertdialog]') && isThere(opener.current))
      outside = opener.current
  }
  wasOpen.current = open
  useEffect(() => {
    if (!open) return
    return () =>
      void setTimeout(() => {
        if (isFocusLost()) focusHeading()
      }, SETTLED_MS)
  }, [open])
  return () => [opener.current, outside].find(isThere) ?? true
}

type Place<Kind extends Element> = RefObject<Kind | null>

const placeIn = (popup: Place<HTMLElement>, last: Place<Element>) =>
  last.current instanceof HTMLElement && popup.current?.contains(last.current) ? last.current : undefined

/**
 * A page that was hidden is shown again with its dialog, and React runs effects again then. The focus has gone elsewhere
 * meanwhile, or nowhere: it goes back to where it was in the dialog. The library would begin with the first button again.
 */
export function useResumedFocus(popup: Place<HTMLElement>): () => HTMLElement | true {
  const last = useRef<Element>(null)
  useEffect(() => {
    const dialog = popup.current
    if (dialog && !dialog.contains(document.activeElement)) (placeIn(popup, last) ?? dialog).focus()
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof Element && popup.current?.contains(target)) last.current = target
    }
    document.addEventListener('focusin', remember)
    return () => document.removeEventListener('focusin', remember)
  }, [popup])
  return () => placeIn(popup, last) ?? true
}
