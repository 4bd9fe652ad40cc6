// What networks speak in the sandbox: the simulated operator, or the imitation of a real one. What
// is chosen is seen by everyone; it is chosen by whoever may take payments.

import { useState } from 'react'
import type {
  GetSandboxDialectsData,
  GetSandboxDialectsResponse,
  PutSandboxDialectsData,
  PutSandboxDialectsResponse,
  SandboxDialect,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, Form, SelectField } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Dialect = SandboxDialect['dialect']

/** The simulated operator, which imitates nobody. */
const plain: Dialect = 'pirogue'

const operators: Readonly<Record<Exclude<Dialect, 'pirogue'>, string>> = {
  mtn: 'MTN MoMo',
  pawapay: 'pawaPay',
  wave: 'Wave',
  orange: 'Orange Money',
  stripe: 'Stripe',
  fedapay: 'FedaPay',
}

const nameOf = (dialect: Dialect): string =>
  dialect === 'pirogue' ? t('sandbox_plain') : operators[dialect]

/** No number of the customer goes to these: their page decides. */
const byPage: readonly Dialect[] = ['orange', 'stripe']

function saidOf(dialect: Dialect): string {
  if (dialect === 'pirogue') return t('sandbox_plain_how')
  const imitates = t('sandbox_imitates', { operator: operators[dialect] })
  return byPage.includes(dialect) ? `${imitates} ${t('sandbox_page_decides')}` : imitates
}

export function Spoken() {
  const { place, whyNot } = useHere()
  const networkName = useNetworkNames()
  const reading = useRead<GetSandboxDialectsData, GetSandboxDialectsResponse>(place, {
    url: '/sandbox/dialects/',
    query: { page_size: 100 },
  })
  const wayOf = ({ network_code, direction }: SandboxDialect): string =>
    t(`sandbox_way_${direction}`, { network: networkName(network_code) })
  return (
    <section>
      <h2>{t('sandbox_spoken')}</h2>
      <p>{t('sandbox_spoken_how')}</p>
      <Read of={reading}>
        {({ results }) => (
          <>
            <Chosen rows={results.filter(({ dialect }) => dialect !== plain)} wayOf={wayOf} />
            {whyNot('payins') === undefined && (
              <Choosing
                rows={results.filter(({ available }) => available.length > 1)}
                wayOf={wayOf}
              />
            )}
          </>
        )}
      </Read>
    </section>
  )
}

type Rows = Readonly<{
  rows: readonly SandboxDialect[]
  wayOf: (row: SandboxDialect) => string
}>

function Chosen({ rows, wayOf }: Rows) {
  if (rows.length === 0) return <p className="mute">{t('sandbox_none_chosen')}</p>
  return (
    <ul aria-label={t('sandbox_chosen')}>
      {rows.map((row) => (
        <li key={keyOf(row)}>
          {t('sandbox_speaks', { way: wayOf(row), operator: nameOf(row.dialect) })}
        </li>
      ))}
    </ul>
  )
}

const keyOf = ({ network_code, direction }: SandboxDialect): string =>
  `${network_code} ${direction}`

function Choosing({ rows, wayOf }: Rows) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [key, setKey] = useState<string>()
  const [wanted, setWanted] = useState<string>()
  const [done, setDone] = useState('')
  const row = rows.find((one) => keyOf(one) === key) ?? rows[0]
  if (row === undefined) return null
  const dialect = row.available.find((one) => one === wanted) ?? row.dialect
  const submit = () =>
    run(async () => {
      const { network_code, direction } = row
      const set = await call<PutSandboxDialectsData, PutSandboxDialectsResponse>({
        ...{ method: 'PUT', url: '/sandbox/dialects/', place },
        body: { network_code, direction, dialect },
      })
      await readAgain('/sandbox/dialects/')
      setDone(t('sandbox_speaks', { way: wayOf(set), operator: nameOf(set.dialect) }))
    })
  const begin = (change: () => void) => {
    setDone('')
    change()
  }
  return (
    <Form name={t('sandbox_spoken')} failure={failure} fields={[]} onSubmit={submit}>
      <SelectField
        label={t('sandbox_spoken_of')}
        name="network_code"
        value={keyOf(row)}
        options={rows.map((one) => [keyOf(one), wayOf(one)])}
        onChange={({ currentTarget: { value } }) =>
          begin(() => {
            setKey(value)
            setWanted(undefined)
          })
        }
      />
      <SelectField
        label={t('sandbox_dialect')}
        hint={saidOf(dialect)}
        name="dialect"
        value={dialect}
        options={row.available.map((one) => [one, nameOf(one)])}
        onChange={({ currentTarget: { value } }) => begin(() => setWanted(value))}
      />
      <Button type="submit" look="plain" busy={isBusy}>
        {t('sandbox_choose')}
      </Button>
      {done !== '' && <p role="status">{done}</p>}
    </Form>
  )
}
