// Files for the books: the journal of a period, the transactions of one and the refunds, as the
// server writes them, by a ticket that opens each once.

import type { GetCountriesData, GetCountriesResponse } from '../../api/types.gen.ts'
import type { Failure } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { byName, countryName } from '../../format/country.ts'
import { monthBefore } from '../../format/moment.ts'
import { placeOf } from '../../format/zone.ts'
import { useFileLabel } from '../../parts/file-label.ts'
import { boundsOf, Periods } from '../../parts/narrow.tsx'
import { useHere } from '../../parts/place.tsx'
import {
  ColumnsField,
  columnFaults,
  columnsIn,
  type Faults,
  LocaleField,
  saveFile,
} from '../../parts/save-list.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { languageNow, t } from '../../words/translate.ts'
import { JournalAccounts } from './journal-accounts.tsx'
import { ReportTabs } from './report-tabs.tsx'

export default function Files() {
  const { clock } = useHere()
  return (
    <Page title={t('reports')}>
      <ReportTabs />
      <p className="mute small">{t('files_zone', { zone: placeOf(clock.zone, clock.language) })}</p>
      <div className="columns">
        <Journal />
        <Transactions />
        <Refunds />
        <JournalAccounts />
      </div>
    </Page>
  )
}

type Period = Readonly<{ from: string; to: string }>

const PeriodFields = ({ of, failure }: Readonly<{ of: Period; failure: Failure | undefined }>) => (
  <>
    <div className="filter-row">
      {(['from', 'to'] as const).map((name) => (
        <TextField
          key={name}
          label={t(name === 'from' ? 'from' : 'until')}
          error={errorAt(failure, name)}
          type="date"
          name={name}
          defaultValue={of[name]}
          required
        />
      ))}
    </div>
    <Periods isSent={false} />
  </>
)

/** Spreadsheets by language; the labels of programs for books are the reader's. */
const readBy = (program: string): Record<string, string> =>
  program === 'odoo' || program === 'sage'
    ? { format: program, locale: languageNow() }
    : { locale: program, bom: 'true' }

const ProgramField = () => {
  const { language } = useHere()
  return (
    <SelectField
      label={t('file_program')}
      name="program"
      defaultValue={language}
      options={[
        ['fr', t('file_program_fr')],
        ['en', t('file_program_en')],
        ['odoo', 'Odoo'],
        ['sage', 'Sage 100'],
      ]}
    />
  )
}

const CountryField = () => {
  const { place, language } = useHere()
  const { data: countries = [] } = useRead<GetCountriesData, GetCountriesResponse>(place, {
    url: '/countries/',
  })
  const codes = countries.map(({ iso_code }) => iso_code)
  return (
    <SelectField
      label={t('country')}
      hint={t('journal_country_hint')}
      name="country"
      options={[
        ['', t('journal_country_all')],
        ...byName(codes, language).map((code) => [code, countryName(code, language)] as const),
      ]}
    />
  )
}

/** A file is opened by its address, where nothing is at its field: what is wrong is said before. */
const faultsOf = ({ from, to }: Period, now: string): Faults => ({
  ...(from === '' && { from: [t('day_missing')] }),
  ...(from > now && { from: [t('day_to_come')] }),
  ...(to === '' && { to: [t('day_missing')] }),
  ...(to !== '' && to < from && { to: [t('day_before_from')] }),
})

const codeFaults = (code: string): Faults =>
  /^[A-Za-z0-9]{0,6}$/.test(code) ? {} : { journal: [t('journal_code_wrong')] }

/** A field that is empty, or holds half a date, has no day. */
const isWhole = ({ from, to }: Period): boolean => from !== '' && to !== ''

const periodIn = (form: FormData): Period => ({
  ...{ from: textIn(form, 'from'), to: textIn(form, 'to') },
})

const GroupingField = () => (
  <SelectField
    label={t('journal_grouping')}
    name="grouping"
    options={[
      ['piece', t('journal_by_piece')],
      ['day', t('journal_by_day')],
    ]}
  />
)

const fields = ['from', 'to', 'journal', 'columns']

