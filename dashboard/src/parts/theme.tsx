// Light, dark, or as the device has it: in the person's menu and in their account.

import { useState } from 'react'
import { asTheme, chooseTheme, themeNow } from '../data/theme.ts'
import { SelectField } from '../ui/form.tsx'
import { t } from '../words/translate.ts'

export function ThemeChoice() {
  const [theme, setTheme] = useState(themeNow)
  return (
    <SelectField
      label={t('theme')}
      value={theme}
      onChange={({ currentTarget: { value } }) => {
        chooseTheme(asTheme(value))
        setTheme(asTheme(value))
      }}
      options={[
        ['device', t('theme_device')],
        ['light', t('theme_light')],
        ['dark', t('theme_dark')],
      ]}
    />
  )
}
