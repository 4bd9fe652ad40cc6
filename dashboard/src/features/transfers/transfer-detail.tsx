// One transfer: what left, what arrives, at which rate, and when it lapses if nobody decides.

import type {
  GetWalletTransfersByIdData,
  GetWalletTransfersByIdResponse,
  NamedWalletTransfer as WalletTransfer,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { currencyName, writeRate } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { Countdown } from '../../parts/countdown.tsx'
import { useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { transferState } from '../../parts/states.ts'
import { WhenExactly } from '../../parts/tips.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { hasLapsed, saidOf } from './transfer-state.ts'

const every_ms = 30_000

export default function TransferDetail({ id }: { id: string }) {
  const { place } = useHere()
  const reading = useRead<GetWalletTransfersByIdData, GetWalletTransfersByIdResponse>(
    place,
    { url: '/wallet-transfers/{id}/', path: { id } },
    { every_ms },
  )
  return (
    <RecordPage
      title={t('transfer')}
      back={{ path: '/transfers', name: t('all_transfers') }}
      reading={reading}
      acted={id}
    >
      {(transfer) => <Content of={transfer} />}
    </RecordPage>
  )
}

function Content({ of }: { of: WalletTransfer }) {
  const { amountAmong, language } = useHere()
  const amount = amountAmong([of.from_currency, of.to_currency])
  const when = (iso: string | null) => iso !== null && <WhenExactly of={iso} />
  return (
    <>
      <section className="outcome" aria-live="polite">
        <p className="sum">
          <b>{amount(of.from_amount, of.from_currency)}</b> <Status of={transferState(of)} />
        </p>
        <p className="said">{t(saidOf(of))}</p>
        {!hasLapsed(of) && of.rejection_reason !== '' && <p>{of.rejection_reason}</p>}
        {of.status === 'PENDING' && (
          <p>
            {t('transfer_lapses')} <Countdown to={of.lapses_at} />.
          </p>
        )}
      </section>
      <section>
        <h2>{t('money')}</h2>
        <Facts
          of={[
            [t('transfer_from'), countryName(of.from_country, language)],
            [t('transfer_to'), countryName(of.to_country, language)],
            [t('transfer_leaves'), amount(of.from_amount, of.from_currency)],
            [t('fees'), amount(of.fee_amount, of.from_currency)],
            [t('rate'), writeRate(of.exchange_rate, language)],
            [t('transfer_arrives'), amount(of.to_amount, of.to_currency)],
            [
              t('currency'),
              of.from_currency === of.to_currency
                ? currencyName(of.to_currency)
                : t('from_to', {
                    from: currencyName(of.from_currency),
                    to: currencyName(of.to_currency),
                  }),
            ],
            [t('reference'), of.reference],
            [t('made_how'), of.created_by_name],
            [t('date'), when(of.created_at)],
            [t('settlement_stop_approved'), when(of.approved_at)],
            [t('transfer_done_at'), when(of.completed_at)],
          ]}
        />
        <Copy text={of.reference} name={t('copy_reference')} isFirst />
      </section>
    </>
  )
}
