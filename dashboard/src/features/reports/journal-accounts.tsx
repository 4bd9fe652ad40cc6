// The accounts that the journal is written to, by SYSCOHADA's numbers until the shop's accountant
// wants others. What is left empty is as it is by default.

import type {
  JournalAccounts as Accounts,
  GetReportsJournalAccountsData,
  GetReportsJournalAccountsResponse,
  PutReportsJournalAccountsData,
  PutReportsJournalAccountsResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
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
            <Facts of={lines.map((line) => [t(`line_${line}`), accounts[line]])} />
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
    const given = lines.map((line) => [line, textIn(form, line)] as const)
    await call<PutReportsJournalAccountsData, PutReportsJournalAccountsResponse>({
      ...{ method: 'PUT', url, place },
      body: Object.fromEntries(given.filter(([, number]) => number !== '')),
    })
    await readAgain(url)
  }
  return (
    <Offer
      name={t('journal_accounts_change')}
      title={t('journal_accounts_change')}
      act={t('save')}
      whyNot={whyNot('settings')}
      fields={lines}
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
        </>
      )}
    </Offer>
  )
}
