// Fields and buttons: native elements with a label, a hint and their error; what is wrong stands at
// its field and, with links to each, above the form.

import {
  type ComponentProps,
  type ComponentType,
  createContext,
  type FormEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { Failure } from '../data/call.ts'
import { useOnline } from '../data/connection.ts'
import { type Key, t } from '../words/translate.ts'
import type { Asked, Checks } from './mending.tsx'
import type { TraceProps } from './trace.tsx'

type FieldProps = Readonly<{
  label: string
  hint?: string | undefined
  error?: string | undefined
  children: (of: FieldOf) => ReactNode
}>

type FieldOf = Readonly<{ id: string; describedBy: string | undefined; isWrong: boolean }>

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const ids = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p className="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
      {children({ id, describedBy: ids === '' ? undefined : ids, isWrong: error !== undefined })}
    </div>
  )
}

const unchecked: Checks = { blanks: new Map(), mended: new Set() }
const ChecksContext = createContext<Checks>(unchecked)

/** What is wrong with a field as it is now; `error`: what it was refused for. */
export function useFault(name = '', error?: string): string | undefined {
  const { blanks, mended } = useContext(ChecksContext)
  return blanks.get(name) ?? (mended.has(name) ? undefined : error)
}

type TextProps = Omit<FieldProps, 'children'> & ComponentProps<'input'>

export const TextField = ({ label, hint, error, ...input }: TextProps) => (
  <Field label={label} hint={hint} error={useFault(input.name, error)}>
    {({ id, describedBy, isWrong }) => (
      <input
        id={id}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        {...input}
      />
    )}
  </Field>
)

type SelectProps = Omit<FieldProps, 'children'> &
  ComponentProps<'select'> &
  Readonly<{ options: readonly (readonly [value: string, name: string])[] }>

