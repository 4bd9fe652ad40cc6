// A question before what cannot be taken back, and a word once something was saved. It comes with
// the screens that have it: whoever signs in needs neither.

import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../words/translate.ts'
import { Dialog, Refused, useAct } from './act.tsx'
import { Button } from './form.tsx'

/** So long what was done is said, in ms. */
const said_ms = 6_000

/** Says for a while that it was saved: `times` counts how often it was. */
export function Saved({ times }: { times: number }) {
  const [isSaid, setIsSaid] = useState(false)
  useEffect(() => {
    if (times === 0) return
    setIsSaid(true)
    const timer = setTimeout(() => setIsSaid(false), said_ms)
    return () => clearTimeout(timer)
  }, [times])
  return <p role="status">{isSaid && t('saved')}</p>
}

type AskingProps = Readonly<{
  /** The button on the page, the dialog's heading, and the button that does it. */
  name: string
  text: string
  /** It cannot be taken back. */
  isGrave?: boolean
  act: () => Promise<unknown>
  /** Once it is done and the dialog is gone. */
  onDone?: () => void
  /** More to fill in before it is done. */
  children?: ReactNode
}>

/** A button that says in a dialog what it will do before it does it. */
export function Asking({ name, text, isGrave = false, act, onDone, children }: AskingProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { failure, isBusy, run } = useAct()
  const close = () => setIsOpen(false)
  return (
    <>
      <Button
        look="plain"
        className={isGrave ? 'plain grave' : 'plain'}
        onClick={() => setIsOpen(true)}
      >
        {name}
      </Button>
      {isOpen && (
        <Dialog title={name} onClose={close}>
          <p>{text}</p>
          {children}
          <Refused failure={failure} />
          <div className="acts">
            <Button
              className={isGrave ? 'grave-act' : 'act'}
              busy={isBusy}
              onClick={async () => {
                if (!(await run(act))) return
                close()
                onDone?.()
              }}
            >
              {name}
            </Button>
            <Button look="plain" onClick={close}>
              {t('cancel')}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
