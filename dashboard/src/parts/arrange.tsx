// How a reader arranges lists for themselves, kept in their browser: which columns a table has, how
// close its rows stand, and by one press whether payers' numbers are shown.

import { useState, useSyncExternalStore } from 'react'
import {
  areNumbersHidden,
  areRowsClose,
  columnsLeftOut,
  hideNumbers,
  leaveOutColumns,
  setRowsClose,
  watchChoices,
} from '../data/choices.ts'
import { Dialog } from '../ui/act.tsx'
import { Button } from '../ui/form.tsx'
import { SignIcon } from '../ui/icons.tsx'
import { useIsWide } from '../ui/state.tsx'
import { type Key, t } from '../words/translate.ts'

export const useRowsClose = (): boolean => useSyncExternalStore(watchChoices, areRowsClose)

/** The names of those that the reader does without; a list without a name has all. */
export function useLeftOut(list: string | undefined): readonly string[] {
  const read = () => (list === undefined ? '' : columnsLeftOut(list))
  return useSyncExternalStore(watchChoices, read).split(',')
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

function HideNumbers() {
  const isHidden = useSyncExternalStore(watchChoices, areNumbersHidden)
  return (
    <Button look="plain" aria-pressed={isHidden} onClick={() => hideNumbers(!isHidden)}>
      <SignIcon sign="eye" />
      {t('numbers_hide')}
    </Button>
  )
}

type ChoosingProps = Pick<ArrangeProps, 'list' | 'columns'> & Readonly<{ close: () => void }>

/** What is chosen counts at once, so that the table behind shows it. */
function Choosing({ list, columns, close }: ChoosingProps) {
  const leftOut = useLeftOut(list)
  const isClose = useRowsClose()
  const choose = (name: Key, isShown: boolean) =>
    leaveOutColumns(
      list,
      columns.filter((one) => (one === name ? !isShown : leftOut.includes(one))),
    )
  return (
    <Dialog title={t('arrange')} onClose={close}>
      <fieldset>
        <legend>{t('arrange_columns')}</legend>
        {columns.map((name) => (
          <Box
            key={name}
            name={t(name)}
            isOn={!leftOut.includes(name)}
            choose={(isShown) => choose(name, isShown)}
          />
        ))}
      </fieldset>
      <Box name={t('arrange_close')} isOn={isClose} choose={setRowsClose} />
      <p className="hint">{t('arrange_how')}</p>
      <Button onClick={close}>{t('back')}</Button>
    </Dialog>
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
