// What a reader does to something: one call at a time, its failure beside it, a dialog over the
// page.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type Failure, failureIn } from '../data/call.ts'
import { freshenBy } from '../data/session.ts'
import { sentenceOf, TraceOf } from './form.tsx'

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
    <div className="alert" role="alert">
      {sentenceOf(failure)}
      <TraceOf failure={failure} />
    </div>
  )

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
        if (event.cancelable) onClose()
      }}
      // A second Esc without a press between closes it (Chromium): whoever drew it decides that.
      onClose={() => {
        dialog.current?.showModal()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
