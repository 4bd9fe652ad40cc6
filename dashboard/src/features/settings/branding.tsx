// How the payer's pages look: the name above them, the colour of their button, the logo; beside it
// the page as it would look, and the true one in a window of its own.

import { type FocusEvent, useState } from 'react'
import type {
  DeleteMerchantLogoData,
  DeleteMerchantLogoResponse,
  MerchantSettings,
  PostCheckoutSessionsData,
  PostCheckoutSessionsResponse,
  PutMerchantLogoData,
  PutMerchantLogoResponse,
} from '../../api/types.gen.ts'
import { call, ownAddress } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button, errorAt, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Preview } from './brand-preview.tsx'
import { FileField } from './file-field.tsx'
import { Patch } from './settings-form.tsx'
import '../../ui/brand.css'

type Props = Readonly<{ of: MerchantSettings }>

/** What is typed, saved or not. */
type Brand = Readonly<{ name: string; colour: string }>

const isColour = (typed: string): boolean => /^#[0-9a-f]{6}$/i.test(typed)

/** What the palette begins with where none is chosen: the pages' own. */
const first_colour = '#0b6b4f'

export function Branding({ of }: Props) {
  const { name, colour } = of.branding
  const [typed, setTyped] = useState<Brand>({ name, colour })
  const [written, setWritten] = useState(colour)
  const note = ({ currentTarget: { name: field, value } }: FocusEvent<HTMLInputElement>) =>
    setTyped((before) => ({ ...before, [field]: value.trim() }))
  return (
    <div className="columns">
      <div>
        <Patch
          name={t('branding')}
          fields={['branding.name', 'branding.colour']}
          body={(form) => ({
            branding: { name: textIn(form, 'name'), colour: textIn(form, 'colour') },
          })}
        >
          {(failure) => (
            <>
              <TextField
                label={t('branding_name')}
                hint={t('branding_name_hint')}
                error={errorAt(failure, 'branding.name')}
                name="name"
                maxLength={60}
                defaultValue={name}
                onBlur={note}
              />
              <TextField
                label={t('branding_colour')}
                hint={t('branding_colour_hint')}
                error={errorAt(failure, 'branding.colour')}
                name="colour"
                maxLength={7}
                value={written}
                onChange={({ currentTarget: { value } }) => setWritten(value)}
                onBlur={note}
              />
              <TextField
                label={t('branding_palette')}
                type="color"
                value={isColour(written) ? written : first_colour}
                onChange={({ currentTarget: { value } }) => setWritten(value)}
                onBlur={({ currentTarget: { value } }) => setTyped({ ...typed, colour: value })}
              />
            </>
          )}
        </Patch>
        <Logo of={of} />
        <TruePage />
      </div>
      <Preview of={typed} logo={of.branding.logo_url} />
    </div>
  )
}

function Logo({ of: { branding } }: Props) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const put = (file: File) =>
    run(async () => {
      await call<PutMerchantLogoData, PutMerchantLogoResponse>({
        ...{ method: 'PUT', url: '/merchant/logo/', body: file, place },
      })
      await readAgain('/merchant/')
    })
  const remove = () =>
    run(async () => {
      await call<DeleteMerchantLogoData, DeleteMerchantLogoResponse>({
        ...{ method: 'DELETE', url: '/merchant/logo/', place },
      })
      await readAgain('/merchant/')
    })
  return (
    <section>
      <FileField
        label={t('logo')}
        hint={t('logo_hint')}
        accept="image/png,image/jpeg,image/webp"
        busy={isBusy}
        onTake={put}
      />
      {branding.logo_url !== null && (
        <img className="logo" src={ownAddress(branding.logo_url)} alt={t('logo')} />
      )}
      <p role="status">{t(branding.logo_url === null ? 'logo_none' : 'logo_there')}</p>
      <Refused failure={failure} />
      {branding.logo_url !== null && (
        <Button look="plain" busy={isBusy} onClick={remove}>
          {t('logo_remove')}
        </Button>
      )}
    </section>
  )
}

/** A page of the sandbox as it is now: nothing can be paid by it. */
function TruePage() {
  const { place, me } = useHere()
  const { failure, isBusy, run } = useAct()
  const [address, setAddress] = useState<string>()
  const make = () =>
    run(async () => {
      const made = await call<PostCheckoutSessionsData, PostCheckoutSessionsResponse>({
        ...{ method: 'POST', url: '/checkout-sessions/' },
        place: { ...place, environment: 'SANDBOX' },
        body: {
          ...{ amount: '1000', currency: 'XOF', description: t('sandbox_checkout') },
          customer_email: me.member.email,
          customer_name: `${me.member.first_name} ${me.member.last_name}`.trim() || 'Test',
        },
      })
      setAddress(made.checkout_url)
    })
  return (
    <section>
      <Refused failure={failure} />
      {address === undefined ? (
        <Button look="plain" busy={isBusy} onClick={make}>
          {t('branding_see')}
        </Button>
      ) : (
        <a className="button act" href={address} target="_blank" rel="noreferrer">
          {t('sandbox_open_page')}
        </a>
      )}
    </section>
  )
}
