// What a reader chose for this browser alone, which goes to nobody else: how lists are arranged,
// whether numbers are hidden and keys of one letter do something. A theme has a file of its own.

import { keep, kept } from './kept.ts'

const keys_key = 'pirogue-keys'

/** Whoever speaks to their machine, or slips, turns keys of one letter off (WCAG 2.1.4). */
export const areKeysOn = (): boolean => kept(keys_key) !== 'off'

export const chooseKeys = (isOn: boolean): void => keep(keys_key, isOn ? 'on' : 'off')

/** Who shows a choice that may change under them. */
const watchers = new Set<() => void>()

/** As an external store of React: what another tab chooses counts here too. */
export function watchChoices(onChange: () => void): () => void {
  watchers.add(onChange)
  addEventListener('storage', onChange)
  return () => {
    watchers.delete(onChange)
    removeEventListener('storage', onChange)
  }
}

function choose(key: string, value: string): void {
  keep(key, value)
  for (const watcher of watchers) watcher()
}

const numbers_key = 'pirogue-numbers'
const rows_key = 'pirogue-rows'
const columnsKey = (list: string): string => `pirogue-columns-${list}`
const orderKey = (list: string): string => `pirogue-order-${list}`

/** Whoever shows their screen to others shows nobody's telephone number. */
export const areNumbersHidden = (): boolean => kept(numbers_key) === 'hidden'

export const hideNumbers = (isOn: boolean): void => choose(numbers_key, isOn ? 'hidden' : 'shown')

/** Whether the rows of tables stand close. */
export const areRowsClose = (): boolean => kept(rows_key) === 'close'

export const setRowsClose = (isOn: boolean): void => choose(rows_key, isOn ? 'close' : 'wide')

/** The columns that the reader does without in a list, by name with commas between; '': in none. */
export const columnsLeftOut = (list: string): string => kept(columnsKey(list)) ?? ''

export const leaveOutColumns = (list: string, names: readonly string[]): void =>
  choose(columnsKey(list), names.join(','))

/** The columns of a list as the reader put them, by name with commas between; '': as they come. */
export const columnsInOrder = (list: string): string => kept(orderKey(list)) ?? ''

export const putColumns = (list: string, names: readonly string[]): void =>
  choose(orderKey(list), names.join(','))
