// What a list shows, as a file: the rows of the filters that the address holds, all of them, for a
// French or an English spreadsheet.

import { downloadFile } from '../data/download.ts'
import { useAct } from '../ui/act.tsx'
import { Button, Form, SelectField, textIn } from '../ui/form.tsx'
import { Below } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

/** French spreadsheets want semicolons and a decimal comma, which `locale` says. */
export const LocaleField = () => {
  const { language } = useHere()
  return (
    <SelectField
      label={t('file_for')}
      name="locale"
      defaultValue={language}
      options={[
        ['fr', t('file_for_fr')],
        ['en', t('file_for_en')],
      ]}
    />
  )
}

type SaveListProps = Readonly<{
  /** The list, below which it stands: it is shown with it, where there is something to save. */
  of: Readonly<{ isFetched: boolean; data?: Readonly<{ results: readonly unknown[] }> | undefined }>
  /** Of the export, below the API’s own address. */
  path: `/${string}/export/`
  /** What the list is narrowed by, without its page. */
  query: Readonly<Record<string, string | number | undefined>>
}>

export function SaveList({ of, path, query }: SaveListProps) {
  const { place } = useHere()
  const { isBusy, failure, run } = useAct()
  const save = (form: FormData) => {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    )
    const asked = new URLSearchParams([
      ...given,
      ['locale', textIn(form, 'locale')],
      ['bom', 'true'],
    ])
    return run(() => downloadFile(place, `${path}?${asked}`))
  }
  if (of.data?.results.length === 0) return null
  return (
    <Below of={of}>
      <details data-key="e">
        <summary>{t('save_list')}</summary>
        <Form name={t('save_list')} failure={failure} fields={[]} onSubmit={save}>
          <p className="mute small">{t('save_list_how')}</p>
          <LocaleField />
          <Button type="submit" look="plain" busy={isBusy}>
            {t('save_csv')}
          </Button>
        </Form>
      </details>
    </Below>
  )
}
