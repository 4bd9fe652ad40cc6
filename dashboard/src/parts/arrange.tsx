// How a reader arranges lists for themselves, kept in their browser: which columns a table has and
// in which order, how close its rows stand, and by one press whether payers' numbers are shown.

import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import {
  areNumbersHidden,
  areRowsClose,
  columnsInOrder,
  columnsLeftOut,
  hideNumbers,
  leaveOutColumns,
  putColumns,
  setRowsClose,
  watchChoices,
} from '../data/choices.ts'
import { Dialog } from '../ui/act.tsx'
import { Button } from '../ui/form.tsx'
import { SignIcon } from '../ui/icons.tsx'
import { useIsWide } from '../ui/wide.ts'
import { type Key, t } from '../words/translate.ts'

export const useRowsClose = (): boolean => useSyncExternalStore(watchChoices, areRowsClose)

/** The names of those that the reader does without; a list without a name has all. */
export function useLeftOut(list: string | undefined): readonly string[] {
  const read = () => (list === undefined ? '' : columnsLeftOut(list))
  return useSyncExternalStore(watchChoices, read).split(',')
}

/**
 * A list's columns as the reader put them. What has no place of theirs, because it came later,
 * stays behind the one that it comes after.
 */
export function useOrdered<Of extends Readonly<{ name: Key }>>(
  list: string | undefined,
  columns: readonly Of[],
): readonly Of[] {
  const read = () => (list === undefined ? '' : columnsInOrder(list))
  const order = useSyncExternalStore(watchChoices, read).split(',')
  const placed = columns.filter(({ name }) => order.includes(name))
  placed.sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
  const before = new Map(columns.map((one, nth) => [one, columns[nth - 1]]))
  for (const one of columns) {
    if (placed.includes(one)) continue
    const after = before.get(one)
    placed.splice(after === undefined ? 0 : placed.indexOf(after) + 1, 0, one)
  }
  return placed
}

type ArrangeProps = Readonly<{
  /** Under this name the choice of columns is kept. */
  list: string
  /** Those that can be left out: the first one names the row. */
  columns: readonly Key[]
  hasNumbers: boolean
}>

export function Arrange({ list, columns, hasNumbers }: ArrangeProps) {
  const isWide = useIsWide()
  const [isOpen, setIsOpen] = useState(false)
  // On a telephone a list has cards, which have no columns.
  if (!isWide && !hasNumbers) return null
  return (
    <div className="arrange">
      {hasNumbers && <HideNumbers />}
      {isWide && (
        <Button look="plain" onClick={() => setIsOpen(true)}>
          <SignIcon sign="gear" />
          {t('arrange')}
        </Button>
      )}
      {isOpen && <Choosing {...{ list, columns }} close={() => setIsOpen(false)} />}
    </div>
  )
}

/** On a telephone the sign alone, beside the line that says what is new. */
function HideNumbers() {
  const isWide = useIsWide()
  const isHidden = useSyncExternalStore(watchChoices, areNumbersHidden)
  return (
    <Button look="plain" aria-pressed={isHidden} onClick={() => hideNumbers(!isHidden)}>
      <SignIcon sign="eye" />
      <span className={isWide ? '' : 'unseen'}>{t('numbers_hide')}</span>
    </Button>
  )
}

type ChoosingProps = Pick<ArrangeProps, 'list' | 'columns'> & Readonly<{ close: () => void }>

/** What is chosen counts at once, so that the table behind shows it. */
function Choosing({ list, columns, close }: ChoosingProps) {
  const isClose = useRowsClose()
  return (
    <Dialog title={t('arrange')} onClose={close}>
      <fieldset>
        <legend>{t('arrange_columns')}</legend>
        <Columns {...{ list, columns }} />
      </fieldset>
      <Box name={t('arrange_close')} isOn={isClose} choose={setRowsClose} />
      <p className="hint">{t('arrange_how')}</p>
      <Button onClick={close}>{t('back')}</Button>
    </Dialog>
  )
}

const steps = ['earlier', 'later'] as const
type Step = (typeof steps)[number]

function Columns({ list, columns }: Omit<ChoosingProps, 'close'>) {
  const leftOut = useLeftOut(list)
  const choose = (name: Key, isShown: boolean) =>
    leaveOutColumns(
      list,
      columns.filter((one) => (one === name ? !isShown : leftOut.includes(one))),
    )
  const moved = useRef<Readonly<{ name: Key; step: Step }>>(undefined)
  const rows = useRef<HTMLUListElement>(null)
  // A row that changed its place lost the focus: whoever goes by keys is still at it.
  useLayoutEffect(() => {
    if (moved.current === undefined) return
    const { name, step } = moved.current
    const row = rows.current?.children[columns.indexOf(name)]
    const wanted = row?.querySelector<HTMLElement>(`[data-step=${step}]:not(:disabled)`)
    const other = row?.querySelector<HTMLElement>('[data-step]:not(:disabled)')
    ;(wanted ?? other)?.focus()
    moved.current = undefined
  }, [columns])
  const move = (name: Key, step: Step) => {
    const at = columns.indexOf(name)
    const others = columns.filter((one) => one !== name)
    others.splice(step === 'earlier' ? at - 1 : at + 1, 0, name)
    moved.current = { name, step }
    putColumns(list, others)
  }
  const ends = { earlier: columns[0], later: columns.at(-1) }
  return (
    <ul className="arranged" ref={rows}>
      {columns.map((name) => (
        <li key={name}>
          <Box
            name={t(name)}
            isOn={!leftOut.includes(name)}
            choose={(isShown) => choose(name, isShown)}
          />
          {steps.map((step) => (
            <button
              key={step}
              type="button"
              className="plain"
              data-step={step}
              aria-label={t(`arrange_${step}`, { column: t(name) })}
              disabled={ends[step] === name}
              onClick={() => move(name, step)}
            >
              <SignIcon sign={step} />
            </button>
          ))}
        </li>
      ))}
    </ul>
  )
}

type BoxProps = Readonly<{ name: string; isOn: boolean; choose: (isOn: boolean) => void }>

const Box = ({ name, isOn, choose }: BoxProps) => (
  <label className="choice">
    <input
      type="checkbox"
      checked={isOn}
      onChange={({ currentTarget: { checked } }) => choose(checked)}
    />
    {name}
  </label>
)
