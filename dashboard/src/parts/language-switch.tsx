// The one button by which a reader changes the language of all that they see.

import type { Language } from '../format/amount.ts'
import { t } from '../words/translate.ts'

type SwitchProps = Readonly<{ language: Language; onChoose: (language: Language) => void }>

/** The other language, named in itself. */
export function LanguageSwitch({ language, onChoose }: SwitchProps) {
  const other = language === 'fr' ? 'en' : 'fr'
  return (
    <button type="button" className="plain" lang={other} onClick={() => onChoose(other)}>
      {t('other_language')}
    </button>
  )
}
