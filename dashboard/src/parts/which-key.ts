// Which of the dashboard's keys was pressed. It comes with the first load, what they do does not.

import { areKeysOn } from '../data/choices.ts'

const letters = 'nfecijkox[]'

/** `go p`: to a place, by `g` and the letter after it; `do n`: what the screen has for it. */
export type Pressed = 'search' | 'help' | 'newer' | `go ${string}` | `do ${string}`

/** Nobody types into a box that is ticked. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')

const signs: Readonly<Record<string, Pressed>> = { '/': 'search', '?': 'help', '.': 'newer' }

const patience_ms = 2_000
/** Until when a letter is the place that somebody goes to. */
let goes_until = 0

/** Undefined: none of them, or one that is meant for a field or a dialog. Takes what it reads. */
export function readKey(event: KeyboardEvent): Pressed | undefined {
  const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event
  // Brackets are made with AltGr on many a keyboard, which some systems report as Ctrl and Alt.
  const isMade = '[]'.includes(key) && event.getModifierState('AltGraph')
  const isPlain = isMade || (!ctrlKey && !metaKey && !altKey)
  const isAlone = isPlain && !isTyping(target) && areKeysOn()
  const isFree = document.querySelector('dialog[open]') === null
  const isGoing = isAlone && timeStamp < goes_until
  goes_until = isAlone && isFree && key === 'g' ? timeStamp + patience_ms : 0
  const pressed = pressedBy(key, { isAlone, isGoing })
  if (pressed === undefined || !isFree) return undefined
  event.preventDefault()
  return pressed
}

/** Whether Ctrl K, or Cmd K, was pressed, from within a field too. Takes what it reads. */
export function isPalette(event: KeyboardEvent): true | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  const isMeant = key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey
  if (!isMeant || !areKeysOn() || document.querySelector('dialog[open]') !== null) return undefined
  event.preventDefault()
  return true
}

type With = Readonly<Record<'isAlone' | 'isGoing', boolean>>

function pressedBy(key: string, { isAlone, isGoing }: With): Pressed | undefined {
  if (!isAlone) return undefined
  if (isGoing && /^[a-fh-z]$/.test(key)) return `go ${key}`
  return key.length === 1 && letters.includes(key) ? `do ${key}` : signs[key]
}