export const SelectField = ({ label, hint, error, options, ...select }: SelectProps) => (
  <Field label={label} hint={hint} error={useFault(select.name, error)}>
    {({ id, describedBy, isWrong }) => (
      <select
        id={id}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        {...select}
      >
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)

type ButtonProps = ComponentProps<'button'> & Readonly<{ look?: 'act' | 'plain'; busy?: boolean }>

/** What does something, and so has a `busy` or sends a form, is off while there is no network. */
export function Button({ look = 'act', busy, children, ...button }: ButtonProps) {
  const isOnline = useOnline()
  const isAct = busy !== undefined || button.type === 'submit'
  const isOff = busy === true || (isAct && !isOnline)
  return (
    <button type="button" className={look} aria-disabled={isOff || undefined} {...button}>
      {busy === true ? t('busy') : children}
    </button>
  )
}

type Late<Props> = Promise<Readonly<{ default: ComponentType<Props> }>>

/** What only a refusal needs; where its file does not come, a form does without it. */
const later = <Props,>(load: () => Late<Props>) =>
  lazy(() => load().catch(() => ({ default: (_: Props) => null })))

const Mending = later(() => import('./mending.tsx'))
const LoadedTrace = later(() => import('./trace.tsx'))

export const Trace = (of: TraceProps) => (
  <Suspense fallback={null}>
    <LoadedTrace {...of} />
  </Suspense>
)

/** Of a refusal by the API; other failures leave none. */
export const TraceOf = ({ failure }: { failure: Failure | undefined }) =>
  failure?.is === 'refused' ? <Trace id={failure.request_id} code={failure.code} /> : null

/** What a form says of a failed call that belongs to no field. */
export function sentenceOf(failure: Failure, known: readonly string[] = []): string | undefined {
  if (failure.is === 'unreached') return t(failure.isLate === true ? 'given_up' : 'unreached')
  if (failure.is === 'offline') return t('offline_not_sent')
  if (failure.is === 'refused') return describe(failure) || t('broken')
  return othersIn(failure.fields, known) || t('look_at_fields')
}

/** What a refusal is in words of the screens, where the text of the API is for programs. */
type Describing = (failure: Failure & { is: 'refused' }) => string

let describe: Describing = ({ message }) => message

/** For all forms from now on; whoever has not signed in meets none of these refusals. */
export const describeRefusalsBy = (describing: Describing): void => {
  describe = describing
}

/** Of what the form has no field for; '': of nothing. */
const othersIn = (fields: Readonly<Record<string, readonly string[]>>, known: readonly string[]) =>
  Object.entries(fields)
    .filter(([name]) => !known.includes(name))
    .map(faultText)
    .join(' ')

/** What people know a field or a filter by that is none of a form's own. */
const fieldNames: Readonly<Partial<Record<string, Key>>> = {
  amount: 'amount',
  columns: 'columns',
  country: 'country',
  created_at__gte: 'from',
  created_at__lte: 'until',
  currency: 'currency',
  cursor: 'pages',
  date: 'date',
  event_type: 'event',
  from: 'from',
  network: 'network',
  page: 'pages',
  search: 'search',
  status: 'status',
  to: 'until',
}

const faultText = ([name, texts]: readonly [string, readonly string[]]): string => {
  const known = fieldNames[name]
  const text = texts.join(' ')
  return known === undefined ? text : `${t(known)}${t('colon')} ${text}`
}

export const errorAt = (failure: Failure | undefined, name: string): string | undefined =>
  failure?.is === 'fields' ? failure.fields[name]?.join(' ') : undefined

/**
 * Ctrl Enter sends a form from any of its fields. What moves money and what holds a code go by
 * their own button alone: no key that was meant for the step before, or repeats, sends them.
 */
export function sendByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  const { key, ctrlKey, metaKey, repeat, target, currentTarget: form } = event
  const isMeant = key === 'Enter' && (ctrlKey || metaKey)
  if (!isMeant || target instanceof HTMLButtonElement) return
  event.preventDefault()
  if (repeat || form.closest('.confirm') || form.querySelector('[name=totp]')) return
  form.querySelector<HTMLElement>('[type=submit]:not([aria-disabled=true])')?.click()
}

type FormProps = Readonly<{
  name: string
  failure: Failure | undefined
  fields: readonly string[]
  onSubmit: (fields: FormData) => void
  children: ReactNode
}>

function missingIn({ inputMode, type }: HTMLInputElement | HTMLSelectElement): Key {
  if (inputMode === 'decimal') return 'not_a_sum'
  return type === 'date' ? 'day_missing' : 'fill_in'
}

/** A day without its time would be read as none. */
const isBlank = ({ required, disabled, value, validity }: Asked): boolean =>
  !disabled && (validity.badInput || (required && value.trim() === ''))

/** What has to be filled in, and is not. */
function blanksIn(form: HTMLFormElement): Checks['blanks'] {
  const empty = [...form.querySelectorAll<Asked>('input, select')].filter(isBlank)
  return new Map(empty.map((one) => [one.name, t(missingIn(one))]))
}

/** Fields are checked when the form is sent; once that was refused, they are looked at again. */
function useChecks(failure: Failure | undefined) {
  const [checks, setChecks] = useState(unchecked)
  const [refusals, setRefusals] = useState(0)
  const sent = useRef<FormData>(undefined)
  /** Undefined: something is empty that is needed. */
  const send = (form: HTMLFormElement): FormData | undefined => {
    const blanks = blanksIn(form)
    const isWhole = blanks.size === 0
    setChecks((now) => (isWhole ? unchecked : { ...now, blanks }))
    setRefusals((before) => (isWhole ? 0 : before + 1))
    if (!isWhole) return undefined
    sent.current = new FormData(form)
    return sent.current
  }
  const isRefused = failure !== undefined || refusals > 0
  return { checks, refusals, send, mending: isRefused && { sent, blanksIn, setChecks } }
}

/** Whoever reads by tabs or by ear learns from the title that something is wrong. */
function useTitleOfFault(isWrong: boolean): void {
  useEffect(() => {
    if (!isWrong) return undefined
    const before = document.title
    const title = t('title_wrong', { title: before })
    document.title = title
    return () => {
      // Another screen has a title of its own by now.
      if (document.title === title) document.title = before
    }
  }, [isWrong])
}

/** A field that is marked as wrong: its label, and what is wrong with it. */
type Fault = Readonly<{ at: HTMLInputElement; text: string }>

/** As the form shows them by now, whatever the API calls the field. */
function faultsIn(form: HTMLFormElement | null): Fault[] {
  const marked = form?.querySelectorAll<HTMLInputElement>('[aria-invalid]') ?? []
  return [...marked].map((at) => {
    const parts = [at.labels?.[0], document.getElementById(`${at.id}-error`)]
    const texts = parts.map((one) => one?.textContent).filter(Boolean)
    const text = texts.join(`${t('colon')} `)
    // A label that asks needs no other sign behind it.
    return { at, text: text.replace(`?${t('colon')}`, '?') }
  })
}

/** Into the field, whose name and fault are seen with it. */
function enter({ at }: Fault): void {
  at.closest('details:not([open])')?.setAttribute('open', '')
  at.closest('.field')?.scrollIntoView({ block: 'nearest' })
  at.focus({ preventScroll: true })
}

/**
 * A form whose failure takes the focus, and leads to each field that is marked, so that nobody has
 * to look for it. What it needs and is empty it says by itself: nothing is sent only to be refused.
 */
export function Form({ name, failure, fields, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const alert = useRef<HTMLDivElement>(null)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const { checks, refusals, send, mending } = useChecks(failure)
  const hasBlanks = checks.blanks.size > 0
  const isMended =
    failure?.is === 'fields' &&
    checks.mended.size > 0 &&
    faults.length === 0 &&
    othersIn(failure.fields, fields) === ''
  const isWrong = hasBlanks || (failure !== undefined && !isMended)
  // In the same turn as the fields, which are marked when this is over: what goes later moves under
  // a finger that is down by then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the fields are marked by now
  useLayoutEffect(() => {
    queueMicrotask(() => {
      const found = faultsIn(form.current)
      setFaults((before) => (found.length + before.length === 0 ? before : found))
    })
  }, [failure, checks])
  // biome-ignore lint/correctness/useExhaustiveDependencies: of each refusal once
  useEffect(() => {
    if (isWrong) alert.current?.focus()
  }, [failure, refusals])
  useTitleOfFault(isWrong)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = send(event.currentTarget)
    if (data !== undefined) onSubmit(data)
  }
  return (
    <form ref={form} aria-label={name} onSubmit={submit} onKeyDown={sendByKeys} noValidate>
      {isWrong && (
        <div className="alert" ref={alert} tabIndex={-1} role="alert">
          {hasBlanks || failure === undefined ? t('look_at_fields') : sentenceOf(failure, fields)}
          {!hasBlanks && <TraceOf failure={failure} />}
          <Faults of={faults} />
        </div>
      )}
      <ChecksContext.Provider value={checks}>{children}</ChecksContext.Provider>
      <Suspense fallback={null}>{mending && <Mending form={form.current} {...mending} />}</Suspense>
    </form>
  )
}

const Faults = ({ of }: { of: readonly Fault[] }) => (
  <ul>
    {of.map((fault) => (
      <li key={fault.at.id}>
        <a
          href={`#${fault.at.id}`}
          onClick={(event) => {
            event.preventDefault()
            enter(fault)
          }}
        >
          {fault.text}
        </a>
      </li>
    ))}
  </ul>
)

/** A secret, as it is typed: a space may be part of it. */
export const secretIn = (form: FormData, name = 'password'): string => String(form.get(name) ?? '')

export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
