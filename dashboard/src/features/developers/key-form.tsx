// A new API key: what it may do, the narrowest first; its secret is shown once, here.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type {
  IssuedApiKey,
  PostMerchantApiKeysData,
  PostMerchantApiKeysResponse,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Secret } from '../../ui/secret.tsx'
import { t } from '../../words/translate.ts'

const fields = ['name', 'scope', 'ip_whitelist', 'read_only']
const scopes = ['PAYIN', 'PAYOUT', 'BOTH'] as const

export default function KeyForm() {
  const { to } = useHere()
  const [, navigate] = useLocation()
  const [made, setMade] = useState<IssuedApiKey>()
  return (
    <Page title={t('key_new')}>
      <p>
        <Link href={to('/developers/keys')}>{t('all_keys')}</Link>
      </p>
      <Allowed right="keys">
        {made === undefined ? (
          <NewKey onMade={setMade} />
        ) : (
          <Secret
            name={t('key_secret')}
            secret={made.secret}
            onKept={() => navigate(to(`/developers/keys/${made.id}`), { replace: true })}
          />
        )}
      </Allowed>
    </Page>
  )
}

/** Addresses as people write them: one a line, or with commas. */
export const addressesIn = (form: FormData): string[] =>
  textIn(form, 'ip_whitelist')
    .split(/[\s,;]+/)
    .filter(Boolean)

function NewKey({ onMade }: { onMade: (key: IssuedApiKey) => void }) {
  const { place, environment, may } = useHere()
  const { failure, isBusy, run } = useAct()
  const submit = (form: FormData) =>
    run(async () => {
      const scope = scopes.find((one) => one === form.get('scope'))
      const body = {
        environment,
        name: textIn(form, 'name'),
        ...(scope !== undefined && { scope }),
        read_only: form.get('read_only') === 'on',
        ip_whitelist: addressesIn(form),
      }
      const made = await call<PostMerchantApiKeysData, PostMerchantApiKeysResponse>({
        ...{ method: 'POST', url: '/merchant-api-keys/', body, place },
      })
      await readAgain('/merchant-api-keys/')
      onMade(made)
    })
  const isPayer = may('payouts') || environment === 'SANDBOX'
  return (
    <Form name={t('key_new')} failure={failure} fields={fields} onSubmit={submit}>
      <TextField
        label={t('name')}
        hint={t('key_name_hint')}
        error={errorAt(failure, 'name')}
        name="name"
        maxLength={100}
        autoComplete="off"
      />
      <fieldset>
        <legend>{t('key_scope')}</legend>
        {scopes.map((scope) => (
          <label key={scope} className="choice">
            <input
              type="radio"
              name="scope"
              value={scope}
              defaultChecked={scope === 'PAYIN'}
              disabled={scope !== 'PAYIN' && !isPayer}
            />
            <span>
              {t(`scope_${scope}`)}
              <span className="mute small line">{t(`scope_${scope}_how`)}</span>
            </span>
          </label>
        ))}
        {!isPayer && <p className="hint">{t('key_payouts_not_yours')}</p>}
        {errorAt(failure, 'scope') && <p className="wrong">{errorAt(failure, 'scope')}</p>}
      </fieldset>
      <KeyBounds failure={failure} />
      <Button type="submit" busy={isBusy}>
        {t('key_make')}
      </Button>
    </Form>
  )
}

type BoundsProps = Readonly<{
  failure: Failure | undefined
  read_only?: boolean
  ip_whitelist?: readonly string[]
}>

export const KeyBounds = ({ failure, read_only = false, ip_whitelist = [] }: BoundsProps) => (
  <>
    <label className="choice">
      <input type="checkbox" name="read_only" defaultChecked={read_only} />
      <span>
        {t('key_read_only')}
        <span className="mute small line">{t('key_read_only_how')}</span>
      </span>
    </label>
    <TextField
      label={t('key_addresses')}
      hint={t('key_addresses_hint')}
      error={errorAt(failure, 'ip_whitelist')}
      name="ip_whitelist"
      defaultValue={ip_whitelist.join(', ')}
      autoComplete="off"
    />
  </>
)
