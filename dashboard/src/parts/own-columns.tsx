// The columns of a file, to be ticked: each in words, and by the name that the file has it under.
// At first those are ticked that a file without a choice has.

import { useState } from 'react'
import { Button } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import {
  type ColumnName,
  type ExportPath,
  fileColumns,
  moreOfTransactions,
} from './file-columns.ts'

export default function OwnColumns({ path }: { path: ExportPath }) {
  const main: readonly ColumnName[] = fileColumns[path]
  const names = path === '/transactions/export/' ? [...main, ...moreOfTransactions] : main
  const [ticked, setTicked] = useState(main)
  const tick = (name: ColumnName, isOn: boolean) =>
    setTicked((now) => (isOn ? [...now, name] : now.filter((one) => one !== name)))
  return (
    <fieldset>
      <legend>{t('columns_which')}</legend>
      <p className="hint">{t('columns_how')}</p>
      <p>
        <Button look="plain" onClick={() => setTicked([])}>
          {t('columns_clear')}
        </Button>
      </p>
      <div className="choices">
        {names.map((name) => (
          <label key={name} className="choice">
            <input
              type="checkbox"
              name="columns"
              value={name}
              checked={ticked.includes(name)}
              onChange={({ currentTarget: { checked } }) => tick(name, checked)}
            />
            <span>
              {t(`column_${name}`)} <code className="mute small line">{name}</code>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
