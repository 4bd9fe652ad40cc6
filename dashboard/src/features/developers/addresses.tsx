// The addresses that payouts by API key may come from, in test and live alike.

import type {
  DeleteMerchantIpWhitelistByIdData,
  GetAuthSessionsData,
  GetAuthSessionsResponse,
  GetMerchantIpWhitelistData,
  GetMerchantIpWhitelistResponse,
  IpWhitelistEntry,
  PatchMerchantIpWhitelistByIdData,
  PatchMerchantIpWhitelistByIdResponse,
  PostMerchantIpWhitelistData,
  PostMerchantIpWhitelistResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { usePaged, useThere } from '../../parts/paged.ts'
import { useHere } from '../../parts/place.tsx'
import { Pager, Records } from '../../parts/records.tsx'
import { When } from '../../parts/tips.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Below, Empty, Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Section } from './section.tsx'

const orders = [
  'ip_address',
  '-ip_address',
  'label',
  '-label',
  'created_at',
  '-created_at',
] as const
const address = '/merchant-ip-whitelist/'
const one = '/merchant-ip-whitelist/{id}/'
const read = () => readAgain(address)

export default function Addresses() {
  const { place, may } = useHere()
  const { query, paging } = usePaged({}, orders, { first: '-created_at' })
  const list = useThere(
    useRead<GetMerchantIpWhitelistData, GetMerchantIpWhitelistResponse>(place, {
      url: address,
      query,
    }),
  )
  return (
    <Section of="addresses">
      <p>{t('addresses_how')}</p>
      <Read of={list}>
        {({ results, next, previous, count }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_addresses_yet')}</p>
            </Empty>
          ) : (
            <>
              <Records
                caption={t('dev_addresses')}
                rows={results}
                keyOf={({ id }) => id}
                sort={paging.sort}
                kept="addresses"
                columns={[
                  { name: 'address', order: 'ip_address', of: ({ ip_address }) => ip_address },
                  { name: 'status', of: (entry) => <State of={entry} />, at: 'side' },
                  { name: 'label', order: 'label', of: ({ label }) => label && <bdi>{label}</bdi> },
                  {
                    name: 'made_on',
                    order: 'created_at',
                    of: ({ created_at }) => <When of={created_at} />,
                    is: 'whole',
                  },
                ]}
                acts={may('whitelist') ? (entry) => <Acts of={entry} /> : undefined}
              />
              <Pager newer={previous} older={next} count={count} {...paging} />
            </>
          )
        }
      </Read>
      <Below of={list}>
        <section className="after" data-key="n">
          <h2>{t('address_add')}</h2>
          <Allowed right="whitelist">
            <NewAddress />
          </Allowed>
        </section>
      </Below>
    </Section>
  )
}

const State = ({ of: { status } }: { of: IpWhitelistEntry }) => (
  <Status
    of={
      status === 'ACTIVE'
        ? { shape: 'done', word: 'address_ACTIVE' }
        : { shape: 'off', word: 'address_INACTIVE' }
    }
  />
)

function Acts({ of }: { of: IpWhitelistEntry }) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const path = { id: of.id }
  const status = of.status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE'
  const turn = async () => {
    await call<PatchMerchantIpWhitelistByIdData, PatchMerchantIpWhitelistByIdResponse>({
      ...{ method: 'PATCH', url: one, path, place, body: { status } },
    })
    await read()
  }
  const remove = async () => {
    await call<DeleteMerchantIpWhitelistByIdData, null>({
      ...{ method: 'DELETE', url: one, path, place },
    })
    await read()
  }
  return (
    <>
      <Refused failure={failure} />
      <Button look="plain" busy={isBusy} onClick={() => run(turn)}>
        {t(status === 'INACTIVE' ? 'address_switch_off' : 'address_switch_on')}
      </Button>
      <Asking
        name={t('address_remove')}
        text={t('address_remove_how', { address: of.ip_address })}
        isGrave
        act={remove}
      />
    </>
  )
}

function NewAddress() {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const sessions = useRead<GetAuthSessionsData, GetAuthSessionsResponse>(place, {
    url: '/auth/sessions/',
    query: { page_size: 100 },
  })
  const own = sessions.data?.results.find(({ current }) => current)?.ip ?? ''
  const add = (ip_address: string, label: string) =>
    run(async () => {
      await call<PostMerchantIpWhitelistData, PostMerchantIpWhitelistResponse>({
        ...{ method: 'POST', url: address, place, body: { ip_address, label } },
      })
      await read()
    })
  return (
    <Form
      name={t('address_add')}
      failure={failure}
      fields={['ip_address', 'label']}
      onSubmit={async (form) => {
        await add(textIn(form, 'ip_address'), textIn(form, 'label'))
      }}
    >
      <TextField
        label={t('address')}
        hint={t('address_hint')}
        error={errorAt(failure, 'ip_address')}
        name="ip_address"
        maxLength={64}
        autoComplete="off"
        required
      />
      <TextField
        label={t('label')}
        hint={t('optional')}
        error={errorAt(failure, 'label')}
        name="label"
        maxLength={100}
        autoComplete="off"
      />
      <Button type="submit" busy={isBusy}>
        {t('address_add')}
      </Button>
      {own !== '' && (
        <Button look="plain" busy={isBusy} onClick={() => add(own, t('address_own_label'))}>
          {t('address_own', { address: own })}
        </Button>
      )}
    </Form>
  )
}
