// What a link asks its payer besides the money: each question with the kind of its answer; and the
// questions of a form as the API writes them.

import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { PaymentLink } from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { Button, errorAt, Field, SelectField, TextField, useFault } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import '../../ui/area.css'

type Question = PaymentLink['custom_fields'][number]

export const kinds = ['TEXT', 'NUMBER', 'EMAIL', 'PHONE', 'SELECT'] as const

/** As the API bounds them. */
const most = { questions: 10, choices: 50 } as const

const upTo = (count: number) => Array.from({ length: count }, (_, at) => String(at))

/** Whatever the API may name of them in a refusal. */
export const questionFields: readonly string[] = [
  'custom_fields',
  ...upTo(most.questions).flatMap((at) => [
    ...['name', 'label', 'type', 'required', 'options'].map((part) => fieldOf(at, part)),
    ...upTo(most.choices).map((choice) => fieldOf(at, `options.${choice}`)),
  ]),
]

function fieldOf(at: string | number, part: string): string {
  return `custom_fields.${at}.${part}`
}

/** A letter first, then letters, digits and _: what is made of a question that nobody named. */
const nameFrom = (label: string): string =>
  label
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .toLowerCase()
    .slice(0, 40) || 'question'

/** The name, or with a number the first that is not taken. */
function free(name: string, taken: readonly string[], nth = 2): string {
  if (!taken.includes(name)) return name
  const next = `${name.replace(/_\d+$/, '')}_${nth}`
  return taken.includes(next) ? free(name, taken, nth + 1) : next
}

const linesIn = (text: string): string[] => {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter(Boolean))]
}

/** In the order of the page, whatever the slots are called. */
export function questionsIn(form: FormData): Question[] {
  const labels = [...form.keys()].filter((key) => /^custom_fields\.\d+\.label$/.test(key))
  const slots = labels.map((key) => key.split('.')[1] ?? '')
  const valueAt = (slot: string, part: string) => String(form.get(fieldOf(slot, part)) ?? '').trim()
  const taken = slots.map((slot) => valueAt(slot, 'name')).filter(Boolean)
  return slots.map((slot) => {
    const label = valueAt(slot, 'label')
    const name = valueAt(slot, 'name') || free(nameFrom(label), taken)
    taken.push(name)
    const type = kinds.find((kind) => kind === valueAt(slot, 'type')) ?? 'TEXT'
    const required = form.has(fieldOf(slot, 'required'))
    const options = type === 'SELECT' ? linesIn(valueAt(slot, 'options')) : []
    return { name, label, type, required, options }
  })
}

/** A list to choose from that is empty, by its field. */
export const faultsOf = (questions: readonly Question[]): Record<string, string[]> =>
  Object.fromEntries(
    questions.flatMap(({ type, options }, at) =>
      type === 'SELECT' && options.length === 0
        ? [[fieldOf(at, 'options'), [t('question_choices_none')]]]
        : [],
    ),
  )

type Slot = Readonly<{ id: number; of?: Question }>

type QuestionsProps = Readonly<{ of: readonly Question[]; failure: Failure | undefined }>

/**
 * A question keeps its slot, whatever is taken away above it; a refusal counts as they were when it
 * came.
 */
export function Questions({ of, failure }: QuestionsProps) {
  const [slots, setSlots] = useState<readonly Slot[]>(() => of.map((one, id) => ({ id, of: one })))
  const [refused, setRefused] = useState({ failure, slots })
  if (refused.failure !== failure) setRefused({ failure, slots })
  const adder = useRef<HTMLButtonElement>(null)
  const next = useRef(of.length)
  const add = () => {
    const id = next.current
    next.current += 1
    setSlots([...slots, { id }])
  }
  const remove = (slot: Slot) => {
    setSlots(slots.filter((one) => one !== slot))
    adder.current?.focus()
  }
  const error = errorAt(failure, 'custom_fields')
  return (
    <fieldset aria-describedby="questions-how">
      <legend>{t('link_questions')}</legend>
      <p className="hint" id="questions-how">
        {t('link_questions_how')}
      </p>
      {error && <p className="wrong">{error}</p>}
      {slots.map((slot, at) => (
        <Fields
          key={slot.id}
          slot={slot}
          nth={at + 1}
          errorOf={(part) => errorsAt(failure, fieldOf(refused.slots.indexOf(slot), part))}
          onRemove={() => remove(slot)}
        />
      ))}
      <Adder ref={adder} isFull={slots.length >= most.questions} add={add} />
    </fieldset>
  )
}

