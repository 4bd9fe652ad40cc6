// The accounts that settlements may go to. A new one waits before its first use, so that an
// intruder gains nothing by adding their own; the wait is shown with its reason.

import type {
  DeleteMerchantPayoutMethodsByIdData,
  PatchMerchantPayoutMethodsByIdData,
  PatchMerchantPayoutMethodsByIdResponse,
  PayoutMethod,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAllAgain } from '../../data/queries.ts'
import { countryName } from '../../format/country.ts'
import { Offer } from '../../parts/act.tsx'
import { Why } from '../../parts/allowed.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { accountOf, usePayoutMethods } from '../../parts/payout-methods.ts'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { Facts } from '../../ui/facts.tsx'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { SettlementTabs } from './settlement-tabs.tsx'

export default function MethodList() {
  const { to, whyNot } = useHere()
  const methods = usePayoutMethods()
  const why = whyNot('payout_methods')
  const add = why === undefined && (
    <Link className="button act" href={to('/settlements/methods/new')}>
      {t('new_method')}
    </Link>
  )
  return (
    <Page title={t('methods')} acts={add}>
      <SettlementTabs />
      {why !== undefined && <Why of={why} />}
      <Read of={methods}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_methods_yet')}</p>
            </Empty>
          ) : (
            <ul className="cards">
              {results.map((method) => (
                <li key={method.id}>
                  <Method of={method} />
                </li>
              ))}
            </ul>
          )
        }
      </Read>
    </Page>
  )
}

function Method({ of }: { of: PayoutMethod }) {
  const { language, environment } = useHere()
  return (
    <section className="balance" aria-label={accountOf(of)}>
      <p className="card-line">
        <b>{of.label || t(`method_${of.type}`)}</b>
        <Status
          of={
            of.is_usable
              ? { shape: 'done', word: 'method_usable' }
              : { shape: 'held', word: 'method_cooling' }
          }
        />
      </p>
      {!of.is_usable && (
        <p className="small">
          {t('method_cooling_how')} <Countdown to={of.usable_from} />
          {environment === 'SANDBOX' && <span className="line">{t('method_cooling_test')}</span>}
        </p>
      )}
      <Facts
        of={[
          [t('account_of'), accountOf(of)],
          [t('account_name'), of.account_name],
          [t('country'), countryName(of.country, language)],
        ]}
      />
      <MethodActs of={of} />
      <ToAudit of={of.id} name={accountOf(of)} />
    </section>
  )
}

function MethodActs({ of }: { of: PayoutMethod }) {
  const { place, whyNot } = useHere()
  if (whyNot('payout_methods') !== undefined) return null
  const path = { id: of.id }
  const rename = async (form: FormData) => {
    await call<PatchMerchantPayoutMethodsByIdData, PatchMerchantPayoutMethodsByIdResponse>({
      ...{ method: 'PATCH', url: '/merchant-payout-methods/{id}/', path, place },
      body: { label: textIn(form, 'label') },
    })
    await readAllAgain()
  }
  const remove = async () => {
    await call<DeleteMerchantPayoutMethodsByIdData, undefined>({
      ...{ method: 'DELETE', url: '/merchant-payout-methods/{id}/', path, place },
    })
    await readAllAgain()
  }
  return (
    <div className="acts">
      <Offer
        name={t('rename')}
        title={t('method_rename')}
        act={t('save')}
        fields={['label']}
        doing={rename}
      >
        {(failure) => (
          <TextField
            label={t('link_name')}
            error={errorAt(failure, 'label')}
            name="label"
            maxLength={100}
            defaultValue={of.label}
          />
        )}
      </Offer>
      <Offer name={t('remove')} title={t('method_remove')} act={t('remove')} doing={remove}>
        <p>{t('method_remove_how', { account: accountOf(of) })}</p>
      </Offer>
    </div>
  )
}
