// The accounts that the journal is written to, by SYSCOHADA's numbers until the shop's accountant
// wants others, and whose each line is. What is left empty is as it is by default.

import type {
  JournalAccounts as Accounts,
  GetReportsJournalAccountsData,
  GetReportsJournalAccountsResponse,
  PutReportsJournalAccountsData,
  PutReportsJournalAccountsResponse,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { Offer } from '../../parts/act.tsx'
import { useHere } from '../../parts/place.tsx'
import { Facts } from '../../ui/facts.tsx'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const url = '/reports/journal/accounts/'

const lines = [
  ...(['balance', 'reserved', 'frozen', 'debt', 'sales', 'fees', 'payouts'] as const),
  ...(['settlements', 'own_funds', 'transfers', 'incidents'] as const),
] as const

type Line = (typeof lines)[number]

/** `4111 · CDIVERS` */
const numberAndWhose = (accounts: Accounts, line: Line): string =>
  [accounts[line], accounts.third_parties[line]].filter(Boolean).join(' · ')

/** What a form has under these names; what is left empty is not sent. */
const given = (form: FormData, before = ''): Partial<Record<Line, string>> =>
  Object.fromEntries(
    lines
      .map((line) => [line, textIn(form, `${before}${line}`)] as const)
      .filter(([, text]) => text !== ''),
  )

const whoseFields = lines.map((line) => `third_parties.${line}` as const)

export function JournalAccounts() {
  const { place } = useHere()
  const reading = useRead<GetReportsJournalAccountsData, GetReportsJournalAccountsResponse>(place, {
    url,
  })
  return (
    <section>
      <h2>{t('journal_accounts')}</h2>
      <p>{t('journal_accounts_how')}</p>
      <Read of={reading}>
        {(accounts) => (
          <>
            <Facts of={lines.map((line) => [t(`line_${line}`), numberAndWhose(accounts, line)])} />
            <Change of={accounts} />
          </>
        )}
      </Read>
    </section>
  )
}

function Change({ of }: { of: Accounts }) {
  const { place, whyNot } = useHere()
  const change = async (form: FormData) => {
    await call<PutReportsJournalAccountsData, PutReportsJournalAccountsResponse>({
      ...{ method: 'PUT', url, place },
      body: { ...given(form), third_parties: given(form, 'third_parties.') },
    })
    await readAgain(url)
  }
  return (
    <Offer
      name={t('journal_accounts_change')}
      title={t('journal_accounts_change')}
      act={t('save')}
      whyNot={whyNot('settings')}
      fields={[...lines, ...whoseFields]}
      doing={change}
    >
      {(failure) => (
        <>
          <p>{t('journal_accounts_empty')}</p>
          {lines.map((line) => (
            <TextField
              key={line}
              label={t(`line_${line}`)}
              error={errorAt(failure, line)}
              name={line}
              inputMode="numeric"
              autoComplete="off"
              maxLength={10}
              defaultValue={of[line]}
            />
          ))}
          <ThirdParties of={of} failure={failure} />
        </>
      )}
    </Offer>
  )
}

/** Folded away: few books need any. What is wrong in it opens it. */
function ThirdParties({ of, failure }: Readonly<{ of: Accounts; failure: Failure | undefined }>) {
  const isWrong = whoseFields.some((name) => errorAt(failure, name) !== undefined)
  const isSet = Object.keys(of.third_parties).length > 0
  return (
    <details open={isWrong || isSet}>
      <summary>{t('third_parties')}</summary>
      <p className="hint">{t('third_parties_how')}</p>
      {lines.map((line) => (
        <TextField
          key={line}
          label={t('third_party_of', { line: t(`line_${line}`) })}
          error={errorAt(failure, `third_parties.${line}`)}
          name={`third_parties.${line}`}
          autoComplete="off"
          maxLength={17}
          defaultValue={of.third_parties[line]}
        />
      ))}
    </details>
  )
}
