// What a reader chose for this browser alone, which goes to nobody else: light or dark, and
// whether keys of one letter do something.

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
