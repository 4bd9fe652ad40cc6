// Light, dark, or as the device has it: chosen for this browser alone, and worn before the first
// screen is drawn.

import { keep, kept } from './kept.ts'

const themes = ['device', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const theme_key = 'pirogue-theme'

export const asTheme = (text: string | null | undefined): Theme =>
  themes.find((one) => one === text) ?? 'device'

export const themeNow = (): Theme => asTheme(kept(theme_key))

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
  keep(theme_key, theme)
  wear(theme)
}
