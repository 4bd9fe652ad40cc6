// The second factor's code: six digits, by a telephone's keyboard of figures, or a recovery code of
// whoever has lost that telephone.

import { useEffect, useRef, useState } from 'react'
import type { Failure } from '../data/call.ts'
import { errorAt, TextField } from '../ui/form.tsx'
import { t } from '../words/translate.ts'

type Props = Readonly<{
  name: 'code' | 'totp'
  failure: Failure | undefined
  /** What the code is asked for, where that is not plain. */
  hint?: string
  takesFocus?: boolean
}>

export function CodeField({ name, failure, hint = t('code_hint'), takesFocus = false }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [isRecovery, setIsRecovery] = useState(false)
  // Whenever the field is another one, too.
  useEffect(() => {
    if (takesFocus || isRecovery) field.current?.focus()
  }, [takesFocus, isRecovery])
  return (
    <>
      <TextField
        label={t(isRecovery ? 'recovery_code' : 'code')}
        hint={isRecovery ? t('recovery_code_hint') : hint}
        error={errorAt(failure, name)}
        ref={field}
        name={name}
        autoComplete={isRecovery ? 'off' : 'one-time-code'}
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        maxLength={64}
        required
      />
      {!isRecovery && (
        <p>
          <button type="button" className="as-link" onClick={() => setIsRecovery(true)}>
            {t('recovery_code_use')}
          </button>
        </p>
      )}
      {isRecovery && <p className="mute small">{t('recovery_code_none')}</p>}
    </>
  )
}
