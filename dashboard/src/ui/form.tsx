// Fields and buttons: native elements with a label, a hint and their error; what is wrong stands at
// its field and, with links to each, above the form.

import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { Failure } from '../data/call.ts'
import { useOnline } from '../data/connection.ts'
import { type Key, t } from '../words/translate.ts'

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

/** What a form says of the fields that it needs and that are empty, by their names. */
const Blanks = createContext<ReadonlyMap<string, string>>(new Map())

const useBlank = (name: string | undefined): string | undefined =>
  useContext(Blanks).get(name ?? '')

type TextProps = Omit<FieldProps, 'children'> & ComponentProps<'input'>

export const TextField = ({ label, hint, error, ...input }: TextProps) => (
  <Field label={label} hint={hint} error={useBlank(input.name) ?? error}>
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
  <Field label={label} hint={hint} error={useBlank(select.name) ?? error}>
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

/** What a form says of a failed call that belongs to no field. */
export function sentenceOf(failure: Failure, known: readonly string[] = []): string | undefined {
  if (failure.is === 'unreached') return t(failure.isLate === true ? 'given_up' : 'unreached')
  if (failure.is === 'offline') return t('offline_not_sent')
  if (failure.is === 'refused') return failure.message === '' ? t('broken') : failure.message
  const others = Object.entries(failure.fields).filter(([name]) => !known.includes(name))
  if (others.length > 0) return others.map(faultText).join(' ')
  return t('look_at_fields')
}

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

/** What has to be filled in, and is not; a day without its time, which would be read as none. */
function blanksIn(form: HTMLFormElement): ReadonlyMap<string, string> {
  const all = form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')
  const empty = [...all].filter(
    ({ value, disabled, required, validity }) =>
      !disabled && (validity.badInput || (required && value.trim() === '')),
  )
  return new Map(empty.map((one) => [one.name, t(missingIn(one))]))
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
  const [blanks, setBlanks] = useState<ReadonlyMap<string, string>>(new Map())
  const isBlank = blanks.size > 0
  const report = (isWrong: boolean) => {
    if (!isWrong) return
    setFaults(faultsIn(form.current))
    alert.current?.focus()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: of each failure once
  useEffect(() => report(failure !== undefined), [failure])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that something is empty
  useEffect(() => report(isBlank), [blanks])
  useTitleOfFault(failure !== undefined || isBlank)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const found = blanksIn(event.currentTarget)
    setBlanks(found)
    if (found.size === 0) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form ref={form} aria-label={name} onSubmit={submit} onKeyDown={sendByKeys} noValidate>
      {(failure || isBlank) && (
        <div className="alert" ref={alert} tabIndex={-1} role="alert">
          {isBlank || failure === undefined ? t('look_at_fields') : sentenceOf(failure, fields)}
          <Faults of={faults} />
        </div>
      )}
      <Blanks.Provider value={blanks}>{children}</Blanks.Provider>
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

export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()
