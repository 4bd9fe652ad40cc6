// What a reader does to something: one call at a time, its failure beside it, and for what cannot
// be taken back a question before it.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type Failure, failureIn } from '../data/call.ts'
import { freshenBy } from '../data/session.ts'
import { t } from '../words/translate.ts'
import { Button, sentenceOf } from './form.tsx'

type CodeAsker = () => Promise<boolean>
const asked: { forCode: CodeAsker } = { forCode: async () => false }

/** Whoever shows the field for the second factor's code; true: one was given and is good. */
export const askForCodeBy = (asker: CodeAsker): void => {
  asked.forCode = asker
}

const isCodeWanted = (error: unknown): boolean => {
  const failure = failureIn(error)
  return failure?.is === 'refused' && failure.status === 403 && failure.code === 'totp_required'
}

/** What was refused for want of a code has done nothing: once one is given, it is begun anew. */
async function withCode(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isCodeWanted(error) || !(await asked.forCode())) throw error
    await work()
  }
}

export type Acting = Readonly<{
  isBusy: boolean
  failure: Failure | undefined
  /** Only where the code is asked for in place: the API wants one before it does this. */
  wantsCode: boolean
  /** Whether it was done. With a code, that one is given first. */
  run: (work: () => Promise<unknown>, code?: string) => Promise<boolean>
}>

type ActOptions = Readonly<{
  /** The form has a field for the code of the second factor; else it is asked for over the page. */
  asksInPlace?: boolean
}>

/** Runs one call at a time; a second press meanwhile does nothing. */
export function useAct({ asksInPlace = false }: ActOptions = {}): Acting {
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setIsBusy] = useState(false)
  const [wantsCode, setWantsCode] = useState(false)
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const run = async (work: () => Promise<unknown>, code = ''): Promise<boolean> => {
    if (isBusy) return false
    setIsBusy(true)
    setFailure(undefined)
    try {
      if (code !== '') {
        await freshenBy(code)
        setWantsCode(false)
      }
      await (asksInPlace ? work() : withCode(work))
      return true
    } catch (error) {
      const failed = failureIn(error)
      if (failed === undefined) throw error
      const isAsked = asksInPlace && isCodeWanted(error)
      if (isAsked) setWantsCode(true)
      setFailure(isAsked && code === '' ? undefined : failed)
      return false
    } finally {
      // What was done may have led to another screen.
      if (!isGone.current) setIsBusy(false)
    }
  }
  return { failure, isBusy, wantsCode, run }
}

export const Refused = ({ failure }: { failure: Failure | undefined }) =>
  failure === undefined ? null : (
    <p className="alert" role="alert">
      {sentenceOf(failure)}
    </p>
  )

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

type DialogProps = Readonly<{ title: string; onClose: () => void; children: ReactNode }>

/** Over the page while it is drawn; closing it gives the focus back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
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
