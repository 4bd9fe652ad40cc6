// What a list shows, as a file: the rows of the filters that the address holds, all of them, or
// those that are ticked and no others, for a French or an English spreadsheet. It says which rows,
// and by whose clocks.

import { Suspense, useState } from 'react'
import { CallFailed, type Failure, type Place } from '../data/call.ts'
import { downloadFile } from '../data/download.ts'
import { today } from '../format/moment.ts'
import { placeOf } from '../format/zone.ts'
import { useAct } from '../ui/act.tsx'
import { Button, errorAt, Form, SelectField, textIn } from '../ui/form.tsx'
import { Below, Guarded, Loading } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import type { ExportPath } from './file-columns.ts'
import { useFileLabel } from './file-label.ts'
import { part } from './part.ts'
import { useHere } from './place.tsx'

type LocaleProps = Readonly<{ onChange?: (locale: string) => void }>

/** French spreadsheets want semicolons and a decimal comma, which `locale` says. */
export const LocaleField = ({ onChange }: LocaleProps) => {
  const { language } = useHere()
  return (
    <SelectField
      label={t('file_for')}
      name="locale"
      defaultValue={language}
      onChange={({ currentTarget: { value } }) => onChange?.(value)}
      options={[
        ['fr', t('file_for_fr')],
        ['en', t('file_for_en')],
      ]}
    />
  )
}

const OwnColumns = part(() => import('./own-columns.tsx'), ['columns'])

type ColumnsProps = Readonly<{ path: ExportPath; failure: Failure | undefined }>

/** All columns, of transactions the main ones too, or those that the reader ticks. */
export function ColumnsField({ path, failure }: ColumnsProps) {
  const [choice, setChoice] = useState('')
  const hasMore = path === '/transactions/export/'
  return (
    <>
      <SelectField
        label={t('columns')}
        name="columns"
        error={errorAt(failure, 'columns')}
        onChange={({ currentTarget: { value } }) => setChoice(value)}
        options={[
          ...(hasMore ? [['default', t('columns_default')] as const] : []),
          ['all', t('columns_all')],
          ['own', t('columns_own')],
        ]}
      />
      {choice === 'own' && (
        <Guarded at={path}>
          <Suspense fallback={<Loading />}>
            <OwnColumns path={path} />
          </Suspense>
        </Guarded>
      )}
    </>
  )
}

/** What is asked for: the word that was chosen, or in its place the names that are ticked. */
export function columnsIn(form: FormData): string {
  const [choice = '', ...ticked] = form.getAll('columns')
  return choice === 'own' ? ticked.join(',') : String(choice)
}

/** What is wrong with a form, by its fields. */
export type Faults = Readonly<Record<string, readonly string[]>>

/** None ticked would be read as no choice. */
export const columnFaults = (form: FormData): Faults =>
  columnsIn(form) === '' ? { columns: [t('columns_none')] } : {}

/** Saves the file, or says at its fields why it would be none. */
export function saveFile(place: Place, path: string, faults: Faults): Promise<void> {
  if (Object.keys(faults).length === 0) return downloadFile(place, path)
  return Promise.reject(new CallFailed({ is: 'fields', fields: faults }))
}

type Shown = Readonly<{
  results: readonly unknown[]
  next?: string | null
  previous?: string | null
}>

const isEmpty = ({ results, next = null, previous = null }: Shown): boolean =>
  results.length === 0 && next === null && previous === null

type SaveListProps = Readonly<{
  /** The list, below which it stands: it is shown with it, where there is something to save. */
  of: Readonly<{ isFetched: boolean; data?: Shown | undefined }>
  /** Of the export, below the API’s own address. */
  path: ExportPath
  /** What the list is narrowed by, without its page. */
  query: Readonly<Record<string, string | number | undefined>>
  /** The same in words; none: it has all rows. */
  only: readonly string[]
  /** Where its rows can be ticked: the file has those alone, once there are any. */
  ticks?: Ticked
}>

/** Of a page of a list. */
export type Ticked = Readonly<{
  ids: readonly string[]
  /** On a telephone they are there once somebody asks for them. */
  areShown: boolean
  /** What all rows of the list are, which the file’s name says. */
  of: Readonly<Record<string, string>>
  show: () => void
  clear: () => void
}>

export function SaveList({ of, path, query, only, ticks }: SaveListProps) {
  const { place, language, clock } = useHere()
  const { isBusy, failure, run } = useAct()
  const labelOf = useFileLabel()
  const [locale, setLocale] = useState<string>(language)
  const count = ticks?.ids.length ?? 0
  const name = count > 0 ? t('save_ticked', { count }) : t('save_list')
  const save = (form: FormData) => {
    const given = Object.entries(
      count > 0 ? { ...ticks?.of, id: String(ticks?.ids) } : query,
    ).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    )
    const asked = new URLSearchParams([
      ...given,
      ['columns', columnsIn(form)],
      ['locale', textIn(form, 'locale')],
      ['bom', 'true'],
      ['file_label', labelOf({ ...rowsIn(query, clock.zone), isOfBoth: path === ofBothModes })],
    ])
    return run(() => saveFile(place, `${path}?${asked}`, columnFaults(form)))
  }
  if (of.data && isEmpty(of.data)) return null
  return (
    <Below of={of}>
      <details data-key="e">
        <summary>{name}</summary>
        <Form name={name} failure={failure} fields={['columns']} onSubmit={save}>
          {count === 0 && (
            <>
              <p className="mute small">{t('save_list_how')}</p>
              <p className="small">
                {only.length === 0 ? (
                  t('save_list_all')
                ) : (
                  <bdi>{t('save_list_only', { what: only.join(' · ') })}</bdi>
                )}
              </p>
            </>
          )}
          {ticks && <OfTicked {...ticks} />}
          <ColumnsField path={path} failure={failure} />
          <LocaleField onChange={setLocale} />
          <p className="mute small" role="status">
            {locale === 'fr'
              ? t('file_times', { zone: placeOf(clock.zone, clock.language) })
              : t('file_times_utc')}
          </p>
          <Button type="submit" look="plain" busy={isBusy}>
            {t('save_csv')}
          </Button>
        </Form>
      </details>
    </Below>
  )
}

/** The audit log is of a merchant, whatever the mode. */
const ofBothModes = '/audit-logs/export/'

/** The days that its bounds begin and end, and the one country. */
function rowsIn(query: SaveListProps['query'], zone: string) {
  const day = (name: string) => {
    const bound = query[name]
    return typeof bound === 'string' && bound !== '' ? today(zone, new Date(bound)) : undefined
  }
  const { country } = query
  return {
    ...{ from: day('created_at__gte'), to: day('created_at__lte') },
    country: typeof country === 'string' ? country.toLowerCase() : undefined,
  }
}

/** How many they are, and how the file has them all again; none: that some can be ticked. */
const OfTicked = ({ ids, areShown, show, clear }: Ticked) =>
  ids.length > 0 ? (
    <>
      <p className="small">{t('save_ticked_how', { count: ids.length })}</p>
      <p>
        <Button
          look="plain"
          onClick={({ currentTarget }) => {
            // It goes with what it takes back: whoever pressed it still stands somewhere.
            currentTarget.closest('details')?.querySelector('summary')?.focus()
            clear()
          }}
        >
          {t('tick_none')}
        </Button>
      </p>
    </>
  ) : (
    <>
      <p className="mute small">{t('tick_how')}</p>
      {!areShown && (
        <p>
          <Button look="plain" onClick={show}>
            {t('tick_begin')}
          </Button>
        </p>
      )}
    </>
  )
