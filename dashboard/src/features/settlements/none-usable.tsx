// Why no settlement can be asked for now, and what mends it: no account of one's own, no money yet,
// money in other countries than the accounts, or an account that still waits.

import type { MerchantBalance, PayoutMethod } from '../../api/types.gen.ts'
import { isZero } from '../../format/amount.ts'
import { byName, countryName } from '../../format/country.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { Begin } from '../../parts/begin.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { methodName } from '../../parts/payout-methods.ts'
import { useHere } from '../../parts/place.tsx'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { Link } from '../../ui/link.tsx'
import { Empty } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Having = Readonly<{
  methods: readonly PayoutMethod[]
  balances: readonly MerchantBalance[]
}>

export function NoneUsable({ methods, balances }: Having) {
  const { to } = useHere()
  return (
    <Empty>
      <Why methods={methods} balances={balances} />
      <p>
        <Link href={to('/settlements/methods')}>{t('methods')}</Link>
      </p>
    </Empty>
  )
}

/** An account that waits in a country of a balance needs nothing else; a new one would wait too. */
function Why({ methods, balances }: Having) {
  const { may, language } = useHere()
  const filled = balances.filter(({ available_amount: sum }) => !isZero(sum))
  // Where nothing is anywhere yet, it may come wherever there is a balance.
  const codes = (filled.length > 0 ? filled : balances).map(({ country }) => country)
  const cooling = methods.filter(({ country }) => codes.includes(country))
  if (cooling.length > 0) return <Cooling of={cooling} />
  if (methods.length === 0) return <Adding text={t('no_methods_yet')} />
  if (codes.length === 0) {
    return (
      <Begin
        text={t('no_balance_to_move')}
        acts={[['/payments/new', 'new_payment', may('payins')]]}
      />
    )
  }
  const countries = byName(codes, language).map((code) => countryName(code, language))
  return <Adding text={t('no_method_there', { countries: countries.join(', ') })} />
}

function Adding({ text }: { text: string }) {
  return (
    <>
      <p>{text}</p>
      <Allowed right="payout_methods">
        <ToNewMethod />
      </Allowed>
    </>
  )
}

const ToNewMethod = () => (
  <p>
    <Link className="button plain" href={useHere().to('/settlements/methods/new')}>
      {t('new_method')}
    </Link>
  </p>
)

const Cooling = ({ of }: { of: readonly PayoutMethod[] }) => (
  <>
    <p>{t('method_cooling_why')}</p>
    <Facts
      of={of.map(
        (method): FactRow => [
          methodName(method),
          <span key={method.id}>
            {t('method_cooling_how')} <Countdown to={method.usable_from} />
          </span>,
        ],
      )}
    />
  </>
)