type AdderProps = Readonly<{
  ref: RefObject<HTMLButtonElement | null>
  isFull: boolean
  add: () => void
}>

/** It stays where it is, so that whoever took one away still stands somewhere. */
const Adder = ({ ref, isFull, add }: AdderProps) => (
  <p>
    <Button
      ref={ref}
      look="plain"
      aria-disabled={isFull || undefined}
      onClick={() => isFull || add()}
    >
      {t('question_add')}
    </Button>
    <span className="mute small line" role="status">
      {isFull && t('question_full')}
    </span>
  </p>
)

/** What is wrong with a field, or with a line of it. */
const errorsAt = (failure: Failure | undefined, field: string): string | undefined =>
  failure?.is === 'fields'
    ? Object.entries(failure.fields)
        .filter(([name]) => name === field || name.startsWith(`${field}.`))
        .flatMap(([, texts]) => texts)
        .join(' ') || undefined
    : undefined

type OneProps = Readonly<{
  slot: Slot
  nth: number
  errorOf: (part: string) => string | undefined
  onRemove: () => void
}>

function Fields({ slot: { id, of }, nth, errorOf, onRemove }: OneProps) {
  const [type, setType] = useState<string>(of?.type ?? 'TEXT')
  const first = useRef<HTMLInputElement>(null)
  // Whoever adds one writes it next; those that were there leave the reader where they are.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as it is added
  useLayoutEffect(() => {
    if (of === undefined) first.current?.focus()
  }, [])
  return (
    <fieldset className="question">
      <legend>{t('question', { nth })}</legend>
      <TextField
        ref={first}
        label={t('question_text')}
        error={errorOf('label')}
        name={fieldOf(id, 'label')}
        maxLength={100}
        autoComplete="off"
        defaultValue={of?.label}
        required
      />
      <SelectField
        label={t('question_kind')}
        error={errorOf('type')}
        name={fieldOf(id, 'type')}
        value={type}
        onChange={({ currentTarget: { value } }) => setType(value)}
        options={kinds.map((kind) => [kind, t(`question_kind_${kind}`)])}
      />
      {type === 'SELECT' && (
        <Choices name={fieldOf(id, 'options')} of={of?.options ?? []} error={errorOf('options')} />
      )}
      <label className="choice">
        <input type="checkbox" name={fieldOf(id, 'required')} defaultChecked={of?.required} />
        {t('question_must')}
      </label>
      <TextField
        label={t('question_name')}
        hint={t('question_name_hint')}
        error={errorOf('name')}
        name={fieldOf(id, 'name')}
        maxLength={50}
        {...asWritten}
        defaultValue={of?.name}
      />
      <Button look="plain" onClick={onRemove}>
        {t('question_remove', { nth })}
      </Button>
    </fieldset>
  )
}

const asWritten = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const

type ChoicesProps = Readonly<{ name: string; of: readonly string[]; error: string | undefined }>

const Choices = ({ name, of, error }: ChoicesProps) => (
  <Field label={t('question_choices')} error={useFault(name, error)}>
    {({ id, describedBy, isWrong }) => (
      <textarea
        id={id}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        name={name}
        rows={4}
        defaultValue={of.join('\n')}
      />
    )}
  </Field>
)