function Journal() {
  const { place, today } = useHere()
  const labelOf = useFileLabel()
  const { isBusy, failure, run } = useAct()
  const save = (form: FormData) => {
    const [country, code] = [textIn(form, 'country'), textIn(form, 'journal')]
    const period = periodIn(form)
    const faults = { ...faultsOf(period, today()), ...codeFaults(code) }
    const query = new URLSearchParams({
      ...{ ...period, grouping: textIn(form, 'grouping') },
      ...readBy(textIn(form, 'program')),
      ...(country !== '' && { country }),
      ...(code !== '' && { journal: code }),
      file_label: labelOf({ ...period, country }),
    })
    return run(() => saveFile(place, `/reports/journal/?${query}`, faults))
  }
  return (
    <section>
      <h2>{t('journal')}</h2>
      <p>{t('journal_how')}</p>
      <Form name={t('journal')} failure={failure} fields={fields} onSubmit={save}>
        <PeriodFields of={monthBefore(today())} failure={failure} />
        <GroupingField />
        <ProgramField />
        <CountryField />
        <TextField
          label={t('journal_code')}
          hint={t('journal_code_hint')}
          error={errorAt(failure, 'journal')}
          name="journal"
          maxLength={6}
        />
        <Button type="submit" busy={isBusy}>
          {t('save_csv')}
        </Button>
      </Form>
    </section>
  )
}

const statuses = ['SUCCESS', 'PENDING', 'FAILED'] as const
const refundStatuses = [...statuses, 'CANCELLED'] as const

const StatusField = ({ of }: { of: readonly (typeof refundStatuses)[number][] }) => (
  <SelectField
    label={t('status')}
    name="status"
    options={[['', t('any_status')], ...of.map((one) => [one, t(`filter_${one}`)] as const)]}
  />
)

function Transactions() {
  const { place, clock, today } = useHere()
  const labelOf = useFileLabel()
  const { isBusy, failure, run } = useAct()
  const save = (form: FormData) => {
    const { from, to } = periodIn(form)
    const faults = { ...faultsOf({ from, to }, today()), ...columnFaults(form) }
    const status = textIn(form, 'status')
    const query = new URLSearchParams({
      ...(isWhole({ from, to }) && boundsOf({ from, to }, clock.zone)),
      ...(status !== '' && { status }),
      ...{ columns: columnsIn(form), locale: textIn(form, 'locale'), bom: 'true' },
      file_label: labelOf({ from, to }),
    })
    return run(() => saveFile(place, `/transactions/export/?${query}`, faults))
  }
  return (
    <section>
      <h2>{t('export')}</h2>
      <p>{t('export_how')}</p>
      <Form name={t('export')} failure={failure} fields={fields} onSubmit={save}>
        <PeriodFields of={monthBefore(today())} failure={failure} />
        <StatusField of={statuses} />
        <ColumnsField path="/transactions/export/" failure={failure} />
        <LocaleField />
        <Button type="submit" busy={isBusy}>
          {t('save_csv')}
        </Button>
      </Form>
    </section>
  )
}

function Refunds() {
  const { place, clock, today } = useHere()
  const labelOf = useFileLabel()
  const { isBusy, failure, run } = useAct()
  const save = (form: FormData) => {
    const { from, to } = periodIn(form)
    const faults = { ...faultsOf({ from, to }, today()), ...columnFaults(form) }
    const status = textIn(form, 'status')
    const query = new URLSearchParams({
      ...(isWhole({ from, to }) && boundsOf({ from, to }, clock.zone)),
      ...(status !== '' && { status }),
      ...{ columns: columnsIn(form), locale: textIn(form, 'locale'), bom: 'true' },
      file_label: labelOf({ from, to }),
    })
    return run(() => saveFile(place, `/refunds/export/?${query}`, faults))
  }
  return (
    <section>
      <h2>{t('refunds')}</h2>
      <p>{t('refunds_file_how')}</p>
      <Form name={t('refunds')} failure={failure} fields={fields} onSubmit={save}>
        <PeriodFields of={monthBefore(today())} failure={failure} />
        <StatusField of={refundStatuses} />
        <ColumnsField path="/refunds/export/" failure={failure} />
        <LocaleField />
        <Button type="submit" busy={isBusy}>
          {t('save_csv')}
        </Button>
      </Form>
    </section>
  )
}
