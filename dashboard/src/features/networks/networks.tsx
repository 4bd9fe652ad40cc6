// Which networks work just now, country by country: the merchant's own is open, and so is each
// where one does not work as it should.

import type {
  Availability,
  GetAvailabilityData,
  GetAvailabilityResponse,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { byName, countryName } from '../../format/country.ts'
import { zoneName } from '../../format/moment.ts'
import { useNetworks } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { Records } from '../../parts/records.tsx'
import { Page } from '../../parts/shell.tsx'
import { Empty, Loading, Read } from '../../ui/state.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

/** No hint reports it. */
const every_ms = 30_000

export default function Networks() {
  const { place, environment, clock, merchant, language } = useHere()
  const { networks, isPending } = useNetworks()
  const now = useRead<GetAvailabilityData, GetAvailabilityResponse>(
    place,
    { url: '/availability/', query: { environment } },
    { every_ms },
  )
  const names = new Map(networks.map(({ code, name }) => [code, name]))
  return (
    <Page title={t('networks')}>
      <p className="mute">{t('networks_how')}</p>
      <Read of={now}>
        {(all) => {
          // A name that comes later would move what is read.
          if (isPending) return <Loading />
          const codes = byName([...new Set(all.map(({ country_code }) => country_code))], language)
          return codes.length === 0 ? (
            <Empty>
              <p>{t('no_prices')}</p>
            </Empty>
          ) : (
            <>
              {codes.map((code) => (
                <Country
                  key={code}
                  name={countryName(code, language)}
                  isOwn={code === merchant.country || codes.length === 1}
                  rows={all.filter(({ country_code }) => country_code === code)}
                  nameOf={(network) => names.get(network) ?? network}
                />
              ))}
              {all.some(({ own }) => own !== undefined && own.success_rate !== null) && (
                <p className="mute small">{t('network_own_how')}</p>
              )}
              <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
            </>
          )
        }}
      </Read>
    </Page>
  )
}

type CountryProps = Readonly<{
  name: string
  isOwn: boolean
  rows: readonly Availability[]
  nameOf: (network: string) => string
}>

function Country({ name, isOwn, rows, nameOf }: CountryProps) {
  const codes = [...new Set(rows.map(({ network_code }) => network_code))]
  const of = (network: string, way: Availability['direction']) => (
    <Now
      of={rows.find(({ network_code, direction }) => network_code === network && direction === way)}
    />
  )
  return (
    <details className="record" open={isOwn || rows.some(({ status }) => status !== 'OPERATIONAL')}>
      <summary>{name}</summary>
      <Records
        caption={name}
        rows={codes}
        keyOf={(code) => code}
        columns={[
          { name: 'network', of: nameOf },
          { name: 'payments', of: (code) => of(code, 'COLLECT') },
          { name: 'payouts', of: (code) => of(code, 'DISBURSE') },
        ]}
        card={(code) => ({
          head: nameOf(code),
          left: (
            <>
              <span className="line">
                {t('payments')}
                {t('colon')} {of(code, 'COLLECT')}
              </span>
              <span className="line">
                {t('payouts')}
                {t('colon')} {of(code, 'DISBURSE')}
              </span>
            </>
          ),
        })}
      />
    </details>
  )
}

const states: Readonly<Record<Availability['status'], State>> = {
  OPERATIONAL: { shape: 'done', word: 'network_OPERATIONAL' },
  DELAYED: { shape: 'held', word: 'network_DELAYED' },
  CLOSED: { shape: 'failed', word: 'network_CLOSED' },
}

/** "0.95" to "95", as it is written. */
const percentIn = (rate: string): string => rate.replace('.', '').replace(/^0{1,2}(?=\d)/, '')

/** One direction; nothing where the network has none. */
function Now({ of }: { of: Availability | undefined }) {
  const { language, moment } = useHere()
  if (of === undefined) return '–'
  const { status, since, message, own } = of
  const rate = own?.success_rate ?? null
  return (
    <>
      <Status of={states[status]} />
      {status !== 'OPERATIONAL' && <span className="line small mute">{message[language]}</span>}
      {since !== null && (
        <span className="line small mute">{t('todo_since', { at: moment(since) })}</span>
      )}
      {rate !== null && (
        <span className="line small mute">
          {t('network_own', { percent: percentIn(rate), sample: own?.sample ?? 0 })}
        </span>
      )}
    </>
  )
}
