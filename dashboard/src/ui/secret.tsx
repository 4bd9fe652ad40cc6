// A secret that is shown once: hidden until asked for, copied, and left only by whoever says that
// they have kept it. Law: it lives in the screen that made it, so going back or loading the page
// anew does not bring it again.

import { useEffect, useRef, useState } from 'react'
import { t } from '../words/translate.ts'
import { Dialog } from './act.tsx'
import { Button } from './form.tsx'
import { Copy } from './state.tsx'

type Props = Readonly<{
  name: string
  secret: string
  onKept: () => void
}>

export function Secret({ name, secret, onKept }: Props) {
  const [isShown, setIsShown] = useState(false)
  const [isKept, setIsKept] = useState(false)
  const [isMissed, setIsMissed] = useState(false)
  const said = useRef<HTMLParagraphElement>(null)
  // The form that made it is gone, and the focus with it.
  useEffect(() => said.current?.focus(), [])
  return (
    <section className="outcome" aria-label={name}>
      <p className="said" ref={said} tabIndex={-1}>
        {t('secret_once', { name })}
      </p>
      <p>{t('secret_once_how')}</p>
      <p className="secret">
        <code>{isShown ? secret : '•'.repeat(24)}</code>
      </p>
      <div className="acts">
        <Button look="plain" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {t(isShown ? 'hide' : 'show')}
        </Button>
        <Copy text={secret} name={t('copy')} />
      </div>
      <label className="choice">
        <input
          type="checkbox"
          checked={isKept}
          onChange={({ currentTarget: { checked } }) => setIsKept(checked)}
        />
        {t('secret_kept')}
      </label>
      {isMissed && !isKept && (
        <p className="wrong" role="alert">
          {t('secret_keep_first')}
        </p>
      )}
      <Button onClick={() => (isKept ? onKept() : setIsMissed(true))}>{t('continue')}</Button>
    </section>
  )
}

/** The same over the page; only whoever has kept it leaves it. */
export const SecretDialog = (props: Props) => (
  <Dialog title={props.name} onClose={() => undefined}>
    <Secret {...props} />
  </Dialog>
)
