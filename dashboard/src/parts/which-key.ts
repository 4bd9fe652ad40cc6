// Which of the dashboard's keys was pressed. It comes with the first load, what they do does not.

import { areKeysOn } from '../data/choices.ts'

export type Pressed = 'search' | 'help'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]')

/** Undefined: none of them, or one that is meant for a field or a dialog. Takes what it reads. */
export function readKey(event: KeyboardEvent): Pressed | undefined {
  const { key, ctrlKey, metaKey, altKey, target } = event
  const isLetter = !ctrlKey && !metaKey && !altKey && !isTyping(target) && areKeysOn()
  const isSearch = (isLetter && key === '/') || ((ctrlKey || metaKey) && key === 'k')
  const isKey = isSearch || (isLetter && key === '?')
  if (!isKey || document.querySelector('dialog[open]') !== null) return undefined
  event.preventDefault()
  return isSearch ? 'search' : 'help'
}
