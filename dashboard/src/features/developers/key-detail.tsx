// One API key: what it may do and where it was used; replaced with an overlap, bounded, revoked.

import { useState } from 'react'
import type {
  GetMerchantApiKeysByIdData,
  GetMerchantApiKeysByIdResponse,
  IssuedApiKey,
  MerchantApiKey,
  PatchMerchantApiKeysByIdData,
  PatchMerchantApiKeysByIdResponse,
  PostMerchantApiKeysByIdRevokeData,
  PostMerchantApiKeysByIdRevokeResponse,
  PostMerchantApiKeysByIdRotateData,
  PostMerchantApiKeysByIdRotateResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { Allowed, Found } from '../../parts/allowed.tsx'
import { useChanges } from '../../parts/changes.ts'
import { keyName } from '../../parts/makers.ts'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { keyState } from '../../parts/states.ts'
import { useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { addressesIn, KeyBounds } from './key-form.tsx'

const read = () => readAgain('/merchant-api-keys/', '/merchant-api-keys/{id}/')

export default function KeyDetail({ id }: { id: string }) {
  const { place, to } = useHere()
  const reading = useRead<GetMerchantApiKeysByIdData, GetMerchantApiKeysByIdResponse>(place, {
    url: '/merchant-api-keys/{id}/',
    path: { id },
  })
  return (
    <Page title={reading.data === undefined ? t('key') : keyName(reading.data)}>
      <p>
        <Link href={to('/developers/keys')}>{t('all_keys')}</Link>
      </p>
      <Found of={reading}>{(key) => <Content of={key} />}</Found>
      {reading.data !== undefined && <ToAudit of={id} />}
    </Page>
  )
}

function Content({ of }: { of: MerchantApiKey }) {
  const { moment, to, may, environment } = useHere()
  // A key that pays out in live is none that whoever may not pay out gets, or widens.
  const isOwnToWiden = of.scope === 'PAYIN' || environment === 'SANDBOX' || may('payouts')
  const [issued, setIssued] = useState<IssuedApiKey>()
  if (issued !== undefined) {
    return (
      <Secret name={t('key_secret')} secret={issued.secret} onKept={() => setIssued(undefined)} />
    )
  }
  const when = (at: string | null) => (at === null ? '' : moment(at))
  return (
    <>
      <section className="outcome">
        <p className="sum">
          <b>
            {of.key_prefix}…{of.last4}
          </b>
          <Status of={keyState(of)} />
        </p>
        {of.rotated_to !== null && (
          <p>
            <Link href={to(`/developers/keys/${of.rotated_to}`)}>{t('key_successor')}</Link>
          </p>
        )}
      </section>
      <div className="columns">
        <section>
          <h2>{t('details')}</h2>
          <Facts
            of={[
              [t('key_scope'), t(`scope_${of.scope}`)],
              [t('key_rights'), t(of.read_only ? 'key_read_only' : 'key_reads_and_writes')],
              [t('key_addresses'), of.ip_whitelist.join(', ') || t('key_any_address')],
              [t('key_last_used'), when(of.last_used_at) || t('key_never_used')],
              [t('key_last_address'), of.last_used_ip],
              [t('made_on'), moment(of.created_at)],
              [t('key_ends'), when(of.expires_at)],
              [t('key_revoked'), when(of.revoked_at)],
            ]}
          />
        </section>
        {of.status === 'ACTIVE' && (
          <section>
            <h2>{t('key_change')}</h2>
            <Allowed right="keys">
              <Bounds of={of} mayWiden={isOwnToWiden} />
              {isOwnToWiden ? (
                <Rotation of={of} onIssued={setIssued} />
              ) : (
                <p className="hint">{t('key_payouts_not_yours')}</p>
              )}
              <Revocation of={of} />
            </Allowed>
          </section>
        )}
      </div>
    </>
  )
}

type BoundsProps = Readonly<{
  of: MerchantApiKey
  /** Else its name and a narrower bound are all that they change. */
  mayWiden: boolean
}>

function Bounds(props: BoundsProps) {
  // Whoever opens the form begins with the key as it is then.
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('key_bounds')}</summary>
      {isOpen && <BoundsForm {...props} />}
    </details>
  )
}

function BoundsForm({ of, mayWiden }: BoundsProps) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const { name, read_only, ip_whitelist } = of
  const { drawn, save } = useChanges({ name, read_only, ip_whitelist })
  const submit = (form: FormData) =>
    run(async () => {
      const now = {
        name: textIn(form, 'name'),
        read_only: form.get('read_only') === 'on',
        ip_whitelist: addressesIn(form),
      }
      await save(now, (body) =>
        call<PatchMerchantApiKeysByIdData, PatchMerchantApiKeysByIdResponse>({
          ...{ method: 'PATCH', url: '/merchant-api-keys/{id}/', path: { id: of.id }, place, body },
        }),
      )
      await read()
    })
  return (
    <Form
      name={t('key_bounds')}
      failure={failure}
      fields={['name', 'ip_whitelist', 'read_only']}
      onSubmit={submit}
    >
      <TextField
        label={t('name')}
        error={errorAt(failure, 'name')}
        name="name"
        maxLength={100}
        defaultValue={drawn.name}
      />
      {!mayWiden && <p className="hint">{t('key_narrow_only')}</p>}
      <KeyBounds failure={failure} read_only={drawn.read_only} ip_whitelist={drawn.ip_whitelist} />
      <Button type="submit" look="plain" busy={isBusy}>
        {t('save')}
      </Button>
    </Form>
  )
}

const overlaps = ['0', '3600', '86400', '604800'] as const

type RotationProps = Readonly<{ of: MerchantApiKey; onIssued: (key: IssuedApiKey) => void }>

/** The old key works on until the overlap is over, so that nothing stops while one is deployed. */
function Rotation({ of, onIssued }: RotationProps) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const submit = (form: FormData) =>
    run(async () => {
      const overlap_seconds = Number(textIn(form, 'overlap'))
      const issued = await call<
        PostMerchantApiKeysByIdRotateData,
        PostMerchantApiKeysByIdRotateResponse
      >({
        ...{ method: 'POST', url: '/merchant-api-keys/{id}/rotate/', path: { id: of.id }, place },
        body: { overlap_seconds },
      })
      onIssued(issued)
      await read()
    })
  if (of.rotated_to !== null) return null
  return (
    <details>
      <summary>{t('key_rotate')}</summary>
      <Form name={t('key_rotate')} failure={failure} fields={['overlap_seconds']} onSubmit={submit}>
        <p>{t('key_rotate_how')}</p>
        <SelectField
          label={t('key_overlap')}
          error={errorAt(failure, 'overlap_seconds')}
          name="overlap"
          defaultValue="86400"
          options={overlaps.map((seconds) => [seconds, t(`overlap_${seconds}`)])}
        />
        <Button type="submit" look="plain" busy={isBusy}>
          {t('key_rotate')}
        </Button>
      </Form>
    </details>
  )
}

function Revocation({ of }: { of: MerchantApiKey }) {
  const { place } = useHere()
  const revoke = async () => {
    await call<PostMerchantApiKeysByIdRevokeData, PostMerchantApiKeysByIdRevokeResponse>({
      ...{ method: 'POST', url: '/merchant-api-keys/{id}/revoke/', path: { id: of.id }, place },
      body: {},
    })
    await read()
  }
  return <Asking name={t('key_revoke')} text={t('key_revoke_how')} isGrave act={revoke} />
}
