// Filters of a list, as a form whose choices the address holds: what is shown can be sent to a
// colleague, and the way back leads through it. Below it a chip for each that is on.

import { type ReactNode, useState } from 'react'
import { daysBefore, edgeOfDay, monthBefore } from '../format/moment.ts'
import { Button, SelectField, sendByKeys, TextField, textIn } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { Chips } from './chips.tsx'
import { isDay, isPageNumber } from './filter-values.ts'
import { useHere } from './place.tsx'

type Choice = readonly (readonly [value: string, name: string])[]

/** A list of choices begins with none of them, which is `any`. */
export type FilterField<Name extends string> = Readonly<{
  name: Name
  label: string
  any?: string
  /**
   * `given`: it comes with an address, has no field and is kept by the others; its label is what is
   * said of it. A function draws a field of its own.
   */
  is: 'search' | 'day' | 'given' | Choice | ((chosen: string) => ReactNode)
  /** What its chip calls what is chosen, where the choices stand elsewhere. */
  chosen?: string
}>

type NarrowProps<Name extends string> = Readonly<{
  /** One for each filter that the address may hold. */
  fields: readonly FilterField<Name>[]
  filters: Readonly<Partial<Record<Name, string>>>
  set: (next: Partial<Record<Name, string | undefined>>) => void
}>

/** Drawn anew for other filters: a form remembers what it was begun with. */
export function Narrow<Name extends string>(props: NarrowProps<Name>) {
  const { fields, filters, set } = props
  const remove = (gone: string) => {
    const next: Partial<Record<Name, string | undefined>> = { ...filters }
    for (const { name } of fields) if (name === gone) next[name] = undefined
    set(next)
  }
  const textOf = (name: string, value: string) =>
    chipOf(
      fields.find((one) => one.name === name),
      value,
    )
  return (
    <>
      <NarrowForm key={JSON.stringify(filters)} {...props} />
      <Chips of={filters} textOf={textOf} onRemove={remove} onClear={() => set({})} />
    </>
  )
}

/** What a choice is called that is none of those offered: as the address has it. */
function chipOf(field: FilterField<string> | undefined, value: string): string {
  if (field === undefined) return value
  const { label, is, chosen } = field
  if (is === 'given') return label
  const known = typeof is === 'object' ? is.find(([one]) => one === value)?.[1] : chosen
  return `${label}${t('colon')} ${known ?? value}`
}

/** A field shows what is chosen once its choices are there; the others, and the fold, stay. */
const keyOf = ({ name, is }: FilterField<string>): string =>
  typeof is === 'object' ? `${name} ${is.length}` : name

function NarrowForm<Name extends string>({ fields, filters, set }: NarrowProps<Name>) {
  // What has no field is said by its chip alone.
  const isNarrowed = fields.some(({ name, is }) => is !== 'given' && Boolean(filters[name]))
  const [isDrawn, setIsDrawn] = useState(isNarrowed)
  return (
    <search>
      <form
        className="filters"
        onKeyDown={sendByKeys}
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const next: Partial<Record<Name, string | undefined>> = { ...filters }
          for (const { name, is } of fields) {
            if (is !== 'given') next[name] = textIn(form, name) || undefined
          }
          set(next)
        }}
      >
        <details
          open={isNarrowed}
          onToggle={({ currentTarget: { open } }) => open && setIsDrawn(true)}
        >
          <summary>{t('narrow')}</summary>
          {isDrawn && (
            <div className="filter-row">
              {fields.map((field) => (
                <OneField key={keyOf(field)} of={field} chosen={filters[field.name] ?? ''} />
              ))}
            </div>
          )}
          {fields.some(({ name }) => name === 'from') && <Periods />}
          <div className="pager">
            <Button type="submit" look="plain">
              {t('show')}
            </Button>
          </div>
        </details>
      </form>
    </search>
  )
}

function OneField({ of, chosen }: { of: FilterField<string>; chosen: string }) {
  const { name, label, is, any = t('any_status') } = of
  if (is === 'given') return null
  if (typeof is === 'function') return is(chosen)
  if (is === 'day') return <TextField label={label} type="date" name={name} defaultValue={chosen} />
  if (is === 'search') {
    const search = { type: 'search', maxLength: 100, defaultValue: chosen }
    return <TextField label={label} name={name} {...search} />
  }
  const options = [['', any] as const, ...is]
  return <SelectField label={label} name={name} defaultValue={chosen} options={options} />
}

/**
 * The days that are wanted most, by one press, which sends the form with whatever is in it; of a
 * file it fills in the days alone.
 */
export function Periods({ isSent = true }: Readonly<{ isSent?: boolean }>) {
  const { today } = useHere()
  const now = today()
  const yesterday = daysBefore(now, 1)
  const periods = [
    ['period_today', { from: now, to: now }],
    ['period_yesterday', { from: yesterday, to: yesterday }],
    ['period_week', { from: daysBefore(now, 6), to: now }],
    ['period_month', monthBefore(now)],
  ] as const
  const send = (form: HTMLFormElement | null, period: Readonly<Record<'from' | 'to', string>>) => {
    for (const name of ['from', 'to'] as const) {
      const field = form?.querySelector<HTMLInputElement>(`input[name=${name}]`)
      if (field) field.value = period[name]
    }
    if (isSent) form?.querySelector<HTMLButtonElement>('button[type=submit]')?.click()
  }
  return (
    <ul className="chips">
      {periods.map(([name, period]) => (
        <li key={name}>
          <button type="button" onClick={({ currentTarget }) => send(currentTarget.form, period)}>
            {t(name)}
          </button>
        </li>
      ))}
    </ul>
  )
}

export const periodFields = (): FilterField<'from' | 'to'>[] => [
  { name: 'from', label: t('from'), is: 'day' },
  { name: 'to', label: t('until'), is: 'day' },
]

/** What the filters leave of a list, in words: those that are on, by their fields. */
export const narrowedTo = <Name extends string>(
  fields: readonly FilterField<Name>[],
  filters: Readonly<Partial<Record<Name, string>>>,
): string[] =>
  fields.flatMap((field) => {
    const value = filters[field.name] ?? ''
    return value === '' ? [] : [chipOf(field, value)]
  })

/** The bounds that these days have by the merchant’s clocks; what is no day is none. */
export const boundsOf = (
  { from = '', to = '' }: Readonly<{ from?: string; to?: string }>,
  zone: string,
): Readonly<{ created_at__gte?: string; created_at__lte?: string }> => ({
  ...(isDay(from) && { created_at__gte: edgeOfDay(from, 'begins', zone) }),
  ...(isDay(to) && { created_at__lte: edgeOfDay(to, 'ends', zone) }),
})

/** The number of the page that the address names; the first where it names none. */
export const pageNumber = (page = ''): number => (isPageNumber(page) ? Number(page) : 1)
