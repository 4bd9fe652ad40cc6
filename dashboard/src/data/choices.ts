// What a reader chose for this browser alone, which goes to nobody else: light or dark, how lists
// are arranged, whether numbers are hidden and keys of one letter do something.

const themes = ['device', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const theme_key = 'pirogue-theme'
const keys_key = 'pirogue-keys'

export const asTheme = (text: string | null): Theme =>
  themes.find((one) => one === text) ?? 'device'

export const themeNow = (): Theme => asTheme(localStorage.getItem(theme_key))

/** Without a choice the style sheet follows the device by itself. */
function wear(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'device') delete dataset['theme']
  else dataset['theme'] = theme
}

/** Called once, before the first screen; what another tab chooses counts here too. */
export function wearTheme(): void {
  wear(themeNow())
  addEventListener('storage', ({ key }) => {
    if (key === theme_key) wear(themeNow())
  })
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(theme_key, theme)
  wear(theme)
}

/** Whoever speaks to their machine, or slips, turns keys of one letter off (WCAG 2.1.4). */
export const areKeysOn = (): boolean => localStorage.getItem(keys_key) !== 'off'

export const chooseKeys = (isOn: boolean): void =>
  localStorage.setItem(keys_key, isOn ? 'on' : 'off')

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

function keep(key: string, value: string): void {
  localStorage.setItem(key, value)
  for (const watcher of watchers) watcher()
}

const numbers_key = 'pirogue-numbers'
const rows_key = 'pirogue-rows'
const columnsKey = (list: string): string => `pirogue-columns-${list}`
const orderKey = (list: string): string => `pirogue-order-${list}`

/** Whoever shows their screen to others shows nobody's telephone number. */
export const areNumbersHidden = (): boolean => localStorage.getItem(numbers_key) === 'hidden'

export const hideNumbers = (isOn: boolean): void => keep(numbers_key, isOn ? 'hidden' : 'shown')

/** Whether the rows of tables stand close. */
export const areRowsClose = (): boolean => localStorage.getItem(rows_key) === 'close'

export const setRowsClose = (isOn: boolean): void => keep(rows_key, isOn ? 'close' : 'wide')

/** The columns that the reader does without in a list, by name with commas between; '': in none. */
export const columnsLeftOut = (list: string): string => localStorage.getItem(columnsKey(list)) ?? ''

export const leaveOutColumns = (list: string, names: readonly string[]): void =>
  keep(columnsKey(list), names.join(','))

/** The columns of a list as the reader put them, by name with commas between; '': as they come. */
export const columnsInOrder = (list: string): string => localStorage.getItem(orderKey(list)) ?? ''

export const putColumns = (list: string, names: readonly string[]): void =>
  keep(orderKey(list), names.join(','))
